#!/bin/sh
# Tells the model about the project when a session begins, as plain text of several lines.
cat >/dev/null
cat <<TEXT
Project: hookweave
Open tasks: $(wc -l <TODO | tr -d ' ')
TEXT
