#!/usr/bin/env python3
# Prints JSON that is nested deeper than anybody reads.
import sys

sys.stdin.read()
print('{"decision":"block","reason":"deep","x":' + "[" * 5000 + "]" * 5000 + "}")
