"""Parts of an event whose names the engine knows, as dicts with attribute access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["Record"]


class Record(dict[str, Any]):
    """A dict whose keys can be read and written as attributes: ``event.response.usage.total_tokens``.

    A key that is missing is an ``AttributeError``; a key that is also a dict method (``items``) is read with ``[…]``.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            known = ", ".join(self) or "nothing"
            raise AttributeError(f"no field {name!r} here; there is {known}", name=name, obj=self) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError:
            raise AttributeError(f"no field {name!r} to delete", name=name, obj=self) from None


if TYPE_CHECKING:
    # What the records of events hold, for type checkers and editors. At run time each of them is a Record, which may
    # lack any field.
    class _CallContext(Record):
        """The ``context`` of ``PreToolUse``."""

        working_directory: str
        recent_tools: list[Any]
        token_usage: Record

    class _ToolRecord(Record):
        """The ``result`` of ``PostToolUse``."""

        success: bool
        output: Any
        exit_code: int
        duration: float
        """Milliseconds."""

    class _ModelRecord(Record):
        """The ``response`` of ``GenerateEnd``."""

        text: str
        tool_calls: list[Any]
        usage: Record
        duration: float
        """Milliseconds."""
