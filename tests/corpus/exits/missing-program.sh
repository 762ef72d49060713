#!/bin/sh
# Calls a program that is not installed, so that it ends with 127.
cat >/dev/null
hookweave-program-that-nobody-has --check
