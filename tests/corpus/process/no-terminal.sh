#!/bin/sh
# Notes whether it has a terminal.
cat >/dev/null
if (: </dev/tty) 2>/dev/null; then echo yes >terminal.txt; else echo no >terminal.txt; fi
