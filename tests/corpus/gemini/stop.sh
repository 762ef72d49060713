#!/bin/sh
# Ends the turn.
echo '{"continue":false,"stopReason":"enough"}'
