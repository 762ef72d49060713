"""The size of a payload must not matter to hooks that live in Python."""

from __future__ import annotations

from typing import Any

from harness import main
from subjects import PAYLOAD, Payload, client_with, dispatching, silent

TEXT = "x" * 100_000
OBJECTS = [{"id": number, "name": f"file{number}.py", "lines": [1, 2, 3]} for number in range(1_500)]


async def reads(event: Any) -> None:
    """A hook that looks into the arguments, as most do."""
    len(event.args["command"])


def with_args(**args: Any) -> Payload:
    """The usual payload with other arguments."""
    return {**PAYLOAD, "args": args}


main(
    {
        "small, read": dispatching(client_with(reads, 1)),
        "100 KB string, read": dispatching(client_with(reads, 1), with_args(command=TEXT)),
        "small, untouched": dispatching(client_with(silent, 1)),
        "1,500 objects, untouched": dispatching(client_with(silent, 1), with_args(command="ls", files=OBJECTS)),
    }
)
