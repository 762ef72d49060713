#!/bin/sh
# Starts programs that start programs, and waits too long: one of them writes a file once it may.
(
  (until test -e go || [ "$((n += 1))" -gt 600 ]; do sleep 0.1; done; echo alive >grandchild.txt) &
  wait
) &
wait
