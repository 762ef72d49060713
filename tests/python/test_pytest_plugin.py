"""The pytest plugin, in pytest runs of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = "pytester"

GUARD = """
from hookweave import HookLimitError, HookResponse
from hookweave.testing import *
import pytest

def guard(event):
    return HookResponse.block("no root here") if "sudo" in event.args["command"] else None

def broken(event):
    raise ValueError("no disk")
"""


def run(pytester: pytest.Pytester, test: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(test_hooks=GUARD + test)
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", "--strict-markers", *options)


def test_a_client_for_each_test(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
clients = []

@pytest.mark.parametrize("command, blocked", [("sudo id", True), ("id", False)])
def test_guard(hook_client, command, blocked):
    hook_client.register_hook("PreToolUse", guard)
    assert dispatch_sync(hook_client, tool_event("Bash", command=command)).blocked is blocked
    clients.append(hook_client)

def test_they_are_closed():
    assert len(set(clients)) == 2 and all(client.closed for client in clients)
""",
    )
    result.assert_outcomes(passed=3)


def test_the_marker_sets_options_of_the_client_and_loads_files(pytester: pytest.Pytester) -> None:
    command = "grep -q sudo && { echo 'no root here' >&2; exit 2; } || exit 0"
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]}
    pytester.makefile(".json", settings=json.dumps({"hooks": hooks}))
    result = run(
        pytester,
        """
pytestmark = pytest.mark.hookweave(default_timeout=2.5, max_hooks_per_event=7)

@pytest.mark.hookweave(load=["settings.json"], max_hooks_per_event=1)
def test_loaded(hook_client, tmp_path):
    assert_blocked(dispatch_sync(hook_client, tool_event("Bash", command="sudo id")), reason="no root")
    hook_client.register_hook("PreToolUse", guard)
    assert hook_client.list_hooks()[-1].timeout == 2.5
    with pytest.raises(HookLimitError):
        hook_client.register_hook("PreToolUse", guard)

@pytest.mark.hookweave(load="missing.json")
def test_missing(hook_client):
    pass

@pytest.mark.hookweave(max_hooks=2)
def test_no_option(hook_client):
    pass

@pytest.mark.hookweave("wingman")
def test_by_place(hook_client):
    pass

@pytest.mark.hookweave(aprovals=[True])
def test_misspelt(hook_session):
    pass
""",
    )
    result.assert_outcomes(passed=1, errors=4)
    result.stdout.fnmatch_lines(["*missing.json*", "*has no setting `max_hooks`*", "*takes its settings by name*"])
    result.stdout.fnmatch_lines(
        ["*test_misspelt: the marker `hookweave` has no setting `aprovals` (did you mean `approvals`[?])"]
    )


def test_a_hook_that_fails_unexpectedly_fails_the_test(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
def test_unexpected(hook_client):
    hook_client.register_hook("PreToolUse", broken)
    assert_continues(dispatch_sync(hook_client, tool_event("Bash")))

def test_in_the_background(hook_client):
    hook_client.register_hook("PreToolUse", broken, detached=True)
    hook_client.dispatch_sync("PreToolUse", tool="Bash", args={})

def test_expected(hook_client):
    hook_client.register_hook("PreToolUse", broken)
    assert_failed(dispatch_sync(hook_client, tool_event("Bash")), "broken", "raised")

@pytest.mark.hookweave(may_fail=["broken"])
def test_let(hook_client):
    hook_client.register_hook("PreToolUse", broken)
    assert_continues(dispatch_sync(hook_client, tool_event("Bash")))

def test_fails_by_itself(hook_client):
    hook_client.register_hook("PreToolUse", broken)
    dispatch_sync(hook_client, tool_event("Bash"))
    assert 1 == 2
""",
    )
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(
        [
            "*hooks failed unexpectedly: `broken`*",
            "*broken  failed        raised, so the action continues: *no disk*",
            "*a hook failed unexpectedly: detached hook broken failed*",
            "*assert 1 == 2*",
        ]
    )


def test_a_session_whose_questions_are_answered_by_script(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
import asyncio

def call(session):
    return asyncio.run(session.run_tool("Bash", {"command": "ls"}, RecordingTool("a.txt")))

@pytest.fixture
def asks(hook_client):
    hook_client.register_hook("PreToolUse", lambda event: HookResponse.ask("really?"), name="asks")

@pytest.mark.hookweave(approvals=[True])
def test_allowed(asks, hook_session, hook_approver):
    assert_allowed(call(hook_session))
    assert hook_approver.requests[0].prompt == "really?"

def test_denied(asks, hook_session, hook_approver):
    hook_approver.answer("Deny")
    assert_blocked(call(hook_session), by="user")

@pytest.mark.hookweave(session={"permissions": "deny"})
def test_permissions(hook_session):
    assert_blocked(call(hook_session), by="host")

def test_question_beyond_the_script(asks, hook_session):
    assert_blocked(call(hook_session))

@pytest.mark.hookweave(approvals=[True])
def test_answer_that_nobody_asked_for(hook_session):
    assert_continues(call(hook_session))
""",
    )
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(["*has 0 answers, and 1 question came*", "*has 1 answer, and 0 questions came*"])


SNAPSHOT = """
def test_trace(hook_client, tmp_path):
    hook_client.register_hook("PreToolUse", guard)
    asks = lambda event: HookResponse.ask(f"in {tmp_path}/x?")
    hook_client.register_hook("PreToolUse", asks, name="asks", priority=-1)
    assert_matches_snapshot(dispatch_sync(hook_client, tool_event("Bash", command="sudo id")), "sudo")
"""


def test_snapshots_are_written_when_told_and_compared_otherwise(pytester: pytest.Pytester) -> None:
    result = run(pytester, SNAPSHOT)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*there is no snapshot *sudo.json; `--hookweave-update` or HOOKWEAVE_UPDATE=1 writes*"]
    )
    run(pytester, SNAPSHOT, "--hookweave-update").assert_outcomes(passed=1)
    file = pytester.path / "hookweave-snapshots" / "test_hooks" / "sudo.json"
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept["asks"][0]["prompt"] == "in <tmp_path>/x?"
    run(pytester, SNAPSHOT).assert_outcomes(passed=1)
    changed = file.read_text(encoding="utf-8").replace('"by": "guard"', '"by": "other"')
    file.write_text(changed, encoding="utf-8")
    result = run(pytester, SNAPSHOT)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['*-  "by": "other",', '*+  "by": "guard",', "*PreToolUse of Bash: block by `guard`*"])
    assert file.read_text(encoding="utf-8") == changed


def test_without_pytest_the_environment_tells_to_write(tmp_path: Path) -> None:
    program = tmp_path / "check.py"
    program.write_text(
        GUARD.replace("import pytest", "from hookweave import HookClient")
        + "assert_matches_snapshot(dispatch_sync(HookClient(), tool_event('Bash')), 'quiet')\n",
        encoding="utf-8",
    )

    def run(update: str) -> int:
        env = {"HOOKWEAVE_UPDATE": update}
        return subprocess.run([sys.executable, program], env=env, capture_output=True, check=False).returncode

    assert [run(""), run("0"), run("1"), run("")] == [1, 1, 0, 0]
    assert (tmp_path / "hookweave-snapshots" / "check" / "quiet.json").exists()


def test_a_run_without_hooks_does_not_load_hookweave(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import sys\ndef test_it():\n    assert 'hookweave_pytest' in sys.modules and 'hookweave' not in sys.modules\n"
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_the_helpers_need_no_pytest() -> None:
    program = "import sys; sys.modules['pytest'] = None; import hookweave.testing"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_marker_and_the_fixtures_are_documented(pytester: pytest.Pytester) -> None:
    pytester.runpytest_subprocess("--markers").stdout.fnmatch_lines(["@pytest.mark.hookweave(*"])
    lines = ["hook_client*", "*closed at its end*", "hook_approver*", "hook_session*"]
    pytester.runpytest_subprocess("--fixtures").stdout.fnmatch_lines_random(lines)
