"""Integers on their way to commands and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hookweave import Event, PayloadError

from hook_files import hooks_file
from support import new_client

ANSWER = """python3 -c 'print("{\\"modified\\": {\\"args\\": {\\"n\\": " + "7" * %d + "}}}")'"""


@pytest.mark.parametrize("digits", [19, 20, 21, 4300])
def test_an_integer_of_any_size_comes_back(tmp_path: Path, digits: int) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, {"event": "PreToolUse", "command": ANSWER % digits}))
    outcome = client.dispatch_sync("PreToolUse", tool="T", args={"n": 1})
    assert outcome.event.args == {"n": int("7" * digits)}


def test_an_integer_that_python_does_not_take_keeps_the_gate_shut(tmp_path: Path) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, {"event": "PreToolUse", "command": ANSWER % 4301}))
    outcome = client.dispatch_sync("PreToolUse", tool="T", args={"n": 1})
    assert outcome.blocked
    assert outcome.trace[0].failure is not None
    assert (outcome.trace[0].failure.kind, "4300" in outcome.trace[0].failure.message) == ("invalid_answer", True)
    assert outcome.event.args == {"n": 1}


def test_an_integer_of_another_agent_that_python_does_not_take_is_refused() -> None:
    sent = '{"hook_event_name": "PreToolUse", "tool_name": "T", "tool_input": {"n": %s}}'
    digits = "7" * 4300
    assert Event.from_wire("claude-code", sent % digits).args == {"n": int(digits)}
    with pytest.raises(PayloadError, match="an integer of 4301 digits is longer than Python takes") as refused:
        Event.from_wire("claude-code", sent % (digits + "7"))
    assert refused.value.code == "payload_not_json"


def test_an_object_never_passes_for_a_number(tmp_path: Path) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, {"event": "PreToolUse", "command": f"cat > {tmp_path}/seen"}))
    outcome = client.dispatch_sync("PreToolUse", tool="T", args={"n": {"$serde_json::private::Number": "5"}})
    assert outcome.blocked
    assert not (tmp_path / "seen").exists()
