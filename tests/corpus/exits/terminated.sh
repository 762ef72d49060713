#!/bin/sh
# Is ended by a signal after it has said why.
echo 'on my way out' >&2
kill -TERM $$
sleep 1
