"""A client's audit log."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from . import _greenlets, _native

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from ._audit_delivery import Delivery
    from .audit import AuditLevel, AuditOptions

__all__ = ["ClientAudit"]

FLUSH_SECONDS: Final = 5.0
"""How long the end of a client waits for what is not yet written."""


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the core reads them."""
    from datetime import timedelta

    plain = dict(options)
    if plain.get("file") is not None:
        plain["file"] = os.fspath(plain["file"])
    if isinstance(plain.get("rotation"), Mapping):
        rotation = dict(plain["rotation"])
        if isinstance(rotation.get("max_age"), timedelta):
            rotation["max_age"] = rotation["max_age"].total_seconds()
        plain["rotation"] = rotation
    if isinstance(plain.get("redact"), Mapping):
        plain["redact"] = {
            name: list(given) if isinstance(given, (tuple, set, frozenset)) else given
            for name, given in plain["redact"].items()
        }
    return plain


def _is_path(text: str) -> bool:
    """Whether a text is a path rather than a level, which is one word."""
    return any(mark in text for mark in "/\\.")


class ClientAudit(_native.Client):
    """The part of the client that keeps an audit log; the client has the slots."""

    __slots__ = ()
    _delivery: Delivery | None

    def configure_audit(self, audit: AuditLevel | AuditOptions | str | os.PathLike[str]) -> None:
        """Opens the audit log as it is to be from now on; what happened before is written to where it went before.

        A level alone sends records to the logger ``hookweave.audit``, the path of a file alone to that file. Raises
        :class:`InvalidOptionError` for options that make no sense, and :class:`AuditError` when the file cannot be
        written.
        """
        import inspect

        from ._audit_delivery import Delivery, log_record
        from .errors import InvalidOptionError

        if isinstance(audit, os.PathLike) or (isinstance(audit, str) and _is_path(audit)):
            audit = {"file": audit}
        options = {"level": audit} if isinstance(audit, str) else _plain(audit)
        callback, log = options.pop("callback", None), options.pop("log", None)
        if callback is not None and not callable(callback):
            raise InvalidOptionError(f"audit.callback: must be a function, is {callback!r}")
        if inspect.iscoroutinefunction(callback):
            raise InvalidOptionError("audit.callback: nothing awaits it; give a function that is not async")
        if log is not None and not isinstance(log, bool):
            raise InvalidOptionError(f"audit.log: must be True or False, is {log!r}")
        listeners: tuple[Callable[[dict[str, Any]], object], ...] = () if callback is None else (callback,)
        if log or (log is None and not listeners and options.get("file") is None and options.get("level") != "off"):
            listeners += (log_record,)
        self._end_delivery()
        queue = _greenlets.completion_queue() if listeners else None
        outbox = _native.configure_audit(self, options, bool(listeners), queue)
        if outbox is not None:
            self._delivery = Delivery(outbox, listeners, queue)

    def set_hook_audit_level(self, level: AuditLevel) -> None:
        """Changes how much is recorded: ``off``, ``error``, ``info`` or ``verbose``.

        Where no log was opened, records go to the logger ``hookweave.audit`` from here on.
        """
        if not _native.set_audit_level(self, level) and level != "off":
            self.configure_audit(level)

    def flush_audit(self, timeout: float = FLUSH_SECONDS) -> bool:
        """Waits until everything that happened is written and handed on; False when the seconds were over first."""
        written = self._flush_native(timeout)
        return (self._delivery is None or self._delivery.drain(timeout)) and written

    def _flush_native(self, timeout: float) -> bool:
        if self._delivery is not None and self._delivery.is_green:
            # The log may wait for room in what a greenlet has to empty.
            return _greenlets.wait_until(lambda: _native.flush_audit(self, 0.0), timeout)
        return _native.flush_audit(self, timeout)

    @property
    def audit_level(self) -> str:
        """How much is recorded."""
        return _native.audit_state(self)[0]

    @property
    def audit_file(self) -> str | None:
        """The file that this process writes: its own in a forked child, or where another one holds the one named."""
        return _native.audit_state(self)[1]

    @property
    def audit_anchor(self) -> str | None:
        """The last record that was written, also after the client was closed; None before the first one.

        Kept elsewhere, it proves later that nothing is missing.
        """
        return _native.audit_state(self)[2]

    @property
    def audit_trouble(self) -> str | None:
        """What keeps the log from being written; None when nothing does."""
        return _native.audit_state(self)[3]

    def _end_delivery(self) -> None:
        if self._delivery is not None and self._delivery.is_green:
            self._flush_native(FLUSH_SECONDS)
        delivery, self._delivery = self._delivery, None
        if delivery is not None:
            # What happened so far belongs to the listeners until now.
            _native.close_audit(self, FLUSH_SECONDS)
            delivery.close(FLUSH_SECONDS)

    def _end_audit(self) -> None:
        """Writes what is left and records nothing more."""
        if self._delivery is not None and self._delivery.is_green:
            self._flush_native(FLUSH_SECONDS)
        _native.close_audit(self, FLUSH_SECONDS)
        self._end_delivery()
