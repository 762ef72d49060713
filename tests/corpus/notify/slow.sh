#!/bin/sh
# Takes its time in the background and then fails, which stops nothing.
cat >/dev/null
sleep 0.05
echo sent >sent.txt
exit 2
