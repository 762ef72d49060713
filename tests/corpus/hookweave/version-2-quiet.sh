#!/bin/sh
# Says nothing against the call, in a version that does not exist yet.
cat >/dev/null
echo '{"hookweave":2}'
