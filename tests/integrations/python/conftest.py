"""Frameworks that do not go together are in environments of their own, one of each file in `requirements`."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
ENVIRONMENTS = {path.stem for path in (HERE / "requirements").glob("*.txt")}
SHARED = "main"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--environment", default=SHARED, choices=sorted(ENVIRONMENTS), help="whose frameworks to test")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What one framework alone has is tested in its environment alone: `test_in_<environment>.py`."""
    name = collection_path.stem
    return True if name.startswith("test_in_") and name != f"test_in_{config.getoption('environment')}" else None


def adapters(config: pytest.Config) -> list[str]:
    """The adapters whose frameworks this environment has."""
    environment: str = config.getoption("environment")
    if environment != SHARED:
        return [environment]
    return sorted({path.stem.removeprefix("agent_") for path in HERE.glob("agent_*.py")} - ENVIRONMENTS)
