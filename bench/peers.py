"""The packages that hookweave is measured against, installed apart from everything else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
WORK = ROOT / "target" / "bench"
VENV = WORK / "venv"
PYTHON = VENV / "bin" / "python"
NODE_FOLDER = WORK / "node"
# For a peer that refuses the Node that the other programs run on.
NODE24_FOLDER = WORK / "node24"
NODE24 = NODE24_FOLDER / "node_modules" / "node24" / "bin" / "node"
NODE24_VERSION = "24.21.0"

# Plain Python and plain JavaScript, to be had everywhere: without them something is wrong.
PYTHON_PEERS = ["blinker==1.9.0", "pluggy==1.7.0"]
NODE_PEERS = ["hookable@6.1.2", "hookified@2.2.0", "tapable@2.3.4"]


@dataclass(frozen=True)
class Peer:
    """A package with native code, and the program that measures it; both are left out where it cannot be installed."""

    package: str
    version: str
    program: str
    python: bool = True

    def installed(self) -> bool:
        """Whether its program can run."""
        if self.python:
            folder = f"{self.package.replace('-', '_')}-{self.version}.dist-info"
            return any(VENV.glob(f"lib/*/site-packages/{folder}"))
        # The package itself is JavaScript; what may be missing is the one with the native code, named for the machine.
        manifests = (NODE24_FOLDER / "node_modules").glob(f"{self.package}-*/package.json")
        return NODE24.exists() and any(json.loads(path.read_bytes())["version"] == self.version for path in manifests)


NATIVE_PEERS = [
    Peer("amplifier-core", "2.0.2", "python/amplifier"),
    Peer("claude-agent-sdk", "0.2.187", "python/claude_sdk"),
    Peer("agent-hooks-sdk", "0.1.0b3", "python/agent_hooks_sdk"),
    Peer("nemo-relay", "0.10.4", "python/relay"),
    Peer("nemo-relay-node", "0.9.2", "node/relay", python=False),
]


def left_out() -> list[Peer]:
    """The peers that could not be installed on this machine."""
    return [peer for peer in NATIVE_PEERS if not peer.installed()]


def install_peers(wheel: Path) -> None:
    """Makes the environments, with hookweave and every peer that there is for this machine in them."""
    if not PYTHON.exists():
        call([sys.executable, "-m", "venv", str(VENV)])
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    call([*pip, *PYTHON_PEERS])
    call([*pip, "--force-reinstall", "--no-deps", str(wheel)])
    npm(NODE_FOLDER, *NODE_PEERS)
    for peer in NATIVE_PEERS:
        try:
            if peer.python:
                call([*pip, "--only-binary", peer.package, f"{peer.package}=={peer.version}"])
            else:
                npm_on_24(f"{peer.package}@{peer.version}")
        except subprocess.CalledProcessError:
            pass
        if not peer.installed():
            print(f"note: {peer.package} {peer.version} cannot be installed here; {peer.program} is left out")


def npm_on_24(*packages: str) -> None:
    """Fills the folder of the newer Node, with that Node: npm passes over native code for another than it runs on."""
    command = ["node", "-p", "process.platform + '-' + process.arch"]
    system = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    node24 = f"node24@npm:node-{system}@{NODE24_VERSION}"
    if not NODE24.exists():
        npm(NODE24_FOLDER, node24)
    npm(NODE24_FOLDER, node24, *packages, path=f"{NODE24.parent}{os.pathsep}{os.environ['PATH']}")


def npm(folder: Path, *packages: str, path: str | None = None) -> None:
    """Fills a folder with packages, this checkout's hookweave and the programs."""
    folder.mkdir(exist_ok=True)
    (folder / "package.json").write_text('{ "type": "module", "private": true }\n', encoding="utf-8")
    environment = os.environ if path is None else {**os.environ, "PATH": path}
    call(["npm", "install", "--no-save", "--no-package-lock", "--loglevel=error", *packages], folder, environment)
    link = folder / "node_modules" / "hookweave"
    link.unlink(missing_ok=True)
    link.symlink_to(ROOT / "bindings-node", target_is_directory=True)
    for script in (BENCH / "node").glob("*.mjs"):
        shutil.copy(script, folder)


def call(command: list[str], cwd: Path = ROOT, environment: Mapping[str, str] = os.environ) -> None:
    """Runs a step of the installation."""
    subprocess.run(command, cwd=cwd, env=environment, check=True)
