"""`python -m hookweave`: the `hookweave` command that came with the package."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

NAME = f"hookweave{sysconfig.get_config_var('EXE') or ''}"


def places() -> Iterator[Path]:
    """Where an installer puts the scripts of a package."""
    yield Path(sysconfig.get_path("scripts")) / NAME
    # `pip install --user`, and `pip install --target` beside the package.
    yield Path(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user"))) / NAME
    yield Path(__file__).resolve().parent.parent / "bin" / NAME
    yield from built()


def built() -> list[Path]:
    """What cargo built in the checkout that an editable installation comes from, the newest first."""
    checkout = Path(__file__).resolve().parents[3]
    if not (checkout / "cli" / "Cargo.toml").is_file():
        return []
    target = Path(os.environ.get("CARGO_TARGET_DIR") or checkout / "target")
    places = [*target.glob(f"release/{NAME}"), *target.glob(f"debug/{NAME}")]
    places += [*target.glob(f"*-*/release/{NAME}"), *target.glob(f"*-*/debug/{NAME}")]
    return sorted(places, key=lambda place: place.stat().st_mtime, reverse=True)


def main() -> NoReturn:
    """Becomes the command."""
    program = next((place for place in places() if place.is_file()), None)
    if program is None:
        print(
            "error: the hookweave command did not come with this installation; run `pip install --force-reinstall "
            "hookweave`, or in a checkout `cargo build --release --package hookweave-cli`",
            file=sys.stderr,
        )
        sys.exit(2)
    command = [str(program), *sys.argv[1:]]
    if sys.platform == "win32":
        sys.exit(subprocess.run(command, check=False).returncode)
    # The command takes this process over, with its exit code and its signals; nothing comes back.
    os.execv(program, command)


if __name__ == "__main__":
    main()
