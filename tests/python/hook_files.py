"""Writes files of hooks for tests, and answers webhooks."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SAYS = "printf '%s' "
"""Followed by a quoted text: a command that prints it."""


def put(path: Path, text: str) -> Path:
    """Writes a file in one step, so that who watches it never sees half of it."""
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8")
    return new.replace(path)


def hooks_file(folder: Path, *hooks: dict[str, Any]) -> Path:
    """A file of the engine's own format."""
    return put(folder / "hookweave.json", json.dumps({"hookweave": 1, "hooks": list(hooks)}))


def settings(folder: Path, event: str, *hooks: dict[str, Any], matcher: str = "") -> Path:
    """A settings file of Claude Code with one group of hooks."""
    path = folder / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    groups = [{"matcher": matcher, "hooks": [{"type": "command", **hook} for hook in hooks]}]
    path.write_text(json.dumps({"hooks": {event: groups}}), encoding="utf-8")
    return path


def prints(answer: dict[str, Any]) -> str:
    """A command that prints an answer."""
    text = json.dumps(answer)
    assert "'" not in text
    return f"{SAYS}'{text}'"


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


@contextmanager
def server(answer: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Iterator[str]:
    """A web server on this machine; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            given = answer(body)
            text = b"" if given is None else json.dumps(given).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=web.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{web.server_address[1]}/"
    finally:
        web.shutdown()
        web.server_close()
        thread.join()
