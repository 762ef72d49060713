#!/bin/sh
# Hides its output from the transcript.
echo '{"suppressOutput":true,"systemMessage":"seen"}'
