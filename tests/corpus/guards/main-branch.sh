#!/usr/bin/env bash
# Blocks commits while the main branch is checked out.
set -euo pipefail
command=$(cat)
[[ $command == *"git commit"* ]] || exit 0
head=$(<"$CLAUDE_PROJECT_DIR/.git/HEAD")
if [[ ${head##*/} == main ]]; then
  echo "make a branch first: git switch -c <name>" >&2
  exit 2
fi
