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


def main() -> NoReturn:
    """Becomes the command."""
    program = next((place for place in places() if place.is_file()), None)
    if program is None:
        print(
            "error: the hookweave command did not come with this installation, as with one that is editable; "
            "run `pip install --force-reinstall hookweave`, or `cargo install hookweave-cli`",
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
