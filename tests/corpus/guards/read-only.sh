#!/bin/sh
# A mode in which nothing may be written: blocks every tool by decision.
cat >/dev/null
[ -e read-only ] || exit 0
echo '{"decision": "block", "reason": "The project is read-only now"}'
