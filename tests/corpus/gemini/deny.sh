#!/bin/sh
# Denies in Gemini's own words.
cat >/dev/null
echo '{"decision":"deny","reason":"denied for Gemini"}'
