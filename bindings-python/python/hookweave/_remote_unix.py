"""Connections over Unix sockets: messages behind their lengths, between processes of one user."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import stat
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

from . import _native
from ._logging import logger
from ._remote_links import LAST_WORDS, MAX_UNWRITTEN, Agent, Link, Receiver

__all__ = ["UnixTransport"]


def _is_ours(transport: asyncio.BaseTransport) -> bool:
    """Whether the other side runs as this user or as root."""
    descriptor = os.dup(transport.get_extra_info("socket").fileno())
    # Other loops give a socket that cannot be asked.
    with socket.socket(fileno=descriptor) as own:
        if sys.platform == "linux":
            user = struct.unpack("3i", own.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
        else:
            # LOCAL_PEERCRED of SOL_LOCAL: a version and the user come first.
            user = struct.unpack_from("2I", own.getsockopt(0, 1, 76))[1]
    return user in (0, os.geteuid())


class _Connection(asyncio.Protocol):
    """One connection."""

    def __init__(self, accept: Callable[[Link], Receiver], max_message: int) -> None:
        self._accept = accept
        self._frames = _native.Frames(max_message)
        self._receiver: Receiver | None = None
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.is_ours = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        try:
            self.is_ours = _is_ours(transport)
        except OSError:
            self.is_ours = False
        if self.is_ours:
            self._receiver = self._accept(self)
        else:
            logger.warning("a process of another user was refused; run the worker as the agent's user, or as root")
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        messages, refusal = self._frames.push(data)
        for message in messages:
            if self._receiver is None:
                return
            self._receiver.message(message)
        if refusal is not None and self._receiver is not None:
            self._receiver.unreadable(refusal)

    def connection_lost(self, error: Exception | None) -> None:
        if not self._closed.done():
            self._closed.set_result(None)
        receiver, self._receiver = self._receiver, None
        if receiver is not None:
            receiver.lost("the connection was closed" if error is None else str(error))

    def send(self, message: bytes) -> bool:
        if self._transport.is_closing():
            # Whoever receives is told.
            return True
        self._transport.write(_native.frame(message))
        if self._transport.get_write_buffer_size() <= MAX_UNWRITTEN:
            return True
        self._receiver = None
        self._transport.abort()
        return False

    def end(self) -> None:
        self._receiver = None
        self._transport.close()
        asyncio.get_running_loop().call_later(LAST_WORDS, self._transport.abort)

    async def ended(self) -> None:
        await asyncio.shield(self._closed)


class _Listener:
    """An open socket, which is taken away when it closes."""

    def __init__(self, server: asyncio.Server, path: Path, inode: int) -> None:
        self._server = server
        self._path = path
        self._inode = inode
        self.address = f"unix://{path}"

    def close(self) -> None:
        self._server.close()
        # Another agent may have taken the place of a socket that somebody removed.
        with contextlib.suppress(OSError):
            if self._path.lstat().st_ino == self._inode:
                self._path.unlink()

    async def closed(self) -> None:
        pass


class UnixTransport:
    """A socket in the file system."""

    def __init__(self, path: Path, max_message: int) -> None:
        self._path = path
        self._max_message = max_message

    async def connect(self, receiver: Receiver) -> Link:
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_unix_connection(
            lambda: _Connection(lambda _: receiver, self._max_message), str(self._path)
        )
        if not connection.is_ours:
            raise OSError("a process of another user listens there; run the agent as the worker's user, or as root")
        return connection

    async def listen(self, agent: Agent) -> _Listener:
        own, inode = self._bound()
        server = await asyncio.get_running_loop().create_unix_server(
            lambda: _Connection(lambda link: agent.accept(link, None), self._max_message), sock=own
        )
        return _Listener(server, self._path, inode)

    def _bound(self) -> tuple[socket.socket, int]:
        """A socket for this user alone. One that a process left behind when it was killed is taken away."""
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISSOCK(self._path.lstat().st_mode):
                with socket.socket(socket.AF_UNIX) as other:
                    try:
                        other.connect(str(self._path))
                    except ConnectionRefusedError:
                        self._path.unlink()
        own = socket.socket(socket.AF_UNIX)
        try:
            own.bind(str(self._path))
            # Until then a foreign process may connect, which is refused by who runs it.
            self._path.chmod(0o600)
            own.setblocking(False)
            return own, self._path.lstat().st_ino
        except OSError:
            own.close()
            raise
