"""Where a case with files plays: a directory of its own, with a web server when the case has one."""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
import time
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from hookweave import HookClient
from hookweave.files import LoadReport, TrustStore

from .values import MISSING, fits

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
LISTS = ("problems", "untrusted", "found", "added", "removed", "changed", "kept", "options")
MUST_BE_EMPTY = ("problems", "untrusted")


def has_file_hooks(case: dict[str, Any]) -> bool:
    """Whether a case is about hooks from files."""
    return any(name in case for name in ("files", "load", "lint"))


def fill(value: Any, places: dict[str, str]) -> Any:
    """The value with its texts' places filled in."""
    if isinstance(value, str):
        for name, place in places.items():
            value = value.replace(name, place)
        return value
    if isinstance(value, list):
        return [fill(item, places) for item in value]
    if isinstance(value, dict):
        return {name: fill(item, places) for name, item in value.items()}
    return value


def plain(value: Any) -> Any:
    """A part of a report as JSON would hold it."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


class Server:
    """Answers as a case says and remembers what it was asked."""

    def __init__(self, answers: dict[str, Any]) -> None:
        asked: list[dict[str, Any]] = []

        class Answering(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked.append(
                    {"method": self.command, "path": self.path, "headers": headers, "body": json.loads(body or b"null")}
                )
                written = answers.get(self.path, {"status": 404})
                time.sleep(written.get("delay_ms", 0) / 1000)
                given = written.get("body", "")
                text = (given if isinstance(given, str) else json.dumps(given)).encode()
                try:
                    self.send_response(written.get("status", 200))
                    for name, value in {**written.get("headers", {}), "Content-Length": str(len(text))}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(text)
                except OSError:
                    return  # the client has disconnected

            do_POST = do_PUT = do_GET = answer  # noqa: N815

            def log_message(self, *_: Any) -> None:
                """Says nothing."""

        self.asked = asked
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Ends the server."""
        self._server.shutdown()
        self._server.server_close()


class Place:
    """The place of one run; ``case`` is the case with its texts filled in."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="hookweave-vectors-")).resolve()
        self.project = self.root / "project"
        self.project.mkdir()
        self.trust_store = self.root / "trust.json"
        places = {"{project}": str(self.project)}
        self.server = Server(fill(case["server"], places)) if "server" in case else None
        if self.server is not None:
            places["{server}"] = self.server.url
        self.case = fill(case, places)
        for file in self.case["files"]:
            self.write(file)

    def close(self) -> None:
        """Takes the place away."""
        if self.server is not None:
            self.server.close()
        shutil.rmtree(self.root, ignore_errors=True)

    def write(self, file: dict[str, Any]) -> None:
        """Writes a file of the case."""
        script = CORPUS / file["corpus"] if "corpus" in file else None
        target = self.project / file.get("path", f"hooks/{Path(file.get('corpus', '')).name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        if script is not None:
            shutil.copyfile(script, target)
            shutil.copymode(script, target)
            return
        text = json.dumps(file["content"]) if "content" in file else file["text"]
        target.write_bytes(text.encode())
        if file.get("executable"):
            target.chmod(0o755)

    def load(self, client: HookClient, entry: dict[str, Any]) -> LoadReport:
        """Loads what an entry names."""
        if "path" in entry:
            options = {
                name: entry[name] for name in ("dialect", "scope", "strict", "partial", "enforcement") if name in entry
            }
            return client.load(self.project / entry["path"], **options)
        names = ("sources", "trust", "on_untrusted", "strict", "partial", "enforcement", "agent", "plugins")
        options = {name: entry[name] for name in names if name in entry}
        return client.discover(self.project / entry["discover"], trust_store=self.trust_store, **options)

    def lint(self, client: HookClient, entry: dict[str, Any]) -> list[str]:
        """Lints what an entry names; gives where the findings are not as expected."""
        found = client.lint(self.project / entry["path"], dialect=entry.get("dialect"))
        return fits(entry.get("findings", []), plain([asdict(finding) for finding in found]), f"lint {entry['path']}")

    def approve(self, client: HookClient, entry: dict[str, Any]) -> None:
        """Approves every pending hook in the usual places of the project."""
        report = self.load(client, {"discover": ".", **entry})
        TrustStore(self.trust_store).approve(report.untrusted)

    def report_faults(self, wanted: dict[str, Any], report: LoadReport) -> list[str]:
        """Where a report is not as expected; an unexpected entry is a fault too."""
        got = plain(asdict(report))
        faults = []
        for name in LISTS:
            if name in wanted or name in MUST_BE_EMPTY:
                faults += fits(wanted.get(name, []), got.get(name, MISSING), f"report.{name}")
        return faults

    def payload(self, payload: dict[str, Any]) -> dict[str, Any]:
        """A payload with the project as its working directory, unless it has another."""
        return payload if "cwd" in payload else {**payload, "cwd": str(self.project)}

    def faults(self, expect: dict[str, Any]) -> list[str]:
        """Holds what hooks left in files, and what the server was asked, against what is expected."""
        faults = []
        for path, pattern in expect.get("saw", {}).items():
            faults += fits(pattern, self._seen(path), f"saw {path}")
        asked: list[Any] = []
        if self.server is not None:
            asked, self.server.asked[:] = list(self.server.asked), []
        if "requests" in expect:
            faults += fits(expect["requests"], asked, "requests")
        return faults

    def _seen(self, path: str) -> Any:
        file = self.project / path
        if not file.exists():
            return MISSING
        text = file.read_text(encoding="utf-8")
        return json.loads(text) if path.endswith(".json") else text.rstrip()
