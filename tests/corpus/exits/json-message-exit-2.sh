#!/bin/sh
# Refuses by exit code and tells the user something in JSON, which is still read.
cat >/dev/null
echo '{"systemMessage":"told to the user"}'
echo 'refused' >&2
exit 2
