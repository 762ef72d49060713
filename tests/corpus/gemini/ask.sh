#!/bin/sh
# Has Gemini ask.
echo '{"decision":"ask","reason":"ask first"}'
