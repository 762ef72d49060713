#!/bin/sh
# Notes the variables that its system promises.
cat >/dev/null
env | grep -E '^(CLAUDE|GEMINI|CURSOR|FACTORY|HOOK|HOOKWEAVE|COPILOT)[A-Z_]*=' | sort >environment.txt
exit 0
