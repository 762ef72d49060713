#!/bin/sh
# Cargo calls this in place of the compiler for the crates of this workspace (RUSTC_WORKSPACE_WRAPPER): only they are built
# with the checker's locks, and what they depend on is shared with the ordinary tests.
exec "$@" --cfg shuttle
