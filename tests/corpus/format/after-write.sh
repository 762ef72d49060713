#!/bin/sh
# Formats a file after it was written, and says nothing.
path=$(sed -n 's/.*"file_path" *: *"\([^"]*\)".*/\1/p')
tr '\t' ' ' <"$path" >"$path.formatted"
mv "$path.formatted" "$path"
