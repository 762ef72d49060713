#!/bin/sh
# Notes its arguments, one a line.
printf '%s\n' "$@" >arguments.txt
