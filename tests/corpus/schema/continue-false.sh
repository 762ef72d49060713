#!/bin/sh
# Ends the turn before a tool runs.
echo '{"continue":false,"stopReason":"enough for today"}'
