#!/bin/sh
# Keeps Codex working.
echo '{"decision":"block","reason":"run the tests"}'
