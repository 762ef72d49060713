"""Hooks from files: what loading, reloading, linting and trusting give back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from . import _native

__all__ = [
    "Change",
    "Finding",
    "FoundFile",
    "LoadReport",
    "Origin",
    "Problem",
    "ReloadReport",
    "TrustStore",
    "TrustedHook",
    "UntrustedHook",
    "WireAnswer",
]

Scope: TypeAlias = Literal["managed", "user", "project", "local", "agent", "callback"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a hook stands: in a file that declares it, or where its function is defined."""

    file: Path
    place: str
    """The place in the file, for example ``hooks.PreToolUse[0].hooks[1]``, or the function's name."""
    line: int | None
    scope: Scope
    """Whose file that is; of places that declare the same each has its own."""
    dialect: str
    runs: str
    """The command line, the method and address of a request without its secrets, or the function with its module."""
    also: tuple[Origin, ...] = ()
    """Further places that declare the same, as two files that use one policy do."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that could not be taken, or that will surprise."""

    file: Path
    place: str
    line: int | None
    column: int | None
    """From 1, in characters."""
    message: str
    fatal: bool
    """Whether the entry was left out because of it."""

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return f"{where}: {self.place}: {self.message}" if self.place else f"{where}: {self.message}"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a linter says of a file; ``rule`` names the check."""

    rule: str
    severity: Literal["error", "warning", "note"]
    """An error: a hook does not work. A warning: a likely mistake. A note: nothing has to be fixed."""
    file: Path
    place: str
    line: int | None
    column: int | None
    """From 1, in characters."""
    message: str
    fatal: bool
    """Whether the entry is left out because of it."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that was read."""

    file: Path
    dialect: str
    scope: Scope
    hooks: int
    broken: bool
    note: str | None


@dataclass(frozen=True, slots=True)
class TrustedHook:
    """What an approval covers: the entry as it stands in the file, its project, and the content of its scripts."""

    fingerprint: str
    """``sha256:`` and 64 digits."""
    project: Path
    file: Path
    place: str
    """The place in the file, for example ``hooks.PreToolUse[0].hooks[1]``."""
    dialect: str
    event: str
    """The event as the file names it; empty for a switch."""
    runs: str
    """What runs, or what the switch does."""
    approved_at: int
    """Milliseconds since the epoch; 0 before."""
    covers: tuple[str, ...] = ()
    """What the fingerprint was made of: a line for the entry, and one for each file with its hash."""
    replaces: tuple[str, ...] = ()
    """The fingerprints of earlier approvals of the same hook, which this one replaces."""


@dataclass(frozen=True, slots=True)
class UntrustedHook:
    """A hook, or a file's switches, that counts only when a person approves it."""

    approval: TrustedHook
    """What :meth:`TrustStore.approve` stores."""
    scope: Scope
    line: int | None
    scripts: tuple[Path, ...]
    """The scripts that an approval covers."""
    why: str


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What came of loading."""

    hooks: tuple[str, ...]
    """The ids of the hooks that are in force now, in order."""
    found: tuple[FoundFile, ...]
    untrusted: tuple[UntrustedHook, ...]
    """Hooks that do not run because they are not approved, or changed since."""
    problems: tuple[Problem, ...]
    options: Mapping[str, Any]
    """Settings for the client that the files hold; they are the host's to apply."""


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one hook in a reload; ``weaker`` says why it may protect less than before."""

    name: str
    origin: Origin | None
    source: str
    what: tuple[str, ...]
    weaker: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReloadReport(LoadReport):
    """What came of a reload, beside what is in force now."""

    added: tuple[Change, ...] = ()
    removed: tuple[Change, ...] = ()
    changed: tuple[Change, ...] = ()
    kept: tuple[str, ...] = ()
    """Why old hooks stayed in force: a file that cannot be read, or a hook that blocked the change."""


@dataclass(frozen=True, slots=True)
class WireAnswer:
    """What a hook command leaves for the agent that started it."""

    exit_code: int
    stdout: str
    stderr: str
    degraded: tuple[str, ...] = field(default=())
    """What the dialect cannot express, and what became of it: always something stricter."""


class TrustStore:
    """What a person has approved: a file of the user's that only the user can write.

    ``path`` names another file than the usual one.
    """

    __slots__ = ("path",)

    path: str | None
    """The file; None for the usual one."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else os.fspath(path)

    def approve(self, hooks: UntrustedHook | Iterable[UntrustedHook]) -> None:
        """Approves hooks as they are now; one that changes later has to be approved again."""
        given = [hooks] if isinstance(hooks, UntrustedHook) else list(hooks)
        _native.approve([_approval(hook.approval) for hook in given], self.path)

    def approved(self) -> list[TrustedHook]:
        """Everything that is approved."""
        return [_trusted(record) for record in _native.approved(self.path)]

    def revoke(self, fingerprints: Iterable[str]) -> int:
        """Takes approvals back; gives how many there were."""
        return _native.revoke(list(fingerprints), self.path)


def origin_of(record: Mapping[str, Any] | None) -> Origin | None:
    """An origin from the core's record."""
    if record is None:
        return None
    also = tuple(origin for further in record.get("also", ()) if (origin := origin_of(further)))
    file, scope = Path(record["file"]), record["scope"]
    return Origin(file, record["place"], record.get("line"), scope, record["dialect"], record["runs"], also)


def _problem(record: Mapping[str, Any]) -> Problem:
    return Problem(**{**record, "file": Path(record["file"])})


def _found(record: Mapping[str, Any]) -> FoundFile:
    return FoundFile(**{**record, "file": Path(record["file"])})


def _trusted(record: Mapping[str, Any]) -> TrustedHook:
    paths = {name: Path(record[name]) for name in ("project", "file")}
    texts = {name: tuple(record[name]) for name in ("covers", "replaces")}
    return TrustedHook(**{**record, **paths, **texts})


def _approval(hook: TrustedHook) -> dict[str, Any]:
    return {**asdict(hook), "project": str(hook.project), "file": str(hook.file)}


def _untrusted(record: Mapping[str, Any]) -> UntrustedHook:
    scripts = tuple(Path(script) for script in record["scripts"])
    return UntrustedHook(**{**record, "approval": _trusted(record["approval"]), "scripts": scripts})


def _change(record: Mapping[str, Any]) -> Change:
    return Change(
        record["name"], origin_of(record["origin"]), record["source"], tuple(record["what"]), tuple(record["weaker"])
    )


def load_report(record: Mapping[str, Any]) -> LoadReport:
    """A report from the core's record."""
    return LoadReport(**_common(record))


def _common(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "hooks": tuple(record["hooks"]),
        "found": tuple(map(_found, record["found"])),
        "untrusted": tuple(map(_untrusted, record["untrusted"])),
        "problems": tuple(map(_problem, record["problems"])),
        "options": record["options"],
    }


def reload_report(record: Mapping[str, Any]) -> ReloadReport:
    """A report of a reload from the core's record."""
    return ReloadReport(
        **_common(record),
        added=tuple(map(_change, record["added"])),
        removed=tuple(map(_change, record["removed"])),
        changed=tuple(map(_change, record["changed"])),
        kept=tuple(record["kept"]),
    )


def wire_answer(parts: tuple[int, str, str, list[str]]) -> WireAnswer:
    """An answer from the core's parts."""
    exit_code, stdout, stderr, degraded = parts
    return WireAnswer(exit_code, stdout, stderr, tuple(degraded))


def findings(records: Iterable[Mapping[str, Any]]) -> list[Finding]:
    """Findings from the core's records."""
    return [Finding(**{**record, "file": Path(record["file"])}) for record in records]


async def reload(client: _native.Client) -> ReloadReport:
    """Reads the loaded files of a client again, unless a hook on ``ConfigChange`` blocks it."""
    prepared, questions = _native.prepare_reload(client)
    for question in questions:
        outcome = await client.dispatch("ConfigChange", question)
        if outcome.blocked:
            return reload_report(_native.keep_hooks(client, outcome.reason or "a hook blocked the change"))
    return reload_report(_native.apply_reload(client, prepared))


def reload_sync(client: _native.Client) -> ReloadReport:
    """The same without an event loop."""
    prepared, questions = _native.prepare_reload(client)
    for question in questions:
        outcome = client.dispatch_sync("ConfigChange", question)
        if outcome.blocked:
            return reload_report(_native.keep_hooks(client, outcome.reason or "a hook blocked the change"))
    return reload_report(_native.apply_reload(client, prepared))
