#!/bin/sh
# Ends well and says nothing.
cat >/dev/null
exit 0
