#!/bin/sh
# Starts programs that start programs, and waits too long.
(
  (sleep 0.9; echo alive >grandchild.txt) &
  wait
) &
wait
