#!/bin/sh
# Starts programs that start programs, and waits too long: one of them holds a pipe open for as long as it lives.
mkfifo fifo
(
  (exec 3<>fifo; : >begun; until [ "$((n += 1))" -gt 1200 ]; do sleep 0.1; done; echo alive >grandchild.txt) &
  wait
) &
wait
