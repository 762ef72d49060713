#!/bin/sh
# Denies with the line ends of another system.
cat >/dev/null
printf '{"decision":"block",\r\n"reason":"by line"}\r\n'
