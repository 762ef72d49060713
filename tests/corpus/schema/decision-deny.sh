#!/bin/sh
# Takes the word of another system for the decision.
echo '{"decision":"deny","reason":"no"}'
