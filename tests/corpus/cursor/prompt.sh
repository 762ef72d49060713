#!/bin/sh
# Does not let a prompt pass.
cat >/dev/null
echo '{"continue":false,"user_message":"Not in this project"}'
