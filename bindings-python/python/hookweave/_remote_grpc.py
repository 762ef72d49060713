"""Connections over gRPC: each message is one of the stream `HookService.HookStream`; old clients make calls too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import grpc
import grpc.aio

from ._remote_links import LAST_WORDS, MAX_UNWRITTEN, Agent, CallRefusedError, Link, Receiver

__all__ = ["GrpcTransport"]

STREAM = "/HookService/HookStream"
METHODS = ("RegisterHook", "UnregisterHook", "ListHooks")


class _Stream:
    """One stream; the same at both ends."""

    def __init__(
        self,
        write: Callable[[bytes], Awaitable[Any]],
        cancel: Callable[[], Any],
        done_writing: Callable[[], Awaitable[Any]] | None = None,
    ) -> None:
        self.receiver: Receiver | None = None
        self._write = write
        self._cancel = cancel
        self._done_writing = done_writing
        self._unwritten: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._size = 0
        self._ends = False
        self.over = asyncio.Event()

    def send(self, message: bytes) -> bool:
        if self._ends:
            return True
        self._size += len(message)
        self._unwritten.put_nowait(message)
        if self._size <= MAX_UNWRITTEN:
            return True
        self._ends, self.receiver = True, None
        self._cancel()
        return False

    def end(self) -> None:
        self.receiver = None
        if not self._ends:
            self._ends = True
            self._unwritten.put_nowait(None)
            asyncio.get_running_loop().call_later(LAST_WORDS, self._cancel_late)

    def _cancel_late(self) -> None:
        if not self.over.is_set():
            self._cancel()

    async def ended(self) -> None:
        await self.over.wait()

    async def write_all(self) -> None:
        """Writes what is sent, until the end."""
        while (message := await self._unwritten.get()) is not None:
            await self._write(message)
            self._size -= len(message)

    async def read_all(self, read: Callable[[], Awaitable[Any]]) -> str:
        """Reads what comes, until the end; says why it ended."""
        while (message := await read()) is not grpc.aio.EOF:
            if self.receiver is not None:
                self.receiver.message(message)
        return "the stream was closed"

    async def carry(self, read: Callable[[], Awaitable[Any]]) -> None:
        """Carries messages both ways until one side ends the stream."""
        reader = asyncio.create_task(self.read_all(read))
        writer = asyncio.create_task(self.write_all())
        why = "the stream was cancelled"
        try:
            await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
            if self._done_writing is not None and not reader.done() and writer.exception() is None:
                # A read that is cancelled cancels the stream, and with it what the other side has not read yet.
                await self._done_writing()
                await asyncio.wait({reader})
            for task in (reader, writer):
                if task.done() and not task.cancelled():
                    error = task.exception()
                    if error is None:
                        why = reader.result() if task is reader else "the stream was ended"
                    else:
                        why = _why(error)
                        break
        finally:
            # Nothing is awaited here: gRPC may cancel this task once more.
            for task in (reader, writer):
                task.cancel()
                task.add_done_callback(_taken)
            self._ends = True
            self.over.set()
            receiver, self.receiver = self.receiver, None
            if receiver is not None:
                receiver.lost(why)


def _taken(task: asyncio.Task[Any]) -> None:
    """Takes what a task ended with, so that asyncio does not report it as lost."""
    if not task.cancelled():
        task.exception()


def _why(error: BaseException) -> str:
    """What went wrong, for a person."""
    if isinstance(error, grpc.aio.AioRpcError):
        return f"{error.code().name.lower()}: {error.details()}"
    return str(error) or type(error).__name__


def _call(agent: Agent, method: str) -> Any:
    """The handler of a method that answers once."""

    async def answer(request: bytes, context: Any) -> bytes:
        try:
            return await agent.ask(context.peer(), _token(context.invocation_metadata()), method, request)
        except CallRefusedError as error:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
            raise

    return grpc.unary_unary_rpc_method_handler(answer)


def _token(metadata: Any) -> str | None:
    """The token of a call."""
    for name, value in metadata or ():
        if name == "authorization" and isinstance(value, str) and value[:7].lower() == "bearer ":
            return value[7:]
    return None


class _Listener:
    """A server, which takes no more connections once it is closed."""

    def __init__(self, server: grpc.aio.Server, address: str) -> None:
        self.address = address
        self._server = server
        self._stopping: asyncio.Task[None] | None = None

    def close(self) -> None:
        self._stopping = asyncio.get_running_loop().create_task(self._server.stop(LAST_WORDS))

    async def closed(self) -> None:
        if self._stopping is not None:
            await self._stopping


class GrpcTransport:
    """A port of a machine; ``tls`` has the texts of the files for TLS, and is None for plain text."""

    def __init__(self, where: tuple[str, int], max_message: int, tls: Mapping[str, bytes | None] | None) -> None:
        self._host, self._port = where
        self._tls = tls
        self._options = [
            # Room for a message that is refused with its reason.
            ("grpc.max_receive_message_length", 2 * max_message + 1024),
            ("grpc.max_send_message_length", -1),
            # A second agent on a port would take some of the workers of the first one.
            ("grpc.so_reuseport", 0),
            # When to connect again is not for the channel to say.
            ("grpc.use_local_subchannel_pool", 1),
        ]

    async def connect(self, receiver: Receiver) -> Link:
        target = f"{self._host}:{self._port}"
        if self._tls is None:
            channel = grpc.aio.insecure_channel(target, options=self._options)
        else:
            tls = self._tls
            credentials = grpc.ssl_channel_credentials(tls["ca"], tls["key"], tls["cert"])
            channel = grpc.aio.secure_channel(target, credentials, options=self._options)
        call = channel.stream_stream(STREAM)()
        stream = _Stream(call.write, call.cancel, call.done_writing)
        stream.receiver = receiver
        task = asyncio.get_running_loop().create_task(self._carry(channel, call, stream))
        _carried.add(task)
        task.add_done_callback(_carried.discard)
        return stream

    async def _carry(self, channel: grpc.aio.Channel, call: Any, stream: _Stream) -> None:
        try:
            await stream.carry(call.read)
        except grpc.aio.AioRpcError:
            # It is over, which the receiver was told.
            return
        finally:
            await channel.close()

    async def listen(self, agent: Agent) -> _Listener:
        server = grpc.aio.server(options=self._options)

        async def hook_stream(_: Any, context: Any) -> None:
            stream = _Stream(context.write, asyncio.current_task().cancel)  # type: ignore[union-attr]
            stream.receiver = agent.accept(stream, context.peer())
            await stream.carry(context.read)

        handlers: dict[str, Any] = {method: _call(agent, method) for method in METHODS}
        handlers["HookStream"] = grpc.stream_stream_rpc_method_handler(hook_stream)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("HookService", handlers),))
        where = f"{self._host}:{self._port}"
        try:
            if self._tls is None:
                port = server.add_insecure_port(where)
            else:
                tls = self._tls
                pairs, ca = [(tls["key"], tls["cert"])], tls["ca"]
                credentials = grpc.ssl_server_credentials(pairs, ca, require_client_auth=ca is not None)
                port = server.add_secure_port(where, credentials)
        except RuntimeError as error:
            raise OSError(str(error)) from error
        await server.start()
        scheme = "grpc" if self._tls is None else "grpcs"
        return _Listener(server, f"{scheme}://{self._host}:{port}")


_carried: set[asyncio.Task[None]] = set()
"""asyncio itself keeps only weak references to tasks."""
