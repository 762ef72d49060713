"""Runs amplifier-core's own tests of hooks on hookweave's registry and coordinator.

    pip install amplifier-core==1.6.0 pytest pytest-asyncio ./bindings-python
    git clone https://github.com/microsoft/amplifier-core
    python tests/compat/amplifier/suite.py amplifier-core

Nothing of those tests is changed, and nothing of them is kept here: a plugin swaps the classes before they are
imported. `docs/migration.md` has the counts, and why what fails differs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SUITES = {
    "registry": (
        "tests/test_hooks.py",
        "tests/test_hooks_alias.py",
        "tests/test_hooks_timestamp.py",
        "tests/test_emit_and_collect_returns_dicts.py",
        "bindings/python/tests/test_switchover_hooks.py",
    ),
    "coordinator": ("tests/test_process_hook_result.py",),
}


def main(source: Path) -> int:
    """Runs each suite; 0 if each ran."""
    here = Path(__file__).resolve().parent
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])}
    ran = True
    for suite, files in SUITES.items():
        print(f"== {suite}", flush=True)
        tests = [str(source / file) for file in files]
        options = ["-p", "swap", "-q", "--no-header", "-rf", "--rootdir", str(source), "-o", "addopts="]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests], cwd=source, env=environment, check=False
        )
        # 1 is a test that fails; anything above is a suite that did not run.
        ran = ran and done.returncode in (0, 1)
    return 0 if ran else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()) if len(sys.argv) == 2 else __doc__)
