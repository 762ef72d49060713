#!/bin/sh
# Never stops printing.
while :; do echo 'and on and on and on and on and on and on and on'; done
