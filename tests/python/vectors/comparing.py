"""Holds what came of a dispatch against what its case expects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hookweave import HookweaveError, Outcome

from .file_hooks import Place
from .hooks import World
from .values import fits
from .wire import wire_faults

APART = ("saw", "requests", "late", "records", "stats")


class Mismatch(AssertionError):
    """What a case expects did not come."""


def check(faults: list[str]) -> None:
    """Fails with all faults."""
    if faults:
        raise Mismatch("\n".join(faults))


def refused(wanted: dict[str, Any], act: Callable[[], Any]) -> None:
    """Checks that something is refused with this code and message."""
    try:
        act()
    except HookweaveError as error:
        check(error_faults(wanted, error))
        return
    raise Mismatch(f"not refused; expected {wanted}")


def error_faults(wanted: dict[str, Any], error: BaseException) -> list[str]:
    """Where an error is not the expected one."""
    code = getattr(error, "code", None)
    if code != wanted["code"]:
        return [f"code {code!r} is not {wanted['code']!r}: {error!r}"]
    texts = wanted.get("contains", [])
    return fits({"$contains": texts}, str(error), "message")


class Comparison:
    """Compares the results of one case."""

    def __init__(self, world: World, place: Place | None) -> None:
        self.world = world
        self.place = place

    def each(self, expects: list[dict[str, Any]], outcomes: list[Outcome[Any]]) -> None:
        """Each outcome fits another expectation, in any order."""
        left = list(outcomes)
        for expect in expects:
            for outcome in left:
                if not self.faults(expect, outcome):
                    left.remove(outcome)
                    break
            else:
                raise Mismatch(f"no outcome fits {expect}: {[one.to_dict() for one in left]}")
        check(self.world.faults)

    def one(self, expect: dict[str, Any], result: Any) -> None:
        """One result fits its expectation, and no hook saw anything wrong."""
        check([*self.faults(expect, result), *self.world.faults])

    def faults(self, expect: dict[str, Any], result: Any) -> list[str]:
        """Where a dispatch's result differs from what is expected."""
        world = self.world
        world.mutate_kept()
        faults: list[str] = [] if self.place is None else self.place.faults(expect)
        late, world.late[:] = sorted(world.late, key=lambda answer: str(answer["hook"])), []
        if "late" in expect:
            faults += fits(expect["late"], late, "late")
        if "records" in expect:
            faults += fits(expect["records"], world.take_records(), "records")
        if "stats" in expect:
            faults += fits(expect["stats"], world.client.stats().to_dict(), "stats")
        rest = {name: one for name, one in expect.items() if name not in APART}
        if "error" in rest:
            wanted = rest.pop("error")
            if not isinstance(result, HookweaveError):
                return [f"no error; expected {wanted}, got {result.to_dict()}"]
            faults += error_faults(wanted, result)
        elif isinstance(result, HookweaveError):
            return [f"unexpected {result!r}"]
        if rest.pop("cancelled", False) and result is not True:
            return [f"not cancelled: {result!r}"]
        if "ran" in rest:
            faults += fits(rest.pop("ran"), list(world.ran), "ran")
        for name, count in rest.pop("runs", {}).items():
            faults += fits(count, world.runs.get(name, 0), f"runs.{name}")
        if "hooks_left" in rest:
            names = sorted(hook.name for hook in world.client.list_hooks())
            faults += fits(sorted(rest.pop("hooks_left")), names, "hooks_left")
        if "unmatched" in rest:
            wanted = rest.pop("unmatched")
            got = [{"hook": one.hook, "why": one.why} for one in result.unmatched]
            faults += fits([_explained(one) for one in wanted], got, "unmatched")
        if "to_wire" in rest:
            faults += wire_faults(rest.pop("to_wire"), result, error_faults)
        if rest:
            canonical = result.to_dict()
            last = {entry["hook"]: entry for entry in canonical.get("trace", [])}
            faults += fits(rest.pop("trace_of", {}), last, "trace_of")
            faults += fits(rest, canonical)
        return faults

    def explain(self, expect: dict[str, Any], arguments: tuple[Any, ...]) -> None:
        """Explains instead of dispatching."""
        if "error" in expect:
            refused(expect["error"], lambda: self.world.client.explain(*arguments))
            return
        explanation = self.world.client.explain(*arguments)
        got = [{"hook": hook.hook, "matched": hook.matched, "why": hook.why} for hook in explanation.hooks]
        check(fits([_explained(one) for one in expect["explain"]], got, "explain"))
        check([] if self.place is None else self.place.faults(expect))


def _explained(wanted: dict[str, Any]) -> dict[str, Any]:
    pattern = {name: value for name, value in wanted.items() if name != "why_contains"}
    if "why_contains" in wanted:
        pattern["why"] = {"$contains": wanted["why_contains"]}
    return pattern
