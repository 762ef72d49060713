#!/bin/sh
# Notifies the user outside of the agent; it is not awaited.
cat >notified.json
