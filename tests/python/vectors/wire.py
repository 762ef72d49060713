"""Events in the words of another agent, and outcomes in theirs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hookweave import Event, HookweaveError, Outcome

from .values import ESCAPES, MISSING, fits


def event_of(sent: dict[str, Any]) -> Event:
    """The event that an agent has sent."""
    return Event.from_wire(sent["dialect"], sent["data"])


def wire_faults(
    wanted: dict[str, Any],
    outcome: Outcome[Any],
    error_faults: Callable[[dict[str, Any], BaseException], list[str]],
) -> list[str]:
    """Where what an outcome leaves for an agent is not as expected."""
    try:
        answer = outcome.to_wire(wanted["dialect"])
    except HookweaveError as error:
        return error_faults(wanted["error"], error) if "error" in wanted else [f"to_wire: unexpected {error!r}"]
    if "error" in wanted:
        return [f"to_wire: not refused; expected {wanted['error']}"]
    got: dict[str, Any] = {name: getattr(answer, name, MISSING) for name in wanted}
    got["dialect"] = wanted["dialect"]
    pattern = wanted.get("stdout")
    # A pattern that is an object is one for the JSON that is printed.
    if isinstance(pattern, dict) and not pattern.keys() & {"$contains", *ESCAPES}:
        got["stdout"] = json.loads(answer.stdout) if answer.stdout else MISSING
    return fits(wanted, got, "to_wire")
