#!/bin/sh
# Gives context at the top of its answer.
echo '{"additionalContext":"on branch main"}'
