#!/usr/bin/env python3
# Fails with an exception.
import json
import sys

json.load(sys.stdin)["no such field"]
