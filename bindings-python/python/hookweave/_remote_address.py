"""Where agents are reached, and the settings that both ends have in common."""

from __future__ import annotations

import asyncio
import ipaddress
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import urlsplit

from . import _native
from ._remote_links import refused
from .errors import InvalidOptionError

if TYPE_CHECKING:
    import os

    from ._remote_links import Transport

__all__ = ["RemoteTls", "milliseconds", "number", "transport_to"]

MOST = 2**32 - 1
MOST_PORT = 65535
TLS_FILES = ("cert", "key", "ca")


class RemoteTls(TypedDict, total=False):
    """Files for TLS, all of them PEM."""

    cert: str | os.PathLike[str]
    """The own certificate; an agent needs one."""
    key: str | os.PathLike[str]
    """The certificate's private key."""
    ca: str | os.PathLike[str]
    """Whom to trust. A worker without it trusts the system's roots; an agent with it wants certificates of workers."""


def transport_to(
    address: str,
    settings: Mapping[str, Any],
    *,
    tls: RemoteTls | None,
    insecure: bool,
    serves: bool,
    groups: Sequence[str] | None,
) -> Transport:
    """The way to an address: ``unix:///path``, ``grpc://host:port``, ``grpcs://host:port`` or ``nats://host:port``."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise refused(address, "it is served on an asyncio loop; call this where one runs") from None
    if sys.platform == "win32":
        raise refused(address, "remote hooks need a system with Unix sockets; Windows is not supported yet")
    scheme, _, rest = address.partition("://")
    max_message = settings["max_message"]
    if scheme == "nats":
        return _nats(address, settings, groups, tls, insecure)
    if groups is not None:
        raise refused(address, "groups of workers are for nats:// addresses; write one, or leave them out")
    if tls is not None and scheme != "grpcs":
        raise refused(address, "`tls` is for grpcs:// and nats:// addresses; write one, or leave it out")
    if scheme == "unix" and rest.startswith("/"):
        from ._remote_unix import UnixTransport

        return UnixTransport(Path(rest), max_message)
    host, _, port = rest.rpartition(":")
    if scheme in ("grpc", "grpcs") and host and port.isdecimal() and int(port) <= MOST_PORT:
        is_far = not _is_loopback(host)
        if is_far and scheme == "grpc" and not insecure:
            why = "others could read and change what is sent; write grpcs:// and give `tls`, or set insecure=True"
            raise refused(address, why)
        if is_far and serves and settings["token"] is None and "ca" not in (tls or {}):
            why = "every program that reaches it could register hooks; set a `token`, or `ca` of the workers in `tls`"
            raise refused(address, why)
        files = _files(address, tls or {}, serves) if scheme == "grpcs" else None
        return _grpc(address, (host, int(port)), max_message, files)
    why = (
        "write `unix://` and an absolute path, such as `unix:///run/agent/hooks.sock`, `grpc://127.0.0.1:50051`, or "
        "`nats://127.0.0.1:4222`"
    )
    raise refused(address, why)


def _is_loopback(host: str) -> bool:
    """Whether only this machine can connect there."""
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return host == "localhost"


def _files(address: str, tls: RemoteTls, serves: bool) -> dict[str, bytes | None]:
    """The texts of the files for TLS."""
    for name in tls:
        if name not in TLS_FILES:
            near = _native.did_you_mean(name, TLS_FILES)
            raise refused(address, f"tls: unknown file `{name}`{near}; known are {', '.join(TLS_FILES)}")
    if ("cert" in tls) != ("key" in tls) or (serves and "cert" not in tls):
        raise refused(address, "tls: give `cert` and `key`, the files of the own certificate and its key")
    try:
        return {name: Path(tls[name]).read_bytes() if name in tls else None for name in TLS_FILES}  # type: ignore[literal-required]
    except OSError as error:
        raise refused(address, f"tls: {error}") from error


def _grpc(address: str, where: tuple[str, int], max_message: int, tls: dict[str, bytes | None] | None) -> Transport:
    try:
        from ._remote_grpc import GrpcTransport
    except ImportError as error:
        raise refused(address, f"gRPC is not installed ({error}); install hookweave[grpc]") from error
    return GrpcTransport(where, max_message, tls)


def _nats(
    address: str, settings: Mapping[str, Any], groups: Sequence[str] | None, tls: RemoteTls | None, insecure: bool
) -> Transport:
    if not groups or isinstance(groups, str):
        raise refused(
            address, "workers are found by their groups there; name them: groups=[…] to serve, group=… to connect"
        )
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise refused(address, error) from error
    if not parts.hostname or parts.path or parts.query or port == 0:
        raise refused(address, "write `nats://`, a host and a port, such as `nats://127.0.0.1:4222`")
    if tls is None and not insecure and not _is_loopback(parts.hostname):
        why = "others could read and change what is sent; give `tls`, which may be empty, or set insecure=True"
        raise refused(address, why)
    files = None if tls is None else _files(address, tls, serves=False)
    try:
        from ._remote_nats import NatsTransport
    except ImportError as error:
        raise refused(address, f"NATS is not installed ({error}); install hookweave[nats]") from error
    try:
        return NatsTransport(address, {**settings, "groups": list(groups)}, files)
    except (OSError, ValueError) as error:
        raise refused(address, f"tls: {error}") from error


def number(name: str, value: Any, least: int = 1, most: int = MOST) -> int:
    """A whole number within bounds."""
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise InvalidOptionError(f"{name} is a whole number from {least} to {most}, not {value!r}")


def milliseconds(name: str, value: Any) -> int:
    """Seconds, or a timedelta, in milliseconds."""
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0.001 <= seconds < MOST / 1000:
        return round(seconds * 1000)
    raise InvalidOptionError(f"{name} is a number of seconds from 0.001 on, not {value!r}")
