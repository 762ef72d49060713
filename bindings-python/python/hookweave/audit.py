"""The audit log: how it is set up, and how to prove that one is whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, TypedDict

from . import _native

__all__ = ["AuditLevel", "AuditOptions", "AuditProblem", "AuditReport", "AuditTorn", "Redact", "Rotation", "verify"]

AuditLevel = Literal["off", "error", "info", "verbose"]
"""How much is recorded."""


class Rotation(TypedDict, total=False):
    """When a new file is begun, and how many old ones are kept."""

    max_bytes: int | None
    """64 MiB unless given; None for no limit."""
    max_age: float | timedelta | None
    """Seconds; None for no limit."""
    keep: int | None
    """Old files; None keeps all."""


class Redact(TypedDict, total=False):
    """What is blacked out before anything is hashed or written."""

    defaults: bool
    """Whether the usual names and forms of secrets count; True unless given."""
    keys: Sequence[str]
    """Names of fields whose values are secrets."""
    patterns: Sequence[str]
    """Regular expressions of secrets; of one with a group ``secret`` only that is blacked out."""


class AuditOptions(TypedDict, total=False):
    """How an audit log is kept."""

    level: AuditLevel
    """``info`` unless given."""
    inputs: Literal["digest", "redacted", "full"]
    """What is recorded of an event's payload; ``digest`` unless given."""
    file: str | os.PathLike[str]
    """The file that is written."""
    rotation: Rotation
    fsync: Literal["never", "grouped", "record"]
    """When the file is synced to the disk; default ``never``."""
    required: bool
    """Whether a gate that cannot be recorded is blocked; needs a ``file``."""
    queue: int
    """How many happenings wait for the writer at most; 8,192 unless given."""
    redact: Redact
    key: str
    """The key of digests; a random one unless given."""
    callback: Callable[[dict[str, Any]], object]
    """Called with each record, in order, on a thread of its own."""
    log: bool
    """Whether records go to the logger ``hookweave.audit``; only where there is no other destination unless given."""


@dataclass(frozen=True, slots=True)
class AuditProblem:
    """Something wrong with a log."""

    kind: Literal["edited", "replaced", "missing", "misplaced", "truncated"]
    file: str
    line: int
    """From 1."""
    seq: int
    """The number of the first record concerned, where it is known."""
    what: str


@dataclass(frozen=True, slots=True)
class AuditTorn:
    """A line that its writer did not finish."""

    file: str
    line: int
    bytes: int
    confirmed: bool
    """The next writer has recorded the same; otherwise the log may have been cut off here."""


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The result of verifying a log; true where nothing is wrong with it."""

    whole: bool
    """Whether this chain and those of other processes have no problem; one without records has."""
    records: int
    files: tuple[str, ...]
    last: str | None
    """The last record: keep it elsewhere, and give it as ``anchor`` when the log is verified again."""
    anchored: bool | None
    """Whether the anchor's record is there as it was; None when no anchor was given."""
    begins: int | None
    """The first record that is still there, when rotation has removed older ones and recorded that."""
    lost: int
    """Records that could not be written, as the log itself says."""
    torn: tuple[AuditTorn, ...]
    problems: tuple[AuditProblem, ...]
    """The first place first; at most a hundred."""
    others: tuple[AuditReport, ...]
    """The chains of processes that found another one writing."""

    def __bool__(self) -> bool:
        return self.whole and self.anchored is not False


def _report(given: dict[str, Any]) -> AuditReport:
    return AuditReport(
        **{
            **given,
            "files": tuple(given["files"]),
            "torn": tuple(AuditTorn(**torn) for torn in given["torn"]),
            "problems": tuple(AuditProblem(**problem) for problem in given["problems"]),
            "others": tuple(_report(other) for other in given["others"]),
        }
    )


def verify(path: str | os.PathLike[str], anchor: str | None = None) -> AuditReport:
    """Proves that a log is whole, over all of its files, or says where it is not.

    Without an anchor, missing records at the end and a rewritten log are not detected. Raises
    :class:`AuditError` when the log cannot be read, and :class:`InvalidOptionError` for an anchor that is none.
    """
    return _report(_native.verify_audit(os.fspath(path), anchor))
