#!/bin/sh
# Allows a call in the older form.
echo '{"decision":"approve","reason":"older"}'
