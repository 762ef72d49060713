"""A web page on which a person approves what an agent wants to do, served to this machine alone."""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
import selectors
import socket
import threading
import time
from collections.abc import Iterable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from hookweave import ApprovalRequest
from hookweave.errors import UnknownApprovalError

PAGE = Path(__file__).resolve().parent / "page"
FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}
# Nothing but its own three files, no markup made by scripts, never framed and never cached.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
LOOK_SECONDS = 0.1
HEARTBEAT_SECONDS = 15.0
# How long a page that was closed still counts as open.
MOMENT_SECONDS = 1.0
MOST_STREAMS = 32
MOST_BODY_BYTES = 4096


class Waiting(Protocol):
    """Where questions wait: a session with ``approval="pending"``, or a ``PendingApprovals`` of several sessions."""

    def pending(self) -> list[ApprovalRequest]:
        """What waits."""
        ...

    def decide(self, id: str, option: str) -> None:
        """Decides one of them."""
        ...


class ApprovalPage:
    """Serves the page for the time of a ``with`` block.

    ``origins`` names further addresses under which a browser may come, such as the ``https://…`` of a tunnel.
    """

    def __init__(self, waiting: Waiting, *, port: int = 0, origins: Iterable[str] = ()) -> None:
        self.waiting = waiting
        self.files = {path: ((PAGE / name).read_bytes(), kind) for path, (name, kind) in FILES.items()}
        self.token = secrets.token_urlsafe(32)
        self.streams = threading.BoundedSemaphore(MOST_STREAMS)
        self.changed = threading.Condition()
        self.open = True
        self._deadlines: dict[str, float] = {}
        self._requests: list[ApprovalRequest] = []
        foreign = [_origin(origin) for origin in origins]
        self._server = _Server(self, port)
        local = [f"http://{name}:{self._server.server_port}" for name in ("127.0.0.1", "localhost")]
        self.origins = {*local, *foreign}
        self.hosts = {urlsplit(origin).netloc for origin in self.origins}
        self.link = f"{local[0]}/#{self.token}"
        """What a person opens. What is behind the ``#`` is sent to no server and stands in no log."""

    def __enter__(self) -> ApprovalPage:
        threading.Thread(target=self._look, daemon=True).start()
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        with self.changed:
            self.open = False
            self.changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    def _look(self) -> None:
        """Tells the streams when something came or went, and notes since when a question waits."""
        while self.open:
            requests, now = self.waiting.pending(), time.monotonic()
            with self.changed:
                if [request.id for request in requests] != [request.id for request in self._requests]:
                    known = self._deadlines
                    self._deadlines = {request.id: known.get(request.id, now + request.timeout) for request in requests}
                    self._requests = requests
                    self.changed.notify_all()
            time.sleep(LOOK_SECONDS)

    def wait(self, shown: list[str] | None) -> list[str] | None:
        """Waits a moment for something else than what is shown; None when nothing came."""
        with self.changed:
            self.changed.wait_for(lambda: not self.open or self._ids() != shown, MOMENT_SECONDS)
            return self._ids() if self.open and self._ids() != shown else None

    def _ids(self) -> list[str]:
        return [request.id for request in self._requests]

    def snapshot(self) -> list[dict[str, Any]]:
        """What waits, as the page gets it: the engine's texts, in which nothing is left that a screen would obey."""
        with self.changed:
            now = time.monotonic()
            return [_view(request, self._deadlines[request.id] - now) for request in self._requests]


def _origin(given: str) -> str:
    """An origin as browsers send it."""
    parts = urlsplit(given)
    if given != f"{parts.scheme}://{parts.netloc}" or parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(f"`{given}` is no origin; write it as https://laptop.example, without a path")
    return given


def _view(request: ApprovalRequest, seconds: float) -> dict[str, Any]:
    fields = (
        "id",
        "event",
        "tool",
        "shown",
        "hook",
        "why",
        "reason",
        "prompt",
        "options",
        "granting",
        "default",
        "remember",
        "persistent",
    )
    view = {name: getattr(request, name) for name in fields}
    command = [{"text": part.text, "met": part.met} for part in request.command]
    asker = {"session": request.session_id, "agent": request.agent_id}
    return {**view, **asker, "command": command, "left_ms": max(0, int(seconds * 1000))}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, page: ApprovalPage, port: int) -> None:
        self.page = page
        # Never another address: any client with the token can decide.
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away in the middle is nothing to tell of."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version = "approvals"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    # A client that does not finish its request is disconnected: one that is silent, and one that sends it byte by byte.
    timeout = 10
    error_content_type = "text/plain; charset=utf-8"
    error_message_format = "%(code)d\n"

    def handle_one_request(self) -> None:
        """Reads a request within its time, of which each byte alone would get as much."""
        self._late = threading.Timer(self.timeout, self._disconnect)
        self._late.daemon = True
        self._late.start()
        try:
            super().handle_one_request()
        finally:
            self._late.cancel()

    def _disconnect(self) -> None:
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def do_GET(self) -> None:
        """The page's files, and the stream of what waits."""
        self._late.cancel()
        path = self.path.partition("?")[0]
        if not self._is_for_us():
            return
        if path in self.server.page.files:
            content, kind = self.server.page.files[path]
            self._send(HTTPStatus.OK, content, kind)
        elif path != "/events":
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        elif self._has_token():
            self._stream()

    def do_POST(self) -> None:
        """A decision."""
        # What may be left unread is not the next request.
        self.close_connection = True
        body = self._body()
        if body is None or not self._is_for_us() or not self._has_token():
            return
        if self.path != "/decide":
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        elif self.headers.get("Origin") is None:
            self._refuse(HTTPStatus.FORBIDDEN, "a decision has to come from the page")
        elif self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a decision is JSON")
        else:
            self._decide(body)

    def _is_for_us(self) -> bool:
        """Refuses other names for this machine (a foreign page may have one made for it) and foreign pages."""
        page, origin = self.server.page, self.headers.get("Origin")
        if self.headers.get("Host") in page.hosts and (origin is None or origin in page.origins):
            return True
        self._refuse(HTTPStatus.FORBIDDEN, "this page is not for others")
        return False

    def _has_token(self) -> bool:
        given = self.headers.get("Authorization", "").encode("utf-8", "replace")
        if hmac.compare_digest(given, f"Bearer {self.server.page.token}".encode()):
            return True
        self._refuse(HTTPStatus.UNAUTHORIZED, "open the link that the agent printed")
        return False

    def _body(self) -> bytes | None:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "the length is missing")
        elif len(length) > 9 or int(length) > MOST_BODY_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a decision is short")
        else:
            body = self.rfile.read(int(length))
            self._late.cancel()
            return body
        return None

    def _decide(self, body: bytes) -> None:
        try:
            given = json.loads(body)
            id, option = given["id"], given["option"]
        except (ValueError, KeyError, TypeError, RecursionError):
            id = option = None
        if not isinstance(id, str) or not isinstance(option, str):
            self._refuse(HTTPStatus.BAD_REQUEST, "a decision has an id and an option")
            return
        try:
            self.server.page.waiting.decide(id, option)
        except UnknownApprovalError as error:
            # Decided elsewhere, too late, or never asked.
            self._refuse(HTTPStatus.CONFLICT, str(error))
        else:
            self._send(HTTPStatus.OK, b"{}", "application/json")

    def _stream(self) -> None:
        page = self.server.page
        if not page.streams.acquire(blocking=False):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "too many pages are open")
            return
        try:
            self.close_connection = True
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            shown: list[str] | None = None
            heard = time.monotonic()
            while page.open and not self._is_gone():
                new = page.wait(shown)
                if new is None and time.monotonic() - heard < HEARTBEAT_SECONDS:
                    continue
                text = ": still here" if new is None else f"data: {json.dumps(page.snapshot())}"
                self.wfile.write(f"{text}\n\n".encode())
                shown, heard = (shown if new is None else new), time.monotonic()
        finally:
            page.streams.release()

    def _is_gone(self) -> bool:
        """Whether the browser has disconnected: it sends nothing more on a stream, so any input is its end."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.connection, selectors.EVENT_READ)
            return bool(selector.select(0))

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self._send(status, json.dumps({"error": why}).encode(), "application/json")

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def end_headers(self) -> None:
        """Adds to every answer, also to refusals, what keeps the page safe."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *values: object) -> None:
        """Logs nothing: requests are private."""
