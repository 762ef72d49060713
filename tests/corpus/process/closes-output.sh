#!/bin/sh
# Closes its output and then takes too long.
exec >/dev/null 2>&1
sleep 600
