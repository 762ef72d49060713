#!/bin/sh
# Wants the call to be tried again later.
cat >/dev/null
echo '{"action":"retry","delay_ms":20}'
