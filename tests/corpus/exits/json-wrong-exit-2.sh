#!/bin/sh
# Refuses by exit code beside JSON of the wrong type.
cat >/dev/null
echo '{"continue":"no"}'
echo 'refused all the same' >&2
exit 2
