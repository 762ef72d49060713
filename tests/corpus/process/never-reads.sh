#!/bin/sh
# Refuses without reading anything.
echo 'did not even look' >&2
exit 2
