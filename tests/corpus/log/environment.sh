#!/bin/sh
# Notes the variables that its system promises.
cat >/dev/null
env | grep -E '^((CLAUDE|GEMINI|CURSOR|HOOK|HOOKWEAVE|COPILOT)[A-Z_]*|[A-Z]+_PROJECT_DIR)=' | sort >environment.txt
exit 0
