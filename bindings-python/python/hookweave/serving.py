"""The agent's side of remote hooks: an address at which workers offer their hooks."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from . import _native
from ._logging import logger
from ._remote_address import milliseconds, number, transport_to
from ._remote_hooks import Home, RemoteHookHandler
from ._remote_links import CallRefusedError, refused
from .errors import HookweaveError, InvalidOptionError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from ._remote_address import RemoteTls
    from ._remote_links import Link, Listener

__all__ = ["Grants", "ServingWorkers", "WorkerInfo", "serve"]


class Grants(TypedDict, total=False):
    """What workers may do. A block always counts."""

    events: list[str] | None
    """The events that they may have hooks on; None, the default, is every event."""
    earliest_priority: int | None
    """The lowest priority that their hooks may have: lower ones run earlier. None is any."""
    allow: bool
    """Whether their ``allow`` and ``skip`` count, else they are ``continue``; default: no."""
    modify: bool
    """Whether they may change events; default: yes."""
    ask: bool
    """Whether they may have a person asked; default: yes."""
    mandatory: bool
    """Whether their hooks may be mandatory; default: no."""
    managed: bool
    """Whether their hooks may be managed; default: no."""


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """A worker that is known: whether it is connected, why not, and how many hooks it has."""

    name: str
    connected: bool
    lost: str
    hooks: int


GRANTED: dict[str, bool] = {"allow": False, "modify": True, "ask": True, "mandatory": False, "managed": False}
ANY_PRIORITY = -(2**31)


def _grants(given: Mapping[str, Any]) -> dict[str, Any]:
    known = {"events", "earliest_priority", *GRANTED}
    for name in given:
        if name not in known:
            near = _native.did_you_mean(name, sorted(known))
            raise InvalidOptionError(f"grants: unknown grant `{name}`{near}; known are {', '.join(sorted(known))}")
    grants: dict[str, Any] = {"events": None, "earliest_priority": ANY_PRIORITY, **GRANTED}
    for name in GRANTED:
        grants[name] = given.get(name, GRANTED[name])
        if not isinstance(grants[name], bool):
            raise InvalidOptionError(f"grants: {name} is True or False, not {grants[name]!r}")
    events = given.get("events")
    if events is not None:
        if isinstance(events, str) or not all(isinstance(event, str) for event in events):
            raise InvalidOptionError(f"grants: events is a list of names, not {events!r}")
        grants["events"] = list(events)
    earliest = given.get("earliest_priority")
    if earliest is not None:
        grants["earliest_priority"] = number("earliest_priority", earliest, ANY_PRIORITY, 2**31 - 1)
    return grants


class _Incoming:
    """What comes over one connection."""

    __slots__ = ("_number", "_serving")

    def __init__(self, serving: ServingWorkers, connection: int) -> None:
        self._serving = serving
        self._number = connection

    def message(self, message: bytes) -> None:
        self._serving._act(self._serving._agent.receive(self._number, message))

    def unreadable(self, why: str) -> None:
        self._serving._act(self._serving._agent.unreadable(self._number, why))

    def lost(self, why: str) -> None:
        self._serving._links.pop(self._number, None)
        self._serving._act(self._serving._agent.lost(self._number, why))


class _Door:
    """Where a transport brings connections and calls."""

    __slots__ = ("_serving",)

    def __init__(self, serving: ServingWorkers) -> None:
        self._serving = serving

    def accept(self, link: Link, peer: str | None) -> _Incoming:
        return self._serving._accept(link, peer)

    async def ask(self, peer: str, token: str | None, method: str, request: bytes) -> bytes:
        return await self._serving._ask(peer, token, method, request)


class ServingWorkers:
    """An agent's open address. Closing it takes the workers' hooks out of the client.

    It is looked after by the loop on which it was opened, and closes with that loop or with the client.
    """

    def __init__(self, client: _native.Client, address: str, settings: dict[str, Any]) -> None:
        """Made by :meth:`HookClient.serve`."""
        self._client = client
        self._address = address
        self._home = Home()
        self._queue = _native.CompletionQueue()
        self._agent = _native.RemoteAgent(client, settings, _native.RemoteClock(), self._queue)
        self._links: dict[int, Link] = {}
        self._asks: dict[int, asyncio.Future[bytes]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._listener: Listener | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._over = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    async def _open(self, transport: Any) -> None:
        try:
            self._listener = await transport.listen(_Door(self))
        except OSError as error:
            raise refused(self._address, f"{error}; choose one that is free and yours") from error
        self._address = self._listener.address
        self._home.loop.add_reader(self._queue.fileno(), self._woken)
        _native.watch_hooks(self._client, self._queue)
        self._keeper = asyncio.create_task(self._keep())
        # So that it is there to see the end of the loop.
        await asyncio.sleep(0)

    @property
    def address(self) -> str:
        """Where it listens, with the port that it got where it asked for port 0."""
        return self._address

    @property
    def state(self) -> Literal["open", "closed"]:
        """Whether workers can connect."""
        return "closed" if self._over.is_set() else "open"

    def workers(self) -> list[WorkerInfo]:
        """The workers that are known, by name, those that are lost included."""
        return [WorkerInfo(*worker) for worker in self._agent.workers()]

    async def close(self) -> None:
        """Closes the address and every connection; the workers' hooks go, and calls on their way fail."""
        self._stop()
        if self._ending:
            await asyncio.wait(set(self._ending))
        if self._listener is not None:
            await self._listener.closed()
        if self._keeper is not None:
            await asyncio.wait({self._keeper})

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<ServingWorkers at {self._address}, {self.state}>"

    async def _keep(self) -> None:
        try:
            await self._over.wait()
        finally:
            self._stop()

    def _stop(self) -> None:
        """No hook may wait for workers that nobody listens to."""
        if self._over.is_set():
            return
        self._over.set()
        if self._listener is not None:
            self._listener.close()
        self._act(self._agent.close())
        self._home.loop.remove_reader(self._queue.fileno())
        if self._timer is not None:
            self._timer.cancel()

    def _accept(self, link: Link, peer: str | None) -> _Incoming:
        connection, actions = self._agent.opened(peer)
        self._links[connection] = link
        self._act(actions)
        return _Incoming(self, connection)

    async def _ask(self, peer: str, token: str | None, method: str, request: bytes) -> bytes:
        if self._over.is_set():
            raise CallRefusedError("the agent closes; connect again later")
        ask, actions = self._agent.asked(peer, token, method, request)
        reply: asyncio.Future[bytes] = self._home.loop.create_future()
        self._asks[ask] = reply
        try:
            self._act(actions)
            return await reply
        finally:
            del self._asks[ask]

    def _reply(self, ask: int, message: bytes | None, refusal: str | None) -> None:
        reply = self._asks.get(ask)
        if reply is None or reply.done():
            # The client waits no longer.
            return
        if message is None:
            reply.set_exception(CallRefusedError(refusal))
        else:
            reply.set_result(message)

    def _woken(self) -> None:
        self._queue.take()
        if self._client.closed:
            self._stop()
        else:
            self._act(self._agent.woken())

    def _tick(self) -> None:
        self._timer = None
        self._act(self._agent.tick())

    def _act(self, actions: list[tuple[Any, ...]]) -> None:
        """Does what the agent's end wants done."""
        left = deque(actions)
        while left:
            match left.popleft():
                case "send", connection, message:
                    link = self._links.get(connection)
                    if link is not None and not link.send(message):
                        del self._links[connection]
                        left.extend(self._agent.lost(connection, "it does not read what is sent"))
                case "close", connection, _:
                    link = self._links.pop(connection, None)
                    if link is not None:
                        self._end(link)
                case "register", registration, *_:
                    refusal = None
                    try:
                        self._agent.register(self._client, registration, partial(RemoteHookHandler, self._home))
                    except HookweaveError as error:
                        refusal = str(error)
                    left.extend(self._agent.registered(registration, refusal))
                case "unregister", registration:
                    self._agent.unregister(self._client, registration)
                case "reply", ask, message, refusal:
                    self._reply(ask, message, refusal)
                case ("log", level, text) | ("refused", level, text, _, _):
                    logger.log(level, "%s", text)
        self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = None if self._over.is_set() else self._agent.due()
        if due is not None:
            self._timer = self._home.loop.call_later(due, self._tick)

    def _end(self, link: Link) -> None:
        link.end()
        task = self._home.loop.create_task(link.ended())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


async def serve(
    client: _native.Client,
    address: str,
    *,
    groups: Sequence[str] | None,
    token: str | None,
    grants: Grants | None,
    tls: RemoteTls | None,
    insecure: bool,
    in_flight: int,
    max_message: int,
    keepalive: Any,
    queue: int,
    max_hooks: int,
    max_workers: int,
    max_unasked: int,
) -> ServingWorkers:
    """Opens an address for workers."""
    client._check_open("serve workers")
    if token == "":
        raise refused(address, "an empty token protects nothing; set another one, or none")
    settings = {
        "token": token,
        "grants": _grants(grants or {}),
        "in_flight": number("in_flight", in_flight),
        "max_message": number("max_message", max_message),
        "keepalive_ms": milliseconds("keepalive", keepalive),
        "queue": number("queue", queue, 0),
        "max_hooks": number("max_hooks", max_hooks),
        "max_workers": number("max_workers", max_workers),
        "max_unasked": number("max_unasked", max_unasked),
    }
    transport = transport_to(address, settings, tls=tls, insecure=insecure, serves=True, groups=groups)
    serving = ServingWorkers(client, address, settings)
    await serving._open(transport)
    return serving
