"""The adapters without the frameworks that they are for; `make test-integrations` runs them in these."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import hookweave
import pytest

PACKAGE = Path(hookweave.__path__[0])
ADAPTERS = sorted(path.stem for path in (PACKAGE / "integrations").glob("[a-z]*.py"))
FRAMEWORKS = (
    "agent_framework", "agents", "claude_agent_sdk", "crewai", "google.adk", "langchain", "mcp", "pydantic_ai",
    "strands",
)  # fmt: skip


def test_importing_the_adapters_package_needs_no_framework() -> None:
    program = f"import sys; sys.modules.update(dict.fromkeys({FRAMEWORKS})); import hookweave.integrations"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("name", ADAPTERS)
def test_without_its_framework_an_adapter_says_what_to_install(name: str) -> None:
    program = f"""
import sys
sys.modules.update(dict.fromkeys({FRAMEWORKS}))
try:
    import hookweave.integrations.{name}
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    extra = name.replace("_", "-")
    assert done.stdout.startswith(f"hookweave.integrations.{name} needs the framework")
    assert done.stdout.endswith(f'pip install "hookweave[{extra}]"\n')


def test_every_adapter_has_an_extra() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "bindings-python/pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"].keys()
    assert len(ADAPTERS) == 9
    assert extras - {"grpc", "nats", "telemetry", "test"} == {name.replace("_", "-") for name in ADAPTERS}
