#!/usr/bin/env python3
# Reads its input only after a while.
import sys
import time

time.sleep(0.1)
text = sys.stdin.read()
if len(text) > 300_000:
    print(f"read {len(text) // 100_000}00 thousand characters", file=sys.stderr)
    sys.exit(2)
