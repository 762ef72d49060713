"""The worker's side of remote hooks: a client offers its hooks to an agent, and runs them for it."""

from __future__ import annotations

import asyncio
import contextvars
import secrets
import sys
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from . import _native
from ._asyncio_runner import run_stage
from ._logging import logger
from ._remote_address import milliseconds, number, transport_to
from ._remote_links import refused

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from ._remote_address import RemoteTls
    from ._remote_links import Link, Transport

__all__ = ["RemoteState", "WorkerConnection", "connect"]

RemoteState: TypeAlias = Literal["connecting", "ready", "waiting", "closed"]
"""``ready``: all hooks are in force, or refused. ``waiting``: it was refused or lost, and connects again soon."""


class _Incoming:
    """What comes over one connection; an earlier one's does not count any more."""

    __slots__ = ("_worker",)

    def __init__(self, worker: WorkerConnection) -> None:
        self._worker = worker

    def message(self, message: bytes) -> None:
        worker = self._worker
        if worker._incoming is self:
            worker._act(worker._end.receive(message, worker._clock.ms(), secrets.randbits(32)))

    def unreadable(self, why: str) -> None:
        if self._worker._incoming is self:
            self._worker._drop()
            self._worker._lost(why)

    def lost(self, why: str) -> None:
        if self._worker._incoming is self:
            self._worker._link = self._worker._incoming = None
            self._worker._lost(why)


class WorkerConnection:
    """A client's connection to its agent, which is made again when it is lost.

    The loop on which it was made serves it and runs the handlers, with the context variables of the call that made it.
    It ends with that loop; :meth:`close` leaves the agent.
    """

    def __init__(self, client: _native.Client, address: str, transport: Transport, settings: dict[str, Any]) -> None:
        """Made by :meth:`HookClient.connect`."""
        self._client = client
        self._address = address
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._clock = _native.RemoteClock()
        self._end = _native.RemoteWorker(settings)
        self._queue = _native.CompletionQueue()
        self._link: Link | None = None
        self._incoming: _Incoming | None = None
        self._runs: dict[int, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._state: RemoteState = "connecting"
        self._why = ""
        self._refusals: set[str] = set()
        self._changed = asyncio.Event()

    def _begin(self) -> None:
        self._loop.add_reader(self._queue.fileno(), self._woken)
        _native.watch_hooks(self._client, self._queue)
        self._offer()
        self._spawn(self._keep())
        self._act(self._end.begin())

    @property
    def address(self) -> str:
        """Where the agent is."""
        return self._address

    @property
    def state(self) -> RemoteState:
        """How it stands."""
        return self._state

    @property
    def why(self) -> str:
        """Why it is closed; empty while it is not."""
        return self._why

    async def ready(self) -> None:
        """Waits until the client's hooks are in force at the agent.

        :class:`InvalidOptionError` where the agent refused the worker for good.
        """
        while self._state != "ready":
            if self._state == "closed":
                raise refused(self._address, self._why)
            await self._changed.wait()

    async def wait_closed(self) -> None:
        """Waits until it is closed, which only :meth:`close`, the client's end or a final refusal does."""
        while self._state != "closed":
            await self._changed.wait()
        own = asyncio.current_task()
        while others := {task for task in self._tasks if task is not own}:
            await asyncio.wait(others)

    async def close(self) -> None:
        """Leaves the agent: the hooks go at once, and what runs ends first."""
        self._act(self._end.leave())
        await self.wait_closed()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<WorkerConnection to {self._address}, {self._state}>"

    async def _keep(self) -> None:
        try:
            while self._state != "closed":
                await self._changed.wait()
        finally:
            # Also where the loop ends: no descriptor stays in it.
            self._loop.remove_reader(self._queue.fileno())
            self._cancel_timer()
            self._drop()

    def _spawn(self, work: Any) -> asyncio.Task[None]:
        task = self._loop.create_task(work, context=self._context.copy())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _woken(self) -> None:
        self._queue.take()
        if self._client.closed:
            self._act(self._end.leave())
        else:
            self._offer()

    def _offer(self) -> None:
        offers, refusals = _native.remote_offers(self._client)
        for why in refusals:
            if why not in self._refusals:
                logger.warning("%s", why)
        self._refusals = set(refusals)
        self._act(self._end.offer(offers, self._clock.ms()))

    def _lost(self, why: str) -> None:
        self._act(self._end.lost(why, self._clock.ms(), secrets.randbits(32)))

    def _drop(self) -> None:
        link, self._link, self._incoming = self._link, None, None
        if link is not None:
            link.end()
            self._spawn(link.ended())

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        self._timer = None
        self._act(self._end.tick(self._clock.ms(), secrets.randbits(32)))

    def _act(self, actions: list[tuple[Any, ...]]) -> None:
        """Does what the worker's end wants done."""
        left = deque(actions)
        while left:
            match left.popleft():
                case ("connect",):
                    self._spawn(self._connect())
                case "send", message:
                    if self._link is not None and not self._link.send(message):
                        self._link = self._incoming = None
                        why = "the agent does not read what is sent"
                        left.extend(self._end.lost(why, self._clock.ms(), secrets.randbits(32)))
                case "close", _:
                    self._drop()
                case "run", dispatch, *about:
                    self._runs[dispatch] = self._spawn(self._run(dispatch, *about))
                case "cancel", dispatch:
                    task = self._runs.pop(dispatch, None)
                    if task is not None:
                        task.cancel()
                case "state", state, _, reason:
                    self._enter(state, reason or "")
                case "log", level, text:
                    logger.log(level, "%s", text)
        self._arm()

    def _enter(self, state: RemoteState, why: str) -> None:
        self._state, self._why = state, why
        if state == "ready":
            logger.info("the agent at %s has the worker's hooks", self._address)
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _arm(self) -> None:
        self._cancel_timer()
        due = None if self._state == "closed" else self._end.due()
        if due is not None:
            self._timer = self._loop.call_later(max(0, due - self._clock.ms()) / 1000, self._tick)

    async def _connect(self) -> None:
        incoming = _Incoming(self)
        self._incoming = incoming
        try:
            link = await self._transport.connect(incoming)
        except OSError as error:
            self._lost(error.strerror or str(error))
            return
        if self._state == "closed":
            link.end()
            await link.ended()
            return
        self._link = link
        self._act(self._end.opened(self._clock.ms()))

    async def _run(self, dispatch: int, hook: str, event: str, payload: str, depth: int) -> None:
        """Runs a hook as a dispatch would."""
        try:
            await self._report(dispatch, hook, event, payload, depth)
        finally:
            if self._runs.get(dispatch) is asyncio.current_task():
                del self._runs[dispatch]

    async def _report(self, dispatch: int, hook: str, event: str, payload: str, depth: int) -> None:
        try:
            call = _native.remote_call(self._client, hook, event, payload, depth)
        except Exception as error:
            # The event must not get past a guard by what it is.
            self._act(self._end.not_started(dispatch, str(error), True))
            return
        if call is None:
            why = "the worker took the hook out while it was called"
            self._act(self._end.not_started(dispatch, why, False))
            return
        try:
            (report,) = await run_stage([call])
        except asyncio.CancelledError:
            # Nobody waits for it, or the loop ends.
            raise
        except BaseException as error:
            why = f"the worker's program ends ({type(error).__name__})"
            self._act(self._end.not_started(dispatch, why, True))
            raise
        kind, value, _ = report or ("the hook was not run", None, 0.0)
        self._act(self._end.answered(dispatch, kind, value, call[2]))


def _program() -> str:
    """The name of the program's file, as far as a worker may be called so."""
    stem = Path(sys.argv[0] if sys.argv else "").stem
    name = "".join(letter for letter in stem if letter.isascii() and (letter.isalnum() or letter in "._-"))
    return name[:64] or "worker"


async def connect(
    client: _native.Client,
    address: str,
    *,
    name: str | None,
    group: str | None,
    token: str | None,
    tls: RemoteTls | None,
    insecure: bool,
    in_flight: int,
    max_message: int,
    keepalive: Any,
    backoff: Any,
) -> WorkerConnection:
    """Offers a client's hooks to an agent."""
    client._check_open("connect to an agent")
    if name is not None and group is not None:
        raise refused(address, "workers of a group have its name; leave `name` out")
    first, most = backoff
    settings = {
        "name": name or group or _program(),
        "instance": secrets.token_hex(16),
        "token": token,
        "in_flight": number("in_flight", in_flight),
        "max_message": number("max_message", max_message),
        "keepalive_ms": milliseconds("keepalive", keepalive),
        "first_ms": milliseconds("backoff", first),
        "most_ms": milliseconds("backoff", most),
    }
    groups = None if group is None else [group]
    transport = transport_to(address, settings, tls=tls, insecure=insecure, serves=False, groups=groups)
    connection = WorkerConnection(client, address, transport, settings)
    connection._begin()
    # So that its task is there to see the end of the loop.
    await asyncio.sleep(0)
    return connection
