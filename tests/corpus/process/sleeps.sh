#!/bin/sh
# Sleeps longer than any timeout.
sleep 600
exit 2
