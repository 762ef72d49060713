"""Certificates for tests of TLS."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support import LIMIT

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not here to make a certificate")


# With it `openssl ca` signs for dates of the past, which `openssl req` refuses.
AUTHORITY = """[ca]
default_ca = own
[own]
database = {folder}/index
serial = {folder}/serial
new_certs_dir = {folder}
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
"""


def _openssl(*arguments: object) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=LIMIT)


def identity(folder: Path, name: str, host: str = "localhost") -> dict[str, str]:
    """A certificate of a host, which is its own root, and its key."""
    tls = {"cert": str(folder / f"{name}.crt"), "key": str(folder / f"{name}.key")}
    names = ["-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"]
    _openssl(
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", 2, *names, "-keyout", tls["key"], "-out", tls["cert"]
    )
    return tls


def expired_identity(folder: Path, name: str) -> dict[str, str]:
    """The same of localhost, as of long ago."""
    tls = {"cert": str(folder / f"{name}.crt"), "key": str(folder / f"{name}.key")}
    (folder / "ca.cnf").write_text(AUTHORITY.format(folder=folder))
    (folder / "index").write_text("")
    (folder / "serial").write_text("01")
    request = folder / f"{name}.csr"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=CA:TRUE"]
    _openssl("req", "-new", "-newkey", "rsa:2048", "-nodes", *names, "-keyout", tls["key"], "-out", request)
    dates = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"]
    signs = ["-batch", "-notext", "-selfsign", "-config", folder / "ca.cnf", "-keyfile", tls["key"]]
    _openssl("ca", *signs, *dates, "-in", request, "-out", tls["cert"])
    return tls
