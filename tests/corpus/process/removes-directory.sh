#!/bin/sh
# Deletes the directory that it runs in.
cat >/dev/null
rm -rf "$PWD"
