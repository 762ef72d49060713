#!/bin/sh
# Does not end when it is asked to.
trap '' TERM INT HUP
sleep 600 &
wait
sleep 600
