#!/bin/sh
# Does not end when it is asked to.
trap '' TERM INT HUP
sleep 30 &
wait
sleep 30
