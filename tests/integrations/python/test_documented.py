"""The examples of docs/adapters.md run in their frameworks, and print what the page says."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import agent_langchain
import agent_openai_agents
import agent_pydantic_ai
from messages_api import MessagesApi
from world import Call, Seen

PAGE = Path(__file__).resolve().parents[3] / "docs" / "adapters.md"
TITLE, CODE = r"\n## (?P<title>[^\n]+)\n(?:(?!\n## ).)*?", r"```python\n(?P<code>.*?)```\n\n"
PRINTS = r"It prints:\n\n```text\n(?P<prints>.*?)```"
EXAMPLE = re.compile(TITLE + CODE + PRINTS, re.DOTALL)
EXAMPLES = list(EXAMPLE.finditer(PAGE.read_text("utf-8")))


def script(last: str = "done") -> list[Any]:
    """What the model of every example says."""
    return [[Call("Bash", {"command": "git push"}, "c0")], last]


MODELS = {
    "LangChain and deepagents": lambda: agent_langchain.Script(turns=script(), seen=Seen()),
    "pydantic-ai": lambda: agent_pydantic_ai.model_of(script(), Seen()),
    "OpenAI Agents SDK": lambda: agent_openai_agents.Script(script(), Seen()),
    "Claude Agent SDK": lambda: None,
    "MCP servers": lambda: None,
}


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


def test_every_adapter_has_an_example() -> None:
    assert {example["title"] for example in EXAMPLES} == MODELS.keys()


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["title"] for example in EXAMPLES])
def test_example(example: re.Match[str], claude_code: None, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(example["code"], "example", "exec"), {"model": MODELS[example["title"]](), "__name__": "example"})
    assert capsys.readouterr().out == example["prints"]
