"""What a client holds for its sessions: tools, a model, and the sessions themselves."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from . import _native
from ._client_audit import ClientAudit
from ._registration import path_text, refuse_unknown

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from ._native import Outcome
    from .approval import Approver, ApproverName
    from .context import Context
    from .display import Display
    from .models import Model, OnText
    from .session import Permission, Session, SessionClient
    from .session_results import Generation, ToolOutcome
    from .tools import Tool, ToolFunction

__all__ = ["SessionRegistry"]


class SessionRegistry(ClientAudit):
    """The part of the client that opens sessions; the client has the slots."""

    __slots__ = ()
    _tools: dict[str, Tool]
    _permissions: dict[str, Permission]
    _model: Model | None
    _sessions: weakref.WeakValueDictionary[str, Session]
    _open_sessions: weakref.WeakSet[Session]

    def _begin_sessions(self) -> None:
        """Begins with no tools, no model and no sessions."""
        self._tools = {}
        self._permissions = {}
        self._model = None
        self._sessions = weakref.WeakValueDictionary()
        self._open_sessions = weakref.WeakSet()

    @refuse_unknown("session", {"id": "session_id", "working_directory": "cwd", "approver": "approval"})
    def session(
        self,
        session_id: str | None = None,
        *,
        cwd: str | os.PathLike[str] | None = None,
        approval: ApproverName | Approver | None = None,
        keep_approvals: Literal["session", "user"] | os.PathLike[str] | str = "session",
        context: Context | None = None,
        display: Display | None = None,
        permissions: Permission | Mapping[str, Permission] | None = None,
        max_retries: int = 3,
        injection_limit: int = 10 * 1024,
        injection_budget: int = 1000,
        max_model_calls: int = 100,
        context_limit: int | None = None,
        context_threshold: float = 0.8,
        keep_recent: int = 6,
        model: Any = None,
        system_prompt: str | None = None,
        on_outcome: Callable[[Outcome[Any]], object] | None = None,
    ) -> Session:
        """A conversation of an agent that acts on the outcomes of hooks; use it in ``async with``.

        ``approval``: who is asked (``deny``, ``allow``, ``terminal``, ``pending`` or a function); without one nobody
        is, and what needs an approval is refused. ``keep_approvals``: how long "Allow always" holds: for the
        ``session``, or 30 days for the ``user`` or a file by its absolute path. ``permissions``: what the host makes of
        tools, one word for all or by names and globs split on ``|``, with ``*`` for every other one. ``max_retries``:
        how often a hook may have something tried again. ``injection_limit``: the longest text that a hook may inject,
        in bytes; ``injection_budget``: tokens in a turn before the user is warned. ``context_limit``: how many tokens
        the context holds; ``context_threshold``: at which part of it hooks are warned. ``keep_recent``: how many of the
        most recent messages a compaction leaves as they are. ``model``: its name as events carry it. ``on_outcome`` is
        called with the outcome of each event that the session raises; its exceptions are logged.
        """
        from .approval import approver_of
        from .context import Messages
        from .display import LogDisplay
        from .session import Session

        given = {
            "session_id": session_id,
            "cwd": path_text(cwd),
            "permissions": dict(permissions) if isinstance(permissions, Mapping) else permissions,
            "max_retries": max_retries,
            "injection_limit": injection_limit,
            "injection_budget": injection_budget,
            "max_model_calls": max_model_calls,
            "context_limit": context_limit,
            "context_threshold": context_threshold,
            "keep_recent": keep_recent,
            "model": model,
            "system_prompt": system_prompt,
            "keep_approvals": os.fspath(keep_approvals),
        }
        native = _native.Session(self, {name: value for name, value in given.items() if value is not None})
        for tool, permission in self._permissions.items():
            native.permit(_native.exact_pattern(tool), permission)
        session = Session(
            cast("SessionClient", self),
            native,
            None if approval is None else approver_of(approval),
            Messages() if context is None else context,
            LogDisplay() if display is None else display,
            on_outcome=on_outcome,
        )
        self._sessions[session.id] = session
        self._open_sessions.add(session)
        return session

    def register_tool(
        self,
        name: str,
        run: ToolFunction,
        *,
        schema: Mapping[str, Any] | None = None,
        permission: Permission | None = None,
    ) -> None:
        """Makes a tool known to the sessions of this client, in place of another one of that name.

        ``run`` gets the arguments as a dict, and a :class:`ToolContext` if it takes a second parameter; sync or async.
        ``schema`` is the JSON Schema of its arguments, which what hooks make of them has to satisfy, in place of one
        that was given before. ``permission`` adds a rule to all sessions, open ones too; of several rules for a tool
        the strictest holds.
        """
        from .tools import Tool

        self._check_open("register tools")
        tool = Tool(run)
        if schema is not None:
            self._define_tool({"name": name, "schema": dict(schema)})
        if permission is not None:
            rule = _native.exact_pattern(name)
            # Refuses what is no permission before anything is changed.
            _native.Session(self, {"permissions": permission})
            self._permissions[name] = permission
            for session in list(self._open_sessions):
                session._native.permit(rule, permission)
        self._tools[name] = tool

    def register_model(self, model: Model | None) -> None:
        """Sets the model of this client's sessions, sync or async; None takes it away."""
        self._model = model

    def _session(self, session_id: str) -> Session:
        """The open session with this id, or a new one with the defaults."""
        return self._sessions.get(session_id) or self.session(session_id)

    async def execute_tool(self, session_id: str, name: str, args: Mapping[str, Any]) -> ToolOutcome:
        """Makes a call of a registered tool in the session with this id; one with the defaults if there is none."""
        return await self._session(session_id).run_tool(name, args)

    async def generate(self, session_id: str, prompt: str, *, on_text: OnText | None = None) -> Generation:
        """Answers a prompt in the session with this id; in one with the defaults if there is none."""
        return await self._session(session_id).generate(prompt, on_text=on_text)
