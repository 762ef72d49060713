#!/bin/sh
# Denies a call, with the reason that Copilot wants.
cat >/dev/null
echo '{"permissionDecision":"deny","permissionDecisionReason":"denied for Copilot"}'
