#!/bin/sh
# Rejects in cocode's own words.
cat >/dev/null
echo '{"Reject":{"reason":"rejected"}}'
