#!/bin/sh
# Is killed by a signal.
kill -9 $$
