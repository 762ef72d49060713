"""Fleets over NATS: what the machines of a group want done is done at a server; neither end connects to the other."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import ssl
import time
from collections import deque
from collections.abc import Callable, Mapping
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import unquote, urlsplit

import nats
import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.js.errors import BucketNotFoundError, NotFoundError
from nats.js.kv import KeyValue

from . import _native
from ._logging import logger
from ._remote_links import Agent, Link, Receiver, refused

__all__ = ["NatsTransport"]

CONNECT_TIMEOUT = 10
NOBODY = "503"
"""The status of a message that the server sends where nobody takes what was published."""
ERRORS = (nats.errors.Error, OSError, asyncio.TimeoutError)


def _random() -> int:
    return secrets.randbits(32)


def _is_refusal(error: BaseException) -> bool:
    """Whether the server knows the program, or its token, not; while it connects, the client has no class for it."""
    return isinstance(error, nats.errors.AuthorizationError) or "Authorization Violation" in str(error)


def _why(error: BaseException) -> str:
    return str(error).removeprefix("nats: ") or type(error).__name__


async def _drain(client: Client, *taken: Subscription) -> None:
    """Ends subscriptions when all that the server sent for them was taken."""
    # `drain` alone loses calls: its PING goes out before its UNSUB, which the client still holds. The server answers
    # the PING, and sends another call before it reads the UNSUB; by then the client drops what comes for it.
    for subscription in taken:
        await client._send_unsubscribe(subscription._id)
    await client._flush_pending(force_flush=True)
    await asyncio.gather(*(subscription.drain() for subscription in taken))  # type: ignore[no-untyped-call]


class _End:
    """One end of a fleet: a machine, its timer, and what it wants done at the server, one thing after the other."""

    def __init__(self, machine: Any) -> None:
        self.machine = machine
        self.loop = asyncio.get_running_loop()
        self.clock = _native.RemoteClock()
        self.client: Client | None = None
        self.over = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._wanted: asyncio.Queue[tuple[Any, ...]] = asyncio.Queue()
        self._subscriptions: dict[str, Subscription] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self.bucket: KeyValue | None = None

    def spawn(self, work: Any) -> asyncio.Task[Any]:
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def act(self, actions: list[tuple[Any, ...]]) -> None:
        """Does what the machine wants done."""
        for action in actions:
            match action:
                case "log", level, text:
                    logger.log(level, "%s", text)
                case ("connect" | "open" | "deliver" | "lost", *_):
                    self.do(action)
                case _:
                    self._wanted.put_nowait(action)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = None if self.over.is_set() else self.machine.due()
        if due is not None:
            self._timer = self.loop.call_later(max(0, due - self.clock.ms()) / 1000, self._tick)

    def do(self, action: tuple[Any, ...]) -> None:
        """Does what is not the server's."""

    def _tick(self) -> None:
        self._timer = None
        self.act(self.machine.tick(self.clock.ms()))

    def finish(self) -> None:
        """Ends it when all that is wanted is done."""
        self._wanted.put_nowait(("end",))

    async def work(self, client: Client) -> None:
        """Does what is wanted at the server, until the end or an error."""
        while True:
            match await self._wanted.get():
                case "publish", subject, reply, message:
                    await client.publish(subject, message, reply=reply or "")
                case "subscribe", subject, shared:
                    take = self.called if shared else self.cancelled
                    queue = "workers" if shared else ""
                    self._subscriptions[subject] = await client.subscribe(subject, queue=queue, cb=take)
                case "unsubscribe", subject:
                    await _drain(client, self._subscriptions.pop(subject))
                case "put", key, value:
                    # The server reads in order: it has the subscriptions before anyone can read the entry and call.
                    assert self.bucket is not None
                    await self.bucket.put(key, value)
                    self.act(self.machine.stored())
                case "delete", key:
                    assert self.bucket is not None
                    await self.bucket.delete(key)
                case ("drain",):
                    taken, self._subscriptions = list(self._subscriptions.values()), {}
                    await _drain(client, *taken)
                case ("end",):
                    if self._wanted.empty():
                        return
                    # Calls that came while it drained are answered first: they were refused, for another worker.
                    self.finish()

    async def called(self, message: Msg) -> None:
        """A call came for this worker."""
        self.act(self.machine.called(message.reply, message.data, self.clock.ms()))

    async def cancelled(self, message: Msg) -> None:
        """Nobody waits for a call."""
        self.act(self.machine.cancelled(message.reply))

    def stop(self) -> None:
        """Stops its timer."""
        self.over.set()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class _WorkerLink(_End):
    """A worker's connection."""

    def __init__(self, machine: Any, receiver: Receiver) -> None:
        super().__init__(machine)
        self._receiver: Receiver | None = receiver
        self._undelivered: deque[bytes] = deque()

    def do(self, action: tuple[Any, ...]) -> None:
        if action[0] == "deliver":
            # The worker is told after what it sends, as over any connection.
            self._undelivered.append(action[2])
            self.loop.call_soon(self._deliver)

    def _deliver(self) -> None:
        while self._undelivered:
            message = self._undelivered.popleft()
            if self._receiver is not None:
                self._receiver.message(message)

    async def called(self, message: Msg) -> None:
        await super().called(message)
        # At once: a worker that leaves ends the calls that it knows of.
        self._deliver()

    def lost(self, why: str) -> None:
        """The connection ended."""
        receiver, self._receiver = self._receiver, None
        if receiver is not None:
            receiver.lost(why)

    def send(self, message: bytes) -> bool:
        self.act(self.machine.sent(message, self.clock.ms()))
        return True

    def end(self) -> None:
        self._receiver = None
        self.act(self.machine.end())
        self.finish()

    async def ended(self) -> None:
        await self.over.wait()

    async def carry(self, client: Client | None, ended: asyncio.Event) -> None:
        """Does what is wanted until the end; a worker that is refused has no client."""
        try:
            if client is None:
                while await self._wanted.get() != ("end",):
                    pass
                return
            working = self.spawn(self.work(client))
            watching = self.spawn(ended.wait())
            await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
            watching.cancel()
            why = "the server closed the connection"
            if working.done() and (error := working.exception()) is not None:
                why = _why(error)
            working.cancel()
            self.lost(why)
        finally:
            self.stop()
            if client is not None:
                with contextlib.suppress(*ERRORS):
                    await client.close()


class _Group:
    """The connection of a group, as the agent sees it."""

    def __init__(self, listener: _Listener, name: str) -> None:
        self._listener = listener
        self._name = name

    def send(self, message: bytes) -> bool:
        listener = self._listener
        listener.loop.call_soon(lambda: listener.act(listener.machine.sent(self._name, message, listener.clock.ms())))
        return True

    def end(self) -> None:
        listener = self._listener
        listener.receivers.pop(self._name, None)
        listener.act(listener.machine.closed(self._name, listener.clock.ms()))

    async def ended(self) -> None:
        pass


class _Listener(_End):
    """An agent's connection to the server, which is made again when it is lost."""

    def __init__(self, transport: NatsTransport, agent: Agent) -> None:
        super().__init__(_native.FleetAgent(transport.agent_settings()))
        self.address = transport.shown
        self.receivers: dict[str, Receiver] = {}
        self._transport = transport
        self._agent = agent
        self._first: asyncio.Future[None] = self.loop.create_future()
        self._closing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connects for the first time; :class:`InvalidOptionError` where that fails."""
        self.act(self.machine.begin())
        await self._first

    def do(self, action: tuple[Any, ...]) -> None:
        match action:
            case ("connect",):
                self.spawn(self._connect())
            case "open", group:
                self.receivers[group] = self._agent.accept(_Group(self, group), None)
            case "deliver", group, message:
                if group in self.receivers:
                    self.receivers[group].message(message)
            case "lost", group, why:
                receiver = self.receivers.pop(group, None)
                if receiver is not None:
                    receiver.lost(why)

    async def _connect(self) -> None:
        ended = asyncio.Event()
        try:
            client = await self._transport.client(ended)
        except ERRORS as error:
            self._fail(_why(error))
            return
        why = "the server closed the connection"
        tasks: list[asyncio.Task[Any]] = []
        try:
            self.client = client
            bucket, _ = await self._transport.bucket(client)
            inbox = client.new_inbox()
            await client.subscribe(f"{inbox}.*", cb=self._replied)
            self.act(self.machine.connected(inbox, client.max_payload))
            patterns = self.machine.keys()
            self._untold, self._all_told = len(patterns), asyncio.Event()
            watching = [self.spawn(self._watch(bucket, pattern)) for pattern in patterns]
            tasks = [self.spawn(self.work(client)), self.spawn(ended.wait()), *watching]
            await asyncio.wait_for(self._all_told.wait(), CONNECT_TIMEOUT)
            self.act(self.machine.has_all())
            if not self._first.done():
                self._first.set_result(None)
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            why = next((_why(task.exception()) for task in tasks if task.done() and task.exception()), why)  # type: ignore[arg-type]
        except ERRORS as error:
            why = _why(error)
        finally:
            self.client = None
            for task in tasks:
                task.cancel()
            with contextlib.suppress(*ERRORS):
                await client.close()
        if not self.over.is_set():
            self._wanted = asyncio.Queue()
            self._fail(why)

    async def _watch(self, bucket: KeyValue, keys: str) -> None:
        watcher = await bucket.watch(keys)
        async for entry in watcher:
            if entry is None:
                self._untold -= 1
                if self._untold == 0:
                    self._all_told.set()
                continue
            value = entry.value if entry.operation is None else None
            self.act(self.machine.entry(entry.key, value, self.clock.ms()))

    async def _replied(self, message: Msg) -> None:
        if message.headers is not None and message.headers.get("Status") == NOBODY:
            self.act(self.machine.unanswered(message.subject))
        else:
            self.act(self.machine.replied(message.subject, message.data, self.clock.ms()))

    def _fail(self, why: str) -> None:
        if self._first.done():
            self.act(self.machine.lost(why, self.clock.ms(), _random()))
        else:
            self.stop()
            advice = "start a server with JetStream there, and give a token or a user that it knows"
            self._first.set_exception(refused(self._transport.shown, f"{why}; {advice}"))

    def close(self) -> None:
        self._closing = self.loop.create_task(self._close())

    async def _close(self) -> None:
        self.stop()
        self.finish()
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def closed(self) -> None:
        if self._closing is not None:
            await self._closing


class NatsTransport:
    """Groups at a server. ``tls`` has the texts of files for TLS, and is None for plain text."""

    def __init__(self, address: str, settings: Mapping[str, Any], tls: Mapping[str, bytes | None] | None) -> None:
        parts = urlsplit(address)
        self._server = f"nats://{parts.netloc.rpartition('@')[2]}"
        self.shown = self._server
        self._login = {"user": parts.username, "password": parts.password, "token": settings["token"]}
        self._settings = settings
        self._tls = None if tls is None else _context(tls)
        self._instance = secrets.token_hex(8)
        self._epoch = int(time.time() * 1000)
        # A group that may not be called so is said at once.
        _native.FleetAgent(self.agent_settings())

    def agent_settings(self) -> dict[str, Any]:
        """What the agent's machine is set to."""
        return {name: self._settings[name] for name in ("groups", "token", "keepalive_ms", "max_message")}

    async def client(self, ended: asyncio.Event) -> Client:
        """Connects to the server; ``ended`` is set when that connection is over."""
        client = Client()

        def given(secret: str) -> Callable[[], str]:
            def give() -> str:
                # The client would send it in plain text to a server that asks for no encryption.
                if self._tls is not None and not client._server_info.get("tls_required"):
                    raise OSError("the server does not encrypt; set up `tls` there, or leave it out here")
                return secret

            return give

        async def over() -> None:
            ended.set()

        async def error(_: Exception) -> None:
            """Whoever waits for a call is told."""

        login = {name: given(unquote(text)) for name, text in self._login.items() if text is not None}
        keepalive = max(1, self._settings["keepalive_ms"] // 1000)
        await client.connect(
            self._server,
            allow_reconnect=False,
            closed_cb=over,
            error_cb=error,
            connect_timeout=CONNECT_TIMEOUT,
            ping_interval=keepalive,
            max_outstanding_pings=1,
            tls=self._tls,
            **login,  # type: ignore[arg-type]
        )
        if self._tls is not None and not client._server_info.get("tls_required"):
            await client.close()
            raise OSError("the server does not encrypt; set up `tls` there, or leave it out here")
        return client

    async def bucket(self, client: Client) -> tuple[KeyValue, int]:
        """The bucket of all workers, made by whoever needs it first, and how many milliseconds it keeps an entry."""
        name, seconds = _native.FLEET_BUCKET
        streams = client.jetstream()
        try:
            bucket = await streams.key_value(name)
        except (BucketNotFoundError, NotFoundError):
            bucket = await streams.create_key_value(bucket=name, ttl=seconds, history=1)
        ttl = (await bucket.status()).ttl
        return bucket, int((ttl or seconds) * 1000)

    async def connect(self, receiver: Receiver) -> Link:
        ended = asyncio.Event()
        names = ("in_flight", "max_message", "keepalive_ms")
        own = {name: self._settings[name] for name in names}
        own |= {"group": self._settings["groups"][0], "instance": self._instance, "epoch": self._epoch}
        try:
            client = await self.client(ended)
            try:
                bucket, ttl = await self.bucket(client)
            except BaseException:
                await client.close()
                raise
        except ERRORS as error:
            if not _is_refusal(error):
                raise OSError(_why(error)) from error
            why = f"{_why(error)}; give the worker a token or a user that the server knows"
            machine = _native.FleetWorker({**own, "bucket_ttl_ms": 1, "max_payload": 1}, why)
            stranger = _WorkerLink(machine, receiver)
            _keep(stranger.carry(None, ended))
            return stranger
        machine = _native.FleetWorker({**own, "bucket_ttl_ms": ttl, "max_payload": client.max_payload})
        link = _WorkerLink(machine, receiver)
        link.bucket = bucket
        _keep(link.carry(client, ended))
        return link

    async def listen(self, agent: Agent) -> _Listener:
        listener = _Listener(self, agent)
        await listener.open()
        return listener


def _context(tls: Mapping[str, bytes | None]) -> ssl.SSLContext:
    """What TLS needs."""
    ca, cert, key = tls["ca"], tls["cert"], tls["key"]
    context = ssl.create_default_context(cadata=ca.decode() if ca is not None else None)
    if cert is not None and key is not None:
        # The module reads the own certificate from files alone.
        with NamedTemporaryFile() as both:
            both.write(key + b"\n" + cert)
            both.flush()
            context.load_cert_chain(both.name)
    return context


_carried: set[asyncio.Task[None]] = set()
"""asyncio itself keeps only weak references to tasks."""


def _keep(work: Any) -> None:
    task = asyncio.get_running_loop().create_task(work)
    _carried.add(task)
    task.add_done_callback(_carried.discard)
