"""What hooks made of an event as plain data, compared with a file beside the test."""

from __future__ import annotations

import difflib
import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from .. import _native
from .._native import Outcome
from ..session_results import Generation, ToolOutcome
from ._judged import Judged, describe, outcomes

__all__ = ["assert_matches_snapshot", "trace_snapshot"]

FOLDER: Final = "hookweave-snapshots"
"""The folder beside a test in which its snapshots are."""

_HERE: Final = str(Path(__file__).parent)


def trace_snapshot(outcome: Judged, *, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What hooks made of it as plain data that is the same in every run and language.

    It has no times and ids. Folders of this machine have names in it, such as ``<tmp>``; ``names`` adds texts of the
    test's own, each with what stands for it.
    """
    given = [(text, name, False) for text, name in (names or {}).items()]
    traces = [_native.outcome_snapshot(single, [*given, *_stands(single)]) for single in outcomes(outcome)]
    if isinstance(outcome, ToolOutcome):
        call = {"ran": outcome.ran, "ok": outcome.ok, "decision": outcome.decision}
        return {**call, "attempts": outcome.attempts, "events": traces}
    if isinstance(outcome, Generation):
        return {"status": outcome.status, "model_calls": outcome.model_calls, "events": traces}
    return traces[0]


def assert_matches_snapshot(outcome: Judged, name: str, *, names: Mapping[str, str] | None = None) -> None:
    """It is what the file ``hookweave-snapshots/<test file>/<name>.json`` beside the test says.

    ``pytest --hookweave-update``, or ``HOOKWEAVE_UPDATE=1`` in the environment, writes the file.
    """
    __tracebackhide__ = True
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name) is None:
        raise ValueError(f"{name!r} is no name of a snapshot: letters, digits, `.`, `_` and `-` are")
    test = _test_file()
    file = test.parent / FOLDER / test.stem / f"{name}.json"
    came = json.dumps(trace_snapshot(outcome, names=names), indent=2, ensure_ascii=False) + "\n"
    if _updates():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(came, encoding="utf-8", newline="\n")
        return
    if not file.exists():
        raise AssertionError(f"there is no snapshot {file}{_HINT}\n\n{came}")
    expected = file.read_text(encoding="utf-8")
    if came != expected:
        lines = difflib.unified_diff(expected.splitlines(), came.splitlines(), "the snapshot", "what came", lineterm="")
        difference = "\n".join(lines)
        raise AssertionError(f"it is not as in {file}{_HINT}\n\n{difference}\n\n{describe(outcome)}")


_HINT: Final = "; `--hookweave-update` or HOOKWEAVE_UPDATE=1 writes it"


def _plugin() -> Any:
    """What the pytest plugin knows of the test that runs; None without it."""
    return getattr(sys.modules.get("hookweave_pytest"), "current_test", None)


def _updates() -> bool:
    return os.environ.get("HOOKWEAVE_UPDATE", "") not in ("", "0") or getattr(_plugin(), "updates", False)


def _test_file() -> Path:
    """The file of the test that runs under pytest, and else the one that calls."""
    file: Path | None = getattr(_plugin(), "file", None)
    if file is not None:
        return file
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return Path(frame.f_code.co_filename).resolve()


def _stands(outcome: Outcome[Any]) -> list[tuple[str, str, bool]]:
    """What differs from run to run or from machine to machine, and what stands for it."""
    event = outcome.event
    stands = [(event.session_id, "<session>", False)]
    if isinstance(call := getattr(event, "tool_use_id", None), str):
        stands.append((call, "<call>", False))
    places: list[tuple[Path | None, str]] = [
        (getattr(_plugin(), "folder", None), "<tmp_path>"),
        (Path.cwd(), "<cwd>"),
        (Path.home(), "<home>"),
        (Path(tempfile.gettempdir()), "<tmp>"),
    ]
    for place, name in places:
        if place is not None:
            # A folder for temporary files is often reached by a link.
            stands += [(text, name, name == "<tmp>") for text in dict.fromkeys((str(place), str(place.resolve())))]
    return stands
