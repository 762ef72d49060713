#!/usr/bin/env node
// Fails with an exception.
throw new Error("thrown by the hook");
