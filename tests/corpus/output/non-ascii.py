#!/usr/bin/env python3
# Refuses in several scripts, as bytes of UTF-8 in any locale.
import sys

sys.stdin.buffer.read()
sys.stderr.buffer.write("Nicht erlaubt: größer als 5 €. 禁止 🚫\n".encode())
sys.exit(2)
