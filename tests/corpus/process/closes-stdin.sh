#!/bin/sh
# Closes its input at once and refuses a little later.
exec 0<&-
sleep 0.05
echo 'closed the door' >&2
exit 2
