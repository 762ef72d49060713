#!/bin/sh
# Refuses patches of generated files.
if grep -q 'Update File: [^ ]*generated'; then
  echo 'generated files are not edited' >&2
  exit 2
fi
