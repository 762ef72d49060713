#!/bin/sh
# Is not executable, so that the shell ends with 126.
exit 0
