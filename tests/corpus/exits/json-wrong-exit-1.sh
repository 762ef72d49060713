#!/bin/sh
# Fails beside JSON of the wrong type.
cat >/dev/null
echo '{"continue":"no"}'
exit 1
