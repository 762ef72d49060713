"""Certificates for tests of TLS."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support import LIMIT

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not here to make a certificate")


def identity(folder: Path, name: str) -> dict[str, str]:
    """A certificate of localhost, which is its own root, and its key."""
    tls = {"cert": str(folder / f"{name}.crt"), "key": str(folder / f"{name}.key")}
    request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", tls["key"], "-out", tls["cert"]]
    subprocess.run(["openssl", *request, *names], check=True, capture_output=True, timeout=LIMIT)
    return tls
