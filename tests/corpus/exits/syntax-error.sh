#!/bin/sh
# Cannot be read by the shell, which ends with 2.
if true; then
  echo 'never said'
