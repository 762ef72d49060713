#!/usr/bin/env python3
# Prints JSON that is nested too deep to be read.
import sys

sys.stdin.read()
print('{"decision":"block","reason":"deep","x":' + "[" * 5000 + "]" * 5000 + "}")
