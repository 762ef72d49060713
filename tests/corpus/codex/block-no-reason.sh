#!/bin/sh
# Refuses without a reason, which Codex takes for a failure.
echo '{"decision":"block"}'
