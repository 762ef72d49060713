#!/bin/sh
# Makes a directory for a worktree and names it in its last line, behind what git says.
name=$(sed -n 's/.*"name" *: *"\([^"]*\)".*/\1/p')
mkdir -p "worktrees/$name"
echo "Preparing worktree (new branch '$name')"
printf '\033[32m%s\033[0m\n\n' "$PWD/worktrees/$name"
