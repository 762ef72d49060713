#!/bin/sh
# Sleeps longer than anybody waits.
sleep 30
exit 2
