"""The client: registers hooks and dispatches events."""

from __future__ import annotations

import atexit
import os
import weakref
from typing import TYPE_CHECKING

# `CLASSES` of the module above has them: the engine makes events of these classes.
from . import _native, events  # noqa: F401
from ._derived import read_when_made, takes_settings_of
from ._process_exit import at_end, at_end_of_child
from ._registration import (
    check_handler,
    event_name,
    handler_name,
    is_async,
    path_text,
    warn_of_milliseconds,
)
from ._session_registry import SessionRegistry
from ._typed import TypedClient
from .event import EventName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Final, Literal, Self

    from . import _detached, files
    from ._outside_hooks import Answerer
    from ._remote_address import RemoteTls
    from ._session_driver import Tracing
    from ._watch import FileWatch, OnReload
    from .audit import AuditLevel, AuditOptions
    from .event import Event
    from .options import Duration, FailBehavior
    from .outcome import HookInfo, LateAnswer
    from .serving import Grants, ServingWorkers
    from .stats import Stats
    from .temporary_hook import TemporaryHook
    from .worker_connection import WorkerConnection

__all__ = ["HookClient"]

CLOSE_SECONDS: Final = 5.0
"""How long closing a client waits for its detached hooks."""
MAX_MESSAGE: Final = 4 * 1024 * 1024
"""The longest message between an agent and its workers, in bytes."""


class _Unset:
    """The default of a setting for which None means something."""

    def __repr__(self) -> str:
        return "<the profile's default>"


UNSET: Final = _Unset()


def _import_all() -> None:
    """Imports all that a client may ever need, before it has hooks and threads.

    A child would wait for ever for an import that a thread of its parent had begun, a fork for one that wants a lock
    which the fork holds, and the end of a program takes a thread out of an import by force.
    """
    from . import (  # noqa: F401
        _audit_delivery,
        _detached,
        _telemetry,
        _values,
        _watch,
        audit,
        options,
        serving,
        session,
        stats,
        worker_connection,
    )


class HookClient(TypedClient, SessionRegistry):
    """Holds hooks and runs them when an event is dispatched; usable from any thread, event loop and forked child.

    ``profile`` sets the defaults of all other settings. ``default_timeout`` in seconds, None for none;
    ``max_hooks_per_event`` and ``max_total_hooks`` None for no limit. Leaving a ``with`` or ``async with`` block closes
    the client. ``audit`` is a level, a file or the settings of an audit log, see
    :meth:`configure_audit`.
    """

    __slots__ = (
        "__weakref__",
        "_delivery",
        "_judge",
        "_late",
        "_model",
        "_open_sessions",
        "_outstanding",
        "_permissions",
        "_sessions",
        "_settings",
        "_tool_caller",
        "_tools",
        "_tracing",
        "_watch",
    )
    _outstanding: set[_detached.Job]
    _judge: Answerer | None
    _tool_caller: Answerer | None
    _late: Callable[[LateAnswer], None] | None
    _watch: FileWatch | None
    _tracing: Tracing | None
    _settings: dict[str, Any]

    @read_when_made
    def __init__(
        self,
        *,
        profile: Literal[
            "default",
            "a3s",
            "a3s-code",
            "wingman",
            "cocode",
            "amplifier",
            "shadow",
            "claude-code",
            "agent-hooks",
        ] = "default",
        enabled: bool = True,
        default_timeout: Duration | _Unset | None = UNSET,
        fail_behavior: FailBehavior | _Unset = UNSET,
        mode: Literal["sequential", "parallel", "concurrent"] | _Unset = UNSET,
        conflict: Literal["block", "ask", "last"] | _Unset = UNSET,
        enforcement: Literal["enforce", "observe"] | _Unset = UNSET,
        short_circuit: bool | _Unset = UNSET,
        max_hooks_per_event: int | _Unset | None = UNSET,
        max_total_hooks: int | _Unset | None = UNSET,
        max_detached: int | _Unset = UNSET,
        project_dir: str | os.PathLike[str] | None = None,
        max_running: int | _Unset = UNSET,
        output_cap: int | _Unset = UNSET,
        scrub_environment: bool = False,
        webhooks: Mapping[str, Any] | None = None,
        audit: AuditLevel | AuditOptions | str | os.PathLike[str] | None = None,
    ) -> None:
        """Refuses unknown and contradictory settings with :class:`InvalidOptionError`."""

    @takes_settings_of(__init__, {"timeout": "default_timeout", "cwd": "project_dir"})
    def __new__(cls, *_: Any, **settings: Any) -> Self:
        """Makes the client with its settings, which ``__init__`` lists."""
        _import_all()
        audit = settings.pop("audit", None)
        warn_of_milliseconds("default_timeout", settings.get("default_timeout"))
        project_dir, webhooks = settings.pop("project_dir", None), settings.pop("webhooks", None)
        if project_dir is not None:
            settings["project_dir"] = path_text(project_dir)
        if webhooks is not None:
            settings["webhooks"] = dict(webhooks)
        client = super().__new__(cls, {name: value for name, value in settings.items() if value is not UNSET})
        client._outstanding = set()
        client._judge = None
        client._tool_caller = None
        client._late = None
        client._watch = None
        client._tracing = None
        client._begin_sessions()
        client._delivery = None
        if audit is not None:
            client.configure_audit(audit)
        _clients.add(client)
        at_end(_stop_file_hooks)
        return client

    def _register(
        self, event: str | type[Event], handler: Callable[[Any], Any], temporary: bool, options: dict[str, Any]
    ) -> str:
        named = event_name(event)
        check_handler(handler)
        in_thread = options.get("run_in_thread", False)
        warn_of_milliseconds("timeout", options.get("timeout"))
        if "async_" in options:
            options["async"] = options.pop("async_")
        if options.get("name") is None:
            options["name"] = handler_name(handler)
        if temporary:
            options["temporary"] = True
        return self._add(named, handler, options, in_thread, is_async(handler))

    def _temporary(
        self, event: str | type[Event], handler: Callable[[Any], Any], options: Mapping[str, Any]
    ) -> TemporaryHook:
        from .temporary_hook import TemporaryHook

        return TemporaryHook(self, event, handler, options)

    if not TYPE_CHECKING:
        # Type checkers see the overloads of TypedClient.

        def register_hook(self, event: str | type[Event], handler: Callable[[Any], Any], **options: Any) -> str:
            """Registers a handler for an event and returns the hook's id; see ``HookOptions`` for the options."""
            return self._register(event, handler, False, options)

        def hook(
            self, event: str | type[Event], **options: Any
        ) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
            """A decorator that registers its function for an event and returns it unchanged."""
            named = event_name(event)

            def register(handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
                self._register(named, handler, False, dict(options))
                return handler

            return register

        def temporary_hook(
            self, event: str | type[Event], handler: Callable[[Any], Any], **options: Any
        ) -> TemporaryHook:
            """Registers a hook for the duration of a ``with`` or ``async with`` block."""
            return self._temporary(event, handler, options)

    def guard(self, rule: str | Sequence[str], reason: str, *, name: str | None = None) -> str:
        """Refuses the tool calls that a permission rule selects, or one of several; returns the hook's id.

        The hook has no handler: it cannot fail, it is mandatory, and it looks again at what later hooks change. The
        model reads the reason. Without a name it is called by its rule.
        """
        return self._guard({"rule": rule, "reason": reason, "name": name})

    def ask_before(self, rule: str | Sequence[str], prompt: str | None = None, *, name: str | None = None) -> str:
        """Has a person asked before the tool calls that a rule selects, or one of several; returns the hook's id.

        As :meth:`guard` it cannot fail and is mandatory. Without a prompt the question names the tool.
        """
        return self._ask_before({"rule": rule, "prompt": prompt, "name": name})

    def redact_secrets(self, *, prompts: bool = False) -> list[str]:
        """Replaces secrets in results and errors of tools, and in prompts if wanted, before the model sees them.

        What counts as a secret is what the audit log redacts. Returns the ids of the hooks.
        """
        return self._use("redact-secrets", {"prompts": prompts})

    def protect_paths(
        self,
        *paths: str | Iterable[str],
        for_: Literal["write", "read", "any"] = "write",
        answer: Literal["block", "ask"] = "block",
        reason: str | None = None,
    ) -> list[str]:
        """Blocks, or asks a person about, calls and command lines that touch files, given as in ``.gitignore``.

        A command line counts as far as it is understood. Returns the ids of the hooks.
        """
        each = [path for item in paths for path in ([item] if isinstance(item, str) else item)]
        options = {"paths": each, "for": for_, "answer": answer, "reason": reason}
        return self._use("protect-paths", options)

    def limit_calls(self, tool: str, *, max: int, per: Literal["session", "turn"] | float = "session") -> list[str]:
        """Blocks the calls of a tool beyond a number per session, per turn or in so many seconds.

        Each session and each agent in it has its own count. Returns the ids of the hooks.
        """
        return self._use("limit-calls", {"tool": tool, "max": max, "per": per})

    def use(
        self,
        *policies: str,
        rules: Mapping[str, Literal["off", "ask", "block"]] | None = None,
        enforcement: Literal["enforce", "observe"] | None = None,
    ) -> list[str]:
        """Uses policies by their names: ``"git"``, or with a level ``"secrets:strict"``.

        ``rules`` sets what single rules decide, by their ids; with ``enforcement="observe"`` none has an effect, and
        the statistics say what would have been stopped. Returns the ids of the hooks.
        """
        options = {"names": list(policies), "rules": dict(rules or {}), "enforcement": enforcement}
        return self._use("policies", options)

    def _use(self, name: str, options: dict[str, Any]) -> list[str]:
        return _native.use_ready_made(self, name, options)

    def list_hooks(self) -> list[HookInfo]:
        """All hooks, by event and in the order in which they run."""
        from .outcome import hook_infos

        return hook_infos(self._hooks(), self._function)

    def stats(self, *, reset: bool = False) -> Stats:
        """The statistics and warnings of each hook; ``reset`` starts the counts again."""
        from .stats import stats_of

        return stats_of(self._stats(reset))

    def define_event(self, name: str, *, gate: bool = True, modifiable: Iterable[str] = ()) -> EventName:
        """Defines a custom event; on a gate, a block prevents the action that the host asks about."""
        self._define_event({"name": name, "gate": gate, "modifiable": list(modifiable)})
        return EventName(name)

    def define_tool(
        self,
        name: str,
        *,
        same_as: str | Iterable[str] | None = None,
        command: str | None = None,
        paths: Iterable[str] = (),
        schema: Mapping[str, Any] | None = None,
    ) -> None:
        """Declares a tool: the known tools that it is like, and the arguments that hold its command and paths.

        ``schema`` is the JSON Schema of its arguments; arguments that hooks change have to satisfy it.
        """
        alike = list(same_as) if same_as is not None and not isinstance(same_as, str) else same_as
        definition = {"name": name, "same_as": alike, "command": command, "paths": list(paths)}
        self._define_tool(definition if schema is None else {**definition, "schema": dict(schema)})

    def load(
        self,
        path: str | os.PathLike[str],
        *,
        dialect: str | None = None,
        scope: files.Scope = "project",
        strict: bool = False,
        partial: bool = False,
        enforcement: Literal["enforce", "observe"] | None = None,
    ) -> files.LoadReport:
        """Loads the hooks of one file; its system is recognised by name, place and shape unless ``dialect`` names it.

        A file that the program names is trusted. An invalid entry may have been a guard, so it refuses the whole file
        with :class:`ConfigError`; ``partial`` leaves it out, as a problem in the report. ``strict`` also
        refuses a file for likely mistakes. ``enforcement="observe"`` records what its hooks decide and acts on nothing
        of it; default: the client's.
        """
        from . import files

        options = {
            "dialect": dialect,
            "scope": scope,
            "strict": strict,
            "partial": partial,
            "enforcement": enforcement,
        }
        report = files.load_report(_native.load(self, os.fspath(path), options))
        self._watch_more()
        return report

    def discover(
        self,
        cwd: str | os.PathLike[str] = ".",
        *,
        sources: Iterable[str] | None = None,
        trust: Literal["approved", "all"] = "approved",
        trust_store: str | os.PathLike[str] | None = None,
        on_untrusted: Literal["report", "error"] = "report",
        strict: bool = False,
        partial: bool = False,
        enforcement: Literal["enforce", "observe"] | None = None,
        agent: str | None = None,
        plugins: Iterable[str | os.PathLike[str]] = (),
    ) -> files.LoadReport:
        """Loads the files at the usual places of every known system for a working directory.

        ``sources`` names dialects and scopes; default: all. Hooks from the project's files run only when a person
        approved them (:attr:`trust`) or with ``trust="all"``. The others are in the report, or with
        ``on_untrusted="error"`` an :class:`UntrustedHookError`. In trusted files an invalid entry is a
        :class:`ConfigError`, unless ``partial`` leaves it out. ``enforcement`` as for :meth:`load`; managed hooks are
        enforced all the same.
        """
        from . import files

        options = {
            "sources": None if sources is None else list(sources),
            "trust": trust,
            "trust_store": None if trust_store is None else os.fspath(trust_store),
            "on_untrusted": on_untrusted,
            "strict": strict,
            "partial": partial,
            "enforcement": enforcement,
            "agent": agent,
            "plugins": [os.fspath(plugin) for plugin in plugins],
        }
        report = files.load_report(_native.discover(self, os.fspath(cwd), options))
        self._watch_more()
        return report

    async def reload(self) -> files.ReloadReport:
        """Reads every loaded file again; the hooks are swapped between dispatches, never within one.

        A change that takes protection away raises ``ConfigChange`` first, through the hooks in force: one that blocks
        it keeps everything as it is, and a file that cannot be read keeps its own hooks.
        """
        from . import files

        return await files.reload(self)

    def reload_sync(self) -> files.ReloadReport:
        """The same as :meth:`reload`, for programs without an event loop."""
        from . import files

        return files.reload_sync(self)

    def watch(self, on_reload: OnReload | None = None) -> None:
        """Reloads when a loaded file changes, as :meth:`reload` does; ``on_reload`` gets the report.

        When a file changes that hooks on ``FileChanged`` watch, by their matcher or by ``watchPaths``, that event is
        raised. All of this runs where this is called, with the context variables of the call: on its event loop until
        that is closed, or on a daemon thread where no loop runs. A reload that fails is logged. There is one watch; a
        second call replaces it.
        """
        from ._watch import FileWatch

        self._check_open("watch files")
        self.unwatch()
        self._watch = FileWatch(self, on_reload)

    def unwatch(self) -> None:
        """Ends :meth:`watch`."""
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.stop()

    def _watch_more(self) -> None:
        if self._watch is not None and not self._watch.stopped:
            self._watch.look(self)

    def lint(self, path: str | os.PathLike[str], *, dialect: str | None = None) -> list[files.Finding]:
        """Reports likely mistakes in a file of hooks: units, dead matchers, missing scripts, unread answers."""
        from . import files

        return files.findings(_native.lint_file(os.fspath(path), dialect))

    @property
    def trust(self) -> files.TrustStore:
        """The user's approvals of hooks from project files."""
        from . import files

        return files.TrustStore()

    def set_judge(self, judge: Answerer | None) -> None:
        """Sets the callback for hooks that ask a model or an agent, sync or async; None removes it.

        It is called with ``{"kind": "prompt" | "agent", "prompt": …, "model": …}`` and answers ``{"ok": True}`` or
        ``{"ok": False, "reason": …}``. Without one, such a hook fails with a message that says so.
        """
        self._judge = judge

    def set_tool_caller(self, caller: Answerer | None) -> None:
        """Sets the callback that calls tools of MCP servers for hooks, sync or async; None removes it.

        It is called with ``{"kind": "mcp_tool", "server": …, "tool": …, "input": …}`` and answers the tool's text.
        """
        self._tool_caller = caller

    def on_late_answer(self, listener: Callable[[LateAnswer], None] | None) -> None:
        """Sets the callback for answers of detached hooks, called where the hook ran; without one they are logged."""
        self._late = listener

    async def serve(
        self,
        address: str,
        *,
        groups: Sequence[str] | None = None,
        token: str | None = None,
        grants: Grants | None = None,
        tls: RemoteTls | None = None,
        insecure: bool = False,
        in_flight: int = 64,
        max_message: int = MAX_MESSAGE,
        keepalive: Duration = 15.0,
        queue: int = 1024,
        max_hooks: int = 1000,
        max_workers: int = 1000,
        max_unasked: int = 5000,
    ) -> ServingWorkers:
        """Takes workers at an address: their hooks are hooks of this client, and run in their processes.

        ``unix:///path`` is for processes of the same user, and of root. ``grpc://host:port`` is for this machine alone
        unless ``insecure`` is set, ``grpcs://host:port`` for others: it wants ``tls``, and both want
        ``hookweave[grpc]``. ``nats://host:port`` is a server at which workers are found by their ``groups``. It wants
        ``hookweave[nats]``, and on another machine ``tls`` or ``insecure``. ``token`` is what workers must know,
        ``grants`` what they may do. At most ``in_flight`` events are at a worker and ``queue`` wait for it; one has at
        most ``max_hooks`` hooks. ``max_message`` is in bytes, ``keepalive`` in seconds of silence, ``max_unasked`` in
        messages a second that no event asked for. The asyncio loop on which this is called serves the address;
        :class:`InvalidOptionError` where it cannot.
        """
        from . import serving

        return await serving.serve(
            self,
            address,
            groups=groups,
            token=token,
            grants=grants,
            tls=tls,
            insecure=insecure,
            in_flight=in_flight,
            max_message=max_message,
            keepalive=keepalive,
            queue=queue,
            max_hooks=max_hooks,
            max_workers=max_workers,
            max_unasked=max_unasked,
        )

    async def connect(
        self,
        address: str,
        *,
        name: str | None = None,
        group: str | None = None,
        token: str | None = None,
        tls: RemoteTls | None = None,
        insecure: bool = False,
        in_flight: int = 64,
        max_message: int = MAX_MESSAGE,
        keepalive: Duration = 15.0,
        backoff: tuple[Duration, Duration] = (0.05, 1.0),
    ) -> WorkerConnection:
        """Offers this client's hooks to the agent that listens at an address; see :meth:`serve`.

        The agent dispatches and decides which hooks run; they run here, on the asyncio loop on which this is called.
        Hooks that come, go, or are switched later do so at the agent too. Hooks from files and hooks that run once are
        not offered. At ``nats://`` workers of one ``group`` share its events, and the server knows the ``token``.
        ``name`` is the worker's, the same after a restart: the program's file name unless given.
        ``backoff`` bounds the wait before it connects again, in seconds: after the first failure, and ever. This does
        not wait for the agent; :meth:`WorkerConnection.ready` does.
        """
        from . import worker_connection

        return await worker_connection.connect(
            self,
            address,
            name=name,
            group=group,
            token=token,
            tls=tls,
            insecure=insecure,
            in_flight=in_flight,
            max_message=max_message,
            keepalive=keepalive,
            backoff=backoff,
        )

    async def drain(self, timeout: float | None = None) -> bool:
        """Waits for detached hooks; False when ``timeout`` seconds passed first."""
        from . import _detached

        return await _detached.drain(self, timeout)

    def close(self) -> None:
        """Refuses further dispatches; waits a few seconds for detached hooks on threads."""
        self._close()
        self.unwatch()
        if self._outstanding:
            from . import _detached

            _detached.drain_blocking(self, CLOSE_SECONDS)
        _native.stop_file_hooks(self, CLOSE_SECONDS)
        self._end_audit()

    async def aclose(self) -> None:
        """Refuses further dispatches; waits a few seconds for detached hooks."""
        self._close()
        self.unwatch()
        await self.drain(CLOSE_SECONDS)
        _native.stop_file_hooks(self, 0)
        self._end_audit()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


_clients: weakref.WeakSet[HookClient] = weakref.WeakSet()


def _forget_background() -> None:
    """A forked child has none of the tasks and threads in which its parent's detached hooks and watches run."""
    for client in list(_clients):
        client._forget_detached()
        client._outstanding = set()
        client._watch = None
    if _clients:
        at_end_of_child(_stop_file_hooks)


@atexit.register
def _stop_file_hooks() -> None:
    """What a command started has a session of its own and would live on; records of its log are written."""
    for client in list(_clients):
        _native.stop_file_hooks(client, 1.0)
        client._end_audit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_background)
