#!/bin/sh
# Refuses in the older form.
echo '{"decision":"block","reason":"older form"}'
