"""Files of hooks: loading, reloading, trust, lint, and the wire of other agents."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from hookweave import (
    ConfigError,
    Event,
    HookClient,
    HookResponse,
    HookweaveError,
    InvalidOptionError,
    PreToolUseEvent,
    TrustStore,
    UntrustedHookError,
    WireAnswer,
    WireEventError,
)

from hook_files import hooks_file, settings
from support import new_client

GUARD = {"event": "PreToolUse", "command": "exit 2", "dialect": "claude-code", "name": "guard"}
OTHER = {"event": "PreToolUse", "command": "true", "dialect": "claude-code", "name": "other"}


def decides(client: HookClient) -> str:
    return client.dispatch_sync("PreToolUse", tool="Bash", args={"command": "ls"}).decision


def test_a_plugin_keeps_data_beside_claude_code_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    file = tmp_path / "safe" / "hooks" / "hooks.json"
    file.parent.mkdir(parents=True)
    command = 'echo "$1" > "${CLAUDE_PLUGIN_DATA}/seen"; exit 2'
    hooks = [{"hooks": [{"type": "command", "command": command}]}]
    file.write_text(json.dumps({"hooks": {"PreToolUse": hooks}}))
    client = new_client()
    client.load(file)
    assert decides(client) == "block"
    assert (tmp_path / "claude" / "plugins" / "data" / "safe-inline" / "seen").is_file()


def test_a_report_of_loading(tmp_path: Path) -> None:
    client = new_client()
    file = hooks_file(tmp_path, GUARD, {"event": "PreToolUse", "command": 3}, {"event": "Stopp", "command": "true"})
    with pytest.raises(ConfigError, match=r"Stopp(.|\n)*`partial`"):
        client.load(file)
    assert client.list_hooks() == []
    with pytest.raises(InvalidOptionError, match="strict"):
        client.load(file, strict=True, partial=True)
    report = client.load(file, partial=True)
    assert len(report.hooks) == 1
    assert [(found.file, found.dialect, found.scope, found.hooks) for found in report.found] == [
        (file, "hookweave", "project", 1)
    ]
    assert [problem.fatal for problem in report.problems] == [True, True]
    assert "command" in report.problems[0].place and str(report.problems[0]).startswith(str(file))
    (hook,) = client.list_hooks()
    assert hook.origin is not None
    assert (hook.id, hook.name, hook.origin.file, hook.origin.runs) == (report.hooks[0], "guard", file, "exit 2")
    assert hook.origin.scope == "project"
    with pytest.raises(ConfigError, match="hooks"):
        new_client().load(file, strict=True)
    with pytest.raises(ConfigError, match="nowhere"):
        client.load(tmp_path / "nowhere.json")


def test_files_have_at_most_a_thousand_hooks_beside_those_that_are_registered(tmp_path: Path) -> None:
    client = new_client(max_total_hooks=1)
    client.register_hook("PreToolUse", lambda event: None)
    (tmp_path / "full").mkdir()
    (tmp_path / "more").mkdir()
    client.load(hooks_file(tmp_path / "full", *[{**GUARD, "name": f"guard-{i}"} for i in range(1000)]))
    with pytest.raises(ConfigError, match="1000 hooks are loaded from files, the limit"):
        client.load(hooks_file(tmp_path / "more", OTHER))
    assert len(client.list_hooks()) == 1001


@pytest.mark.parametrize("run", [asyncio.run, None, "trio"])
def test_a_reload_swaps_and_a_broken_file_keeps(run: Any, tmp_path: Path) -> None:
    client = new_client()
    hooks_file(tmp_path, OTHER)
    client.load(tmp_path / "hookweave.json")

    def reload() -> Any:
        if run is None:
            return client.reload_sync()
        return trio.run(client.reload) if run == "trio" else run(client.reload())

    assert decides(client) == "continue"
    file = hooks_file(tmp_path, OTHER, GUARD)
    report = reload()
    assert [change.name for change in report.added] == ["guard"] and decides(client) == "block"
    file.write_text("{", encoding="utf-8")
    report = reload()
    assert report.kept and str(file) in report.kept[0] and decides(client) == "block"
    hooks_file(tmp_path, OTHER)
    report = reload()
    assert [change.name for change in report.removed] == ["guard"] and report.removed[0].weaker
    assert decides(client) == "continue"


@pytest.mark.parametrize("sync", [True, False])
def test_a_hook_in_force_is_asked_before_protection_goes(sync: bool, tmp_path: Path) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, GUARD))
    asked: list[dict[str, Any]] = []

    @client.hook("ConfigChange")
    def keep(event: Event) -> HookResponse:
        asked.append(event.to_dict())
        return HookResponse.block("not while I am here")

    hooks_file(tmp_path)
    report = client.reload_sync() if sync else asyncio.run(client.reload())
    assert report.kept == ("not while I am here",) and decides(client) == "block"
    assert asked[0]["file_path"] == str(tmp_path / "hookweave.json")
    assert asked[0]["metadata"]["hookweave"]["hook"] == "guard"


def test_a_dispatch_under_way_keeps_its_hooks(tmp_path: Path) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, GUARD))

    @client.hook("PreToolUse", priority=-1)
    async def slow(event: Event) -> None:
        hooks_file(tmp_path, OTHER)
        await client.reload()

    async def main() -> list[str]:
        return [(await client.dispatch("PreToolUse", tool="Bash", args={})).decision for _ in range(2)]

    assert asyncio.run(main()) == ["block", "continue"]


def test_threads_that_load_reload_and_dispatch_at_once(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    client = new_client()
    folders = [tmp_path / str(number) for number in range(6)]
    for folder in folders:
        folder.mkdir()

    def work(folder: Path) -> None:
        client.load(hooks_file(folder, {**OTHER, "name": folder.name}))
        for number in range(15):
            hooks_file(folder, {**OTHER, "name": f"{folder.name}.{number}"})
            client.reload_sync()
            client.explain("PreToolUse", tool="Bash", args={})

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, folders))
    client.reload_sync()
    assert sorted(hook.name for hook in client.list_hooks()) == [f"{number}.14" for number in range(6)]


def test_hooks_of_a_project_run_once_they_are_approved(tmp_path: Path) -> None:
    store = tmp_path / "approvals.json"
    project = tmp_path / "project"
    project.mkdir()
    options: dict[str, Any] = {"sources": ["claude-code", "project"], "trust_store": store}

    def discovered() -> Any:
        client = new_client(project_dir=project)
        return client, client.discover(project, **options)

    settings(project, "PreToolUse", {"command": "exit 2"})
    client, report = discovered()
    assert report.hooks == () and decides(client) == "continue"
    (untrusted,) = report.untrusted
    assert untrusted.approval.runs == "exit 2" and untrusted.scope == "project" and untrusted.why
    with pytest.raises(UntrustedHookError, match="exit 2"):
        new_client().discover(project, on_untrusted="error", **options)

    TrustStore(store).approve(report.untrusted)
    client, report = discovered()
    assert report.untrusted == () and decides(client) == "block"
    (approved,) = TrustStore(store).approved()
    assert approved == replace(untrusted.approval, approved_at=approved.approved_at)
    assert (approved.project, approved.event, approved.approved_at > 0) == (project.resolve(), "PreToolUse", True)
    if os.name == "posix":
        assert store.stat().st_mode & 0o077 == 0

    settings(project, "PreToolUse", {"command": "exit 0"})
    client, report = discovered()
    assert len(report.untrusted) == 1 and decides(client) == "block", "it is another one than was approved"

    everything = new_client()
    assert len(everything.discover(project, sources=["claude-code", "project"], trust="all").hooks) == 1
    assert TrustStore(store).revoke([approved.fingerprint]) == 1
    assert TrustStore(store).approved() == []
    assert decides(discovered()[0]) == "continue"


def test_the_user_s_own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    project = tmp_path / "project"
    project.mkdir()
    settings(project, "PreToolUse", {"command": "exit 2"})
    client = new_client()
    report = client.discover(project, sources=["claude-code", "project"])
    client.trust.approve(report.untrusted[0])
    assert len(client.trust.approved()) == 1
    assert len(new_client().discover(project, sources=["claude-code", "project"]).hooks) == 1


def test_a_linter_says_what_will_surprise(tmp_path: Path) -> None:
    client = new_client()
    file = settings(tmp_path, "PreToolUse", {"command": "./no-such-guard.sh", "timeout": 30000}, matcher="bash")
    findings = client.lint(file)
    rules = {finding.rule for finding in findings}
    assert len(rules) >= 2 and all(finding.file == file and finding.message for finding in findings), findings
    assert client.list_hooks() == []
    with pytest.raises(HookweaveError):
        client.lint(tmp_path / "nowhere.json")


def test_an_event_from_another_agent_and_the_answer_to_it() -> None:
    sent = {
        "session_id": "s",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "rm -rf /"},
        "tool_use_id": "t",
        "cwd": "/project",
    }
    events = [Event.from_wire("claude-code", data) for data in (sent, json.dumps(sent), json.dumps(sent).encode())]
    event = events[0]
    assert isinstance(event, PreToolUseEvent)
    assert (event.tool, event.args, event.session_id) == ("Bash", {"command": "rm -rf /"}, "s")
    assert all(other.to_dict()["args"] == event.args for other in events)

    client = new_client()

    @client.hook("PreToolUse")
    def guard(event: PreToolUseEvent) -> HookResponse:
        return HookResponse.block("never")

    answer = client.dispatch_sync(event).to_wire("claude-code")
    assert isinstance(answer, WireAnswer)
    printed = json.loads(answer.stdout) if answer.stdout else {}
    assert answer.exit_code == 2 or printed["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "never" in answer.stdout + answer.stderr
    gemini = client.dispatch_sync(event).to_wire("gemini-cli")
    assert "never" in gemini.stdout + gemini.stderr


@pytest.mark.parametrize(
    ("dialect", "data", "error"),
    [
        ("claude-code", "{", WireEventError),
        ("claude-code", "[]", WireEventError),
        ("claude-code", {"hook_event_name": "NoSuchEvent"}, HookweaveError),
        ("no-such-agent", {}, HookweaveError),
        ("claude-code", {"x": object()}, WireEventError),
        ("claude-code", {"x": float("nan")}, WireEventError),
        ("claude-code", b"\xff{}", WireEventError),
        ("claude-code", 3, WireEventError),
        ("claude-code", "[" * 100_000, HookweaveError),
    ],
)
def test_what_is_no_event_is_refused(dialect: str, data: Any, error: Any) -> None:
    with pytest.raises(error):
        Event.from_wire(dialect, data)


def test_an_unknown_dialect_for_an_answer() -> None:
    outcome = new_client().dispatch_sync("Stop")
    with pytest.raises(HookweaveError, match="no-such-agent"):
        outcome.to_wire("no-such-agent")


def test_options_are_checked() -> None:
    refused: list[Callable[[], Any]] = [
        lambda: new_client(max_running=0),
        lambda: new_client(output_cap=-1),
        lambda: new_client(webhooks={"allowed_url": []}),
        lambda: new_client().load("x.json", scope="nobody"),  # type: ignore[arg-type]
        lambda: new_client().discover(".", trust="some"),  # type: ignore[arg-type]
    ]
    for make in refused:
        with pytest.raises(HookweaveError):
            make()
