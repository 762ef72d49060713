"""Who is asked, from where it is decided, and that what was approved is what runs."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hookweave import (
    Approval,
    ApprovalRequest,
    ConfigError,
    Event,
    HookResponse,
    InvalidOptionError,
    PendingApprovals,
    UnknownApprovalError,
)

from support import LIMIT, new_client
from test_loops import LOOPS


def shell(args: dict[str, Any]) -> str:
    return f"ran {args['command']}"


LS = {"command": "ls"}


def test_pending_approvals_are_decided_from_another_task() -> None:
    async def main() -> None:
        session = new_client().session("s-1", permissions={"Bash": "ask"}, approval="pending")
        call = asyncio.create_task(session.run_tool("Bash", LS, shell))
        while not session.pending():
            await asyncio.sleep(0)
        (request,) = session.pending()
        assert (request.event, request.tool, request.args, request.session_id) == ("PreToolUse", "Bash", LS, "s-1")
        assert request.shown == '{"command":"ls"}' and "Allow once" in request.granting
        with pytest.raises(UnknownApprovalError, match="is no option"):
            session.decide(request.id, "Perhaps")
        with pytest.raises(UnknownApprovalError, match="nothing waits"):
            session.decide("other", "Allow once")
        session.decide(request.id, "Allow once")
        assert (await call).ok and session.pending() == []
        with pytest.raises(UnknownApprovalError):
            session.decide(request.id, "Allow once")

    asyncio.run(main())


@pytest.mark.parametrize("run", LOOPS)
def test_pending_approvals_are_decided_from_a_thread(run: Callable[..., Any]) -> None:
    approvals = PendingApprovals()

    def decide() -> None:
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            for request in approvals.pending():
                approvals.decide(request.id, "Deny" if request.args["command"] == "rm" else "Allow once")
            if len(seen) == 2:
                return
            time.sleep(0.001)

    seen: list[bool] = []

    async def main() -> None:
        session = new_client().session(permissions="ask", approval=approvals)
        seen.append((await session.run_tool("Bash", LS, shell)).ok)
        denied = await session.run_tool("Bash", {"command": "rm"}, shell)
        assert denied.by == "user" and denied.reason is not None and denied.reason.startswith("user denied")
        seen.append(denied.ran)

    thread = threading.Thread(target=decide)
    thread.start()
    run(main)
    thread.join()
    assert seen == [True, False]


def test_a_session_without_a_queue_has_nothing_pending() -> None:
    session = new_client().session()
    assert session.pending() == []
    with pytest.raises(UnknownApprovalError, match="pending"):
        session.decide("x", "Allow once")


@pytest.mark.parametrize("run", LOOPS)
def test_nobody_answers_in_time(run: Callable[..., Any]) -> None:
    async def main() -> None:
        client = new_client()
        client.register_hook("PreToolUse", lambda event: HookResponse.ask("sure?", timeout=0.02))
        session = client.session(approval="pending")
        outcome = await session.run_tool("Bash", LS, shell)
        assert (outcome.ran, outcome.decision, outcome.by) == (False, "deny", "timeout")
        assert session.pending() == []

    run(main)


def test_an_approver_that_blocks_the_loop_may_be_too_late() -> None:
    def slow(request: ApprovalRequest) -> str:
        time.sleep(0.2)
        return "Allow once"

    async def main() -> None:
        client = new_client()
        client.register_hook("PreToolUse", lambda event: HookResponse.ask("sure?", timeout=0.02))
        outcome = await client.session(approval=slow).run_tool("Bash", LS, shell)
        assert (outcome.ran, outcome.by) == (False, "timeout")

    asyncio.run(main())


@pytest.mark.parametrize("answer", ["allow", True, None, 1, "Allow Once", "allow once ", ["Allow once"]])
def test_only_an_option_that_allows_allows(answer: Any) -> None:
    async def main() -> None:
        session = new_client().session(permissions="ask", approval=lambda request: answer)
        outcome = await session.run_tool("Bash", LS, shell)
        assert (outcome.ran, outcome.decision) == (False, "deny")

    asyncio.run(main())


def test_a_hook_says_which_of_its_options_allow() -> None:
    async def main() -> None:
        client = new_client()
        question = HookResponse.ask(
            "how?", options=["dry run", "for real", "not at all"], grants=["dry run", "for real"]
        )
        client.register_hook("PreToolUse", lambda event: question)
        for answer, ran in (("dry run", True), ("not at all", False), ("Allow once", False)):
            session = client.session(approval=lambda request, answer=answer: answer)
            assert (await session.run_tool("Bash", LS, shell)).ran is ran
        outcome = await client.dispatch("PreToolUse", tool="Bash", args=LS)
        assert outcome.asks[0].grants == ("dry run", "for real")

    asyncio.run(main())


def test_an_approver_that_raises_denies_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def approve(request: ApprovalRequest) -> str:
        raise OSError("no line")

    async def main() -> None:
        with caplog.at_level(logging.WARNING, logger="hookweave"):
            outcome = await new_client().session(permissions="ask", approval=approve).run_tool("Bash", LS, shell)
        assert (outcome.ran, outcome.by) == (False, "host")
        assert outcome.reason is not None and "no line" in outcome.reason

    asyncio.run(main())
    assert any("approver" in record.getMessage() for record in caplog.records)


def test_an_approver_that_cancels_itself_is_no_cancellation_of_the_caller() -> None:
    async def approve(request: ApprovalRequest) -> str:
        task = asyncio.ensure_future(asyncio.sleep(3600))
        task.cancel()
        await task
        return "Allow once"

    async def main() -> None:
        session = new_client().session(permissions="ask", approval=approve)
        outcome = await session.run_tool("Bash", LS, shell)
        assert (outcome.ran, outcome.by) == (False, "host")

    asyncio.run(main())


def test_changing_args_after_an_approval_changes_nothing() -> None:
    given = {"command": "ls", "list": [1]}
    asked: list[Any] = []

    def approve(request: ApprovalRequest) -> str:
        asked.append(request.args)
        given["command"] = "rm -rf /"
        given["list"].append(2)  # type: ignore[attr-defined]
        request.args["command"] = "rm -rf /"
        request.args["list"].append(3)
        return "Allow once"

    async def main() -> None:
        ran: list[Any] = []
        session = new_client().session(permissions="ask", approval=approve)
        outcome = await session.run_tool("Bash", given, ran.append)
        assert ran == [{"command": "ls", "list": [1]}]
        assert outcome.args == {"command": "ls", "list": [1]}

    asyncio.run(main())
    assert asked


class Sly(dict[str, Any]):
    """A container that its creator may change."""


class Opaque:
    def __init__(self) -> None:
        self.command = "ls"


@pytest.mark.parametrize("make", [dict, Sly, OrderedDict])
def test_a_hook_cannot_change_what_was_approved(make: Callable[..., Any]) -> None:
    kept: list[Any] = []
    shown: list[str | None] = []
    client = new_client()

    @client.hook("PreToolUse")
    def modify(event: Event) -> dict[str, Any]:
        args = make(command="ls", inner=make(deep=[make(x=1)]))
        kept.append(args)
        return {"modified": {"args": args}, "action": "ask"}

    def change() -> None:
        for args in kept:
            args["command"] = "rm -rf /"
            args["inner"]["deep"][0]["x"] = 2

    def approve(request: ApprovalRequest) -> str:
        shown.append(request.shown)
        change()
        return "Allow once"

    client.register_hook("PermissionGranted", lambda event: change())

    async def main() -> None:
        ran: list[Any] = []
        outcome = await client.session(approval=approve).run_tool("Bash", LS, ran.append)
        assert shown == ['{"command":"ls","inner":{"deep":[{"x":1}]}}']
        assert ran == [{"command": "ls", "inner": {"deep": [{"x": 1}]}}] and outcome.args == ran[0]

    asyncio.run(main())


def test_what_is_no_json_is_copied_before_it_is_approved() -> None:
    opaque = Opaque()

    def approve(request: ApprovalRequest) -> str:
        assert request.shown == '{"what":<a value of type Opaque>}'
        opaque.command = "rm -rf /"
        return "Allow always"

    async def main() -> None:
        session = new_client().session(permissions="ask", approval=approve)
        outcome = await session.run_tool("Bash", {"what": opaque}, lambda args: args["what"].command)
        assert outcome.output == "ls"
        locked = await session.run_tool("Bash", {"what": threading.Lock()}, lambda args: "ran")
        assert (locked.ran, locked.by) == (False, "host")

    asyncio.run(main())


@pytest.mark.parametrize("odd", [float("nan"), "\ud800", {1: 2}, threading.Lock])
def test_nothing_odd_hides_what_is_beside_it(odd: Any) -> None:
    shown: list[str | None] = []

    def approve(request: ApprovalRequest) -> str:
        shown.append(request.shown)
        return "Allow always"

    async def main() -> None:
        session = new_client().session(permissions="ask", approval=approve)
        for _ in range(2):
            assert (await session.run_tool("Bash", {"command": "rm -rf /", "odd": odd}, lambda args: "ran")).ran

    asyncio.run(main())
    # It is asked about both times: it cannot be determined whether it is the same.
    assert len(shown) == 2
    for text in shown:
        assert text is not None and text.startswith('{"command":"rm -rf /","odd":<') and text.endswith(">}"), text


def test_an_approval_is_kept_for_later_sessions(tmp_path: Path) -> None:
    """What a person allowed always, and nothing beside it, holds in another client, until the hook is another."""
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> str:
        asked.append(request)
        return "Allow always"

    store, (project, other) = tmp_path / "state" / "approvals.json", (tmp_path / "p", tmp_path / "q")
    for folder in (project, other):
        folder.mkdir()

    def ask(args: dict[str, Any], cwd: Path = project, tool: str = "Bash", name: str = "guard") -> bool:
        client = new_client()
        client.register_hook("PreToolUse", lambda event: HookResponse.ask("sure?"), name=name, matcher={"tool": tool})
        session = client.session(approval=approve, keep_approvals=store, cwd=cwd)
        before = len(asked)
        call = asyncio.run(session.run_tool("Bash", args, shell))
        assert call.ran
        return len(asked) > before

    assert ask(LS) and asked[0].persistent
    assert (store.stat().st_mode & 0o777, store.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert not ask(LS)
    assert ask({"command": "ls -l"}) and ask(LS, cwd=other) and ask(LS, tool="B*") and ask(LS, name="other")
    assert not ask(LS)


def test_a_hook_from_a_file_whose_script_changed_asks_again(tmp_path: Path) -> None:
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> str:
        asked.append(request)
        return "Allow always"

    project = tmp_path / "p"
    project.mkdir()
    script = project / "guard.sh"
    (project / "hookweave.json").write_text(
        '{"hookweave": 1, "hooks": [{"event": "PreToolUse", "command": "sh guard.sh"}]}'
    )

    def run() -> None:
        client = new_client(project_dir=project)
        client.load(project / "hookweave.json")
        session = client.session(approval=approve, keep_approvals=str(tmp_path / "approvals.json"))
        assert asyncio.run(session.run_tool("Bash", LS, shell)).ran

    script.write_text('echo \'{"ask": "sure?"}\'\n')
    run()
    run()
    assert len(asked) == 1
    script.write_text('# another\necho \'{"ask": "sure?"}\'\n')
    run()
    assert len(asked) == 2


def test_a_file_of_approvals_that_proves_nothing_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "approvals.json"
    store.write_text('{"hookweave": 1, "approvals": [{"fingerprint": "sha256:0"}]}')
    store.chmod(0o600)
    with pytest.raises(ConfigError, match="cannot be read"):
        new_client().session(keep_approvals=store)
    store.write_text('{"hookweave": 1, "approvals": []}')
    store.chmod(0o666)
    with pytest.raises(ConfigError, match="others can write it"):
        new_client().session(keep_approvals=store)
    with pytest.raises(ConfigError, match="working directory"):
        new_client().session(keep_approvals=store, cwd=tmp_path)
    with pytest.raises(InvalidOptionError, match="absolute path"):
        new_client().session(keep_approvals="approvals.json")
    assert not new_client().session(approval="allow").closed


def test_the_approvals_of_a_user_are_in_the_directory_for_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    session = new_client().session(permissions="ask", approval=lambda _: "Allow always", keep_approvals="user")
    assert asyncio.run(session.run_tool("Bash", LS, shell)).ran
    assert (tmp_path / "hookweave" / "approvals.json").exists()
    session = new_client().session(permissions="ask", approval="deny", keep_approvals="user")
    call = asyncio.run(session.run_tool("Bash", LS, shell))
    assert call.ran and not asyncio.run(session.run_tool("Edit", LS, shell)).ran


def test_the_second_thing_that_an_approval_is_given_is_its_reason() -> None:
    session = new_client().session(permissions="ask", approval=lambda _: Approval("Deny", "Not today."))
    call = asyncio.run(session.run_tool("Bash", LS, shell))
    assert call.reason is not None and call.reason.endswith(": Not today.")
    with pytest.raises(TypeError):
        Approval("Allow once", "why", LS)  # type: ignore[misc]


def test_a_pending_question_is_denied_with_a_reason_and_another_is_edited() -> None:
    async def main() -> None:
        session = new_client().session(permissions="ask", approval="pending")
        calls = [asyncio.create_task(session.run_tool("Bash", {"command": name}, shell)) for name in ("a", "b")]
        while len(session.pending()) < 2:
            await asyncio.sleep(0)
        first, second = session.pending()
        session.decide(first.id, "Deny", reason="Not today.")
        session.decide(second.id, "Allow once", args=LS)
        denied, allowed = await asyncio.gather(*calls)
        assert denied.reason == "user denied: Run Bash? (the host): Not today."
        assert (allowed.output, allowed.args, session.pending()) == ("ran ls", LS, [])

    asyncio.run(main())


def test_arguments_that_an_approver_gives_are_copied() -> None:
    edited = {"command": "ls"}

    def look(event: Event) -> None:
        edited["command"] = "rm -rf /"

    client = new_client()
    client.register_hook("PermissionGranted", look)
    session = client.session(permissions="ask", approval=lambda request: Approval("Allow once", args=edited))
    call = asyncio.run(session.run_tool("Bash", {"command": "x"}, shell))
    assert (call.output, edited["command"]) == ("ran ls", "rm -rf /")


def test_edited_arguments_without_a_json_form_are_refused() -> None:
    session = new_client().session(
        permissions="ask", approval=lambda request: {"option": "Allow once", "args": {"command": object()}}
    )
    call = asyncio.run(session.run_tool("Bash", LS, shell))
    assert (call.ran, call.by) == (False, "host")
    assert "must be an object with a JSON form" in str(call.reason)
