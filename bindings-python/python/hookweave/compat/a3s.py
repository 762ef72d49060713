"""A3S's client: hooks written for its Python SDK run here unchanged but for the import path.

>>> from hookweave.compat.a3s import A3sClient, HookResponse
>>> client = A3sClient()
>>> @client.hook("PreToolUse", matcher={"tool": "Write", "path_pattern": "*.env"})
... async def guard(event):
...     return HookResponse.block("no secrets in files")
>>> [hook.name for hook in client.list_hooks()]
['guard']

An :class:`A3sClient` is a :class:`~hookweave.HookClient` with the profile ``a3s``: the hooks of an event with equal
priority run together (with ``mode="concurrent"`` all of them), ten of an event and fifty in all, with five seconds
each. Its tools and model are the host's: ``register_tool``, ``register_model``.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self, TypedDict, TypeVar

from .. import _native, events
from .. import response as canonical
from .._registration import is_async
from ..client import HookClient
from ..errors import InvalidHookError
from ..event import Event as HookEvent
from ..events import *  # noqa: F403
from ..temporary_hook import TemporaryHook
from ._dialect import answer_of

__all__ = ["A3sClient", "HookConfig", "HookEvent", "HookMatcher", "HookResponse", "ToolErrorEvent"]
__all__ += events.__all__

H = TypeVar("H", bound=Callable[..., Any])
DIALECT: Final = "a3s"

MATCHER: Final = {"pathPattern": "path_pattern", "commandPattern": "command_pattern"}
CONFIG: Final = {
    "priority": "priority",
    "timeout": "timeout",
    "timeout_ms": "timeout",
    "timeoutMs": "timeout",
    "async": "async",
    "failBehavior": "fail_behavior",
    "fail_behavior": "fail_behavior",
}


class HookMatcher(TypedDict, total=False):
    """What a hook is for; ``pathPattern`` and ``commandPattern`` are known too."""

    tool: str
    """The tool's whole name."""
    path_pattern: str
    command_pattern: str


HookConfig = TypedDict(
    "HookConfig",
    {
        "priority": int,
        "timeout": float,
        "timeout_ms": float,
        "async": bool,
        "fail_behavior": Literal["continue", "block"],
        "failBehavior": Literal["continue", "block"],
    },
    total=False,
)
"""How a hook runs; both timeouts are milliseconds."""


class ToolErrorEvent(events.PostToolUseFailureEvent):
    """A failed tool, called as A3S calls it."""

    __slots__ = ()
    event_name: ClassVar[str | None] = "ToolError"


class HookResponse(canonical.HookResponse):
    """What a hook answers: ``continue_``, ``block``, ``retry`` or ``skip``."""

    __slots__ = ()

    if TYPE_CHECKING:

        @classmethod
        def continue_(cls, **parts: Any) -> Self:
            """No objection; ``modified`` replaces the named fields of the event."""
            raise NotImplementedError

        @classmethod
        def block(cls, reason: str | None = None, **parts: Any) -> Self:
            """Forbids the event; ``reason`` goes to the model."""
            raise NotImplementedError

        @classmethod
        def skip(cls, reason: str | None = None, **parts: Any) -> Self:
            """Passes over the hooks that come after this one."""
            raise NotImplementedError

    @classmethod
    def retry(
        cls,
        reason: str | None = None,
        *,
        delay: float | timedelta | None = None,
        modified: Mapping[str, Any] | None = None,
        inject: canonical.Inject | None = None,
        message: canonical.Show | None = None,
        suppress_output: bool | None = None,
        share: Mapping[str, Any] | None = None,
        ext: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Self:
        """Asks for another attempt after ``delay``, here in milliseconds or as a timedelta."""
        return cls(
            "retry",
            reason=reason,
            delay=timedelta(milliseconds=delay) if isinstance(delay, int | float) else delay,
            modified=modified,
            inject=inject,
            message=message,
            suppress_output=suppress_output,
            share=share,
            ext=ext,
        )


class A3sClient(HookClient):
    """Registers hooks and runs them by A3S's rules; everything else is :class:`~hookweave.HookClient`'s.

    ``config`` is A3S's configuration, as a file or as what stands in one: its ``hooks`` set the client's defaults.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(
            self, *, config: str | os.PathLike[str] | Mapping[str, Any] | None = None, **settings: Any
        ) -> None: ...

    def __new__(cls, *, config: str | os.PathLike[str] | Mapping[str, Any] | None = None, **settings: Any) -> Self:
        """Refuses a configuration with mistakes with :class:`ConfigError`."""
        defaults: dict[str, Any] = {"profile": DIALECT} if config is None else {"profile": DIALECT, **_defaults(config)}
        return super().__new__(cls, **{**defaults, **settings})

    def _register(
        self, event: str | type[HookEvent], handler: Callable[[Any], Any], temporary: bool, options: dict[str, Any]
    ) -> str:
        matcher = options.get("matcher")
        if isinstance(matcher, Mapping):
            options["matcher"] = _matcher(matcher)
        config = options.pop("config", None)
        if config is not None:
            options.update(_options(config))
        given: object = handler
        read = _reading(event, handler) if callable(given) else handler
        return super()._register(event, read, temporary, options)

    if TYPE_CHECKING:

        def hook(  # type: ignore[override]
            self,
            event: str,
            *,
            matcher: HookMatcher | None = None,
            config: HookConfig | None = None,
        ) -> Callable[[H], H]:
            """A decorator that registers its function for an event and gives it back unchanged."""
            raise NotImplementedError

        def register_hook(  # type: ignore[override]
            self,
            event: str,
            handler: Callable[[Any], Any],
            *,
            matcher: HookMatcher | None = None,
            config: HookConfig | None = None,
        ) -> str:
            """Registers a handler for an event and returns the hook's id."""
            raise NotImplementedError

        def temporary_hook(  # type: ignore[override]
            self,
            event: str,
            handler: Callable[[Any], Any],
            *,
            matcher: HookMatcher | None = None,
            config: HookConfig | None = None,
        ) -> TemporaryHook:
            """A hook for the time of a ``with`` or ``async with`` block."""
            raise NotImplementedError


def _defaults(config: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """The client's settings that a configuration sets; the engine reads it."""
    reader = HookClient()
    if isinstance(config, Mapping):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "config.json"
            file.write_text(json.dumps(config), encoding="utf-8")
            options = dict(reader.load(file, dialect=DIALECT, strict=True).options)
    else:
        options = dict(reader.load(config, dialect=DIALECT, strict=True).options)
    if "default_timeout" in options:
        options["default_timeout"] /= 1000
    if "audit_level" in options:
        options["audit"] = options.pop("audit_level")
    return options


def _matcher(matcher: Mapping[str, Any]) -> dict[str, Any]:
    """The engine's matcher: its field for a tool takes patterns, A3S's a whole name."""
    own = {MATCHER.get(name, name): value for name, value in matcher.items()}
    if isinstance(own.get("tool"), str):
        own["tool"] = _native.exact_pattern(own["tool"])
    return own


def _options(config: Mapping[str, Any]) -> dict[str, Any]:
    """The engine's options of a hook's configuration."""
    options: dict[str, Any] = {}
    for name, value in config.items():
        if name not in CONFIG:
            raise InvalidHookError(f"a hook's config has no `{name}`; known are {', '.join(sorted(CONFIG))}")
        known = isinstance(value, int | float) and not isinstance(value, bool)
        options[CONFIG[name]] = timedelta(milliseconds=value) if CONFIG[name] == "timeout" and known else value
    return options


def _reading(name: str | type[HookEvent], handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The handler, given its event under A3S's name; answers that are plain dicts are read as A3S means them."""
    named = _tool_error if name in ("ToolError", ToolErrorEvent) else _as_it_is
    if is_async(handler):

        @functools.wraps(handler)
        async def waited(event: HookEvent) -> Any:
            return _read(await handler(named(event)), event)

        return waited

    @functools.wraps(handler)
    def called(event: HookEvent) -> Any:
        result = handler(named(event))
        return _later(result, event) if inspect.isawaitable(result) else _read(result, event)

    return called


def _as_it_is(event: HookEvent) -> HookEvent:
    return event


def _tool_error(event: HookEvent) -> ToolErrorEvent:
    fields = event.to_dict()
    del fields["event_type"]
    return ToolErrorEvent(**fields)


async def _later(result: Any, event: HookEvent) -> Any:
    return _read(await result, event)


def _read(result: Any, event: HookEvent) -> Any:
    if not isinstance(result, Mapping):
        return result
    plain = dict(result)
    delay = plain.get("delay")
    if isinstance(delay, timedelta):
        # A response as a dict has the delay as it was given.
        plain["delay"] = delay / timedelta(milliseconds=1)
    return answer_of(DIALECT, event.event_type, event.event_type, plain)
