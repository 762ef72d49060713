#!/bin/sh
# Sleeps longer than any timeout.
sleep 30
exit 2
