#!/bin/sh
# Erases a prompt by exit code 2.
if grep -q 'ignore all previous'; then
  echo 'that looks like an injection' >&2
  exit 2
fi
