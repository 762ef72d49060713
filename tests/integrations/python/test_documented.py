"""The examples of docs/adapters.md run in their frameworks, and print what the page says."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import adapters
from messages_api import MessagesApi
from world import Call, Seen

PAGE = Path(__file__).resolve().parents[3] / "docs" / "adapters.md"
TITLE, CODE = r"\n## (?P<title>[^\n]+)\n(?:(?!\n## ).)*?", r"```python\n(?P<code>.*?)```\n\n"
ADAPTER = re.compile(r"from hookweave\.integrations\.(\w+) import")
PRINTS = r"It prints:\n\n```text\n(?P<prints>.*?)```"
EXAMPLE = re.compile(TITLE + CODE + PRINTS, re.DOTALL)
EXAMPLES = {ADAPTER.findall(found["code"])[0]: found for found in EXAMPLE.finditer(PAGE.read_text("utf-8"))}


def script(last: str = "done") -> list[Any]:
    """What the model of every example says."""
    return [[Call("Bash", {"command": "git push"}, "c0")], last]


def model_of(agent: Any) -> Any:
    """The scripted model of a framework, where this program calls the model."""
    if hasattr(agent, "model_of"):
        return agent.model_of(script(), Seen())
    return agent.Script(turns=script(), seen=Seen()) if hasattr(agent, "Script") else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    metafunc.parametrize("name", adapters(metafunc.config))


@pytest.fixture
def claude_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Claude Code with a home of its own, and a script in place of its model."""
    for name in [name for name in os.environ if name.startswith(("CLAUDE", "ANTHROPIC"))]:
        monkeypatch.delenv(name)
    api = MessagesApi(script("the push was refused: never push"), Seen(), "", None)
    quiet = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY")
    own = {"HOME": str(tmp_path), "ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "of no use"}
    for name, value in {**dict.fromkeys(quiet, "1"), **own}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    yield
    api.close()


def test_example(name: str, claude_code: None, capsys: pytest.CaptureFixture[str]) -> None:
    example, agent = EXAMPLES[name], importlib.import_module(f"agent_{name}")
    exec(compile(example["code"], "example", "exec"), {"model": model_of(agent), "__name__": "example"})
    assert capsys.readouterr().out == example["prints"]
