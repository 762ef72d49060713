"""Goes on with an agent that waits for a person: another process than the one in which it began."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from pathlib import Path

from world import DONE, How, World


async def main(module: str) -> None:
    """Reads what was stored, and prints what came of it."""
    given = json.load(sys.stdin)
    world: World = getattr(World(), given["policy"])()
    how = How(asks=True, state=Path(given["state"]), resume=(given["stopped"], given["said"]))
    seen = await importlib.import_module(module).run(world, [DONE], how)
    if seen.raised is not None:
        raise seen.raised
    denied = world.count("PermissionDenied")
    print(json.dumps({"ran": world.ran, "requests": seen.requests, "final": seen.final, "denied": denied}))


asyncio.run(main(sys.argv[1]))
