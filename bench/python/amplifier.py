"""Callbacks in Python: amplifier-core, whose registry runs hooks on a Rust runtime's threads."""

from __future__ import annotations

from typing import Any

from amplifier_core.hooks import HookRegistry, HookResult
from harness import Variant, main
from subjects import PAYLOAD


async def silent(event: str, data: dict[str, Any]) -> HookResult:
    """A hook that lets everything pass."""
    return HookResult(action="continue")


def emitting(hooks: int) -> Variant:
    """Emits one event to so many hooks."""
    registry = HookRegistry()
    for number in range(hooks):
        registry.register("tool:pre", silent, 0, f"hook{number}")

    async def run(count: int) -> None:
        for _ in range(count):
            await registry.emit("tool:pre", PAYLOAD)

    return run


main({f"amplifier-core, {hooks} hooks": emitting(hooks) for hooks in (0, 1, 10)}, "amplifier-core")
