#!/bin/sh
# A guard with the usual mistake: exit code 1 refuses nothing in most systems.
echo 'this command is forbidden' >&2
exit 1
