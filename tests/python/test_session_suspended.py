"""Calls whose questions are answered later, and control flow that goes through a call."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hookweave import (
    Approval,
    ApprovalPending,
    ApprovalRequest,
    HookClient,
    HookResponse,
    InvalidOptionError,
    PayloadError,
    Suspended,
)

from support import new_client
from test_loops import LOOPS

LS = {"command": "ls"}


class Interrupt(Exception):
    """What a framework raises to leave a graph."""


def shell(args: dict[str, Any]) -> str:
    return f"ran {args['command']}"


def later(request: ApprovalRequest) -> str:
    raise Suspended


async def asked(client: HookClient, **options: Any) -> ApprovalRequest:
    """The question of a call that is put off."""
    session = client.session("s1", permissions="ask", approval=later, **options)
    with pytest.raises(ApprovalPending) as caught:
        await session.run_tool("Bash", LS, shell, tool_use_id="t1")
    return caught.value.request


@pytest.mark.parametrize("run", LOOPS)
def test_a_question_is_stored_and_answered_by_another_client(run: Callable[..., Any]) -> None:
    async def main() -> None:
        stored = json.dumps((await asked(new_client())).to_dict(), sort_keys=True)
        request = ApprovalRequest.from_dict(json.loads(stored))
        assert (request.tool_use_id, request.args, request.timeout) == ("t1", LS, 300.0)
        session = new_client().session("s1", permissions="ask", approval=later)
        answers = {request.id: Approval("Allow once", args={"command": "ls -l"})}
        call = await session.run_tool("Bash", LS, shell, tool_use_id="t1", answers=answers)
        assert call.output == "ran ls -l"

    run(main)


def test_a_question_survives_json_and_pickle() -> None:
    request = asyncio.run(asked(new_client()))
    assert ApprovalRequest.from_dict(request.to_dict()) == request
    assert request.to_dict()["timeout_ms"] == 300_000
    error = pickle.loads(pickle.dumps(ApprovalPending("wait", request=request)))
    assert (str(error), error.code, error.request) == ("wait", "approval_pending", request)
    with pytest.raises(PayloadError, match="`prompt` is missing"):
        ApprovalRequest.from_dict({name: value for name, value in request.to_dict().items() if name != "prompt"})


def test_arguments_without_a_json_form_are_asked_about_again() -> None:
    async def main() -> None:
        odd = {"when": object()}
        session = new_client().session("s1", permissions="ask", approval=later)
        answers: dict[str, str] = {}
        for _ in range(2):
            with pytest.raises(ApprovalPending) as caught:
                await session.run_tool("At", odd, shell, tool_use_id="t1", answers=answers)
            assert caught.value.request.to_dict()["args"] is None
            answers = {caught.value.request.id: "Allow once"}

    asyncio.run(main())


def test_an_answer_that_cannot_be_read_is_refused_before_any_hook() -> None:
    async def main() -> None:
        session = new_client().session("s1", permissions="ask")
        with pytest.raises(InvalidOptionError, match="the approver's answer"):
            await session.run_tool("Bash", LS, shell, answers={"x": {"choice": "Deny"}})

    asyncio.run(main())


def test_equal_questions_that_wait_have_ids_of_their_own() -> None:
    async def main() -> None:
        session = new_client().session("s1", permissions="ask", approval="pending")
        calls = [asyncio.create_task(session.run_tool("Bash", LS, shell, tool_use_id="t1")) for _ in range(2)]
        while len(session.pending()) < 2:
            await asyncio.sleep(0)
        first, second = (request.id for request in session.pending())
        assert second == f"{first}-2"
        session.decide(second, "Deny")
        session.decide(first, "Allow once")
        assert sorted([call.ran for call in await asyncio.gather(*calls)]) == [False, True]

    asyncio.run(main())


@pytest.mark.parametrize("run", LOOPS)
@pytest.mark.parametrize("is_async", [False, True])
def test_control_flow_of_an_approver_goes_through_and_nothing_is_used_up(
    run: Callable[..., Any], is_async: bool, tmp_path: Path
) -> None:
    raised: list[BaseException] = [Interrupt("leave"), KeyboardInterrupt()]

    def approve(request: ApprovalRequest) -> str:
        if raised:
            raise raised.pop(0)
        return "Deny"

    async def approve_later(request: ApprovalRequest) -> str:
        return approve(request)

    async def main() -> None:
        client = new_client(audit={"file": tmp_path / "log.jsonl"})
        client.register_hook("PreToolUse", lambda event: HookResponse.ask("sure?"), once=True)
        session = client.session("s1", approval=approve_later if is_async else approve)
        for _ in range(2):
            with pytest.raises((Interrupt, KeyboardInterrupt)):
                await session.run_tool("Bash", LS, shell, passes=Interrupt)
        call = await session.run_tool("Bash", LS, shell, passes=(Interrupt,))
        assert (call.ran, call.by) == (False, "user")
        client.close()

    run(main)
    records = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [record["outcome"] for record in records if record["kind"] == "tool_run"] == ["dropped", "dropped", "deny"]


@pytest.mark.parametrize("run", LOOPS)
def test_control_flow_of_a_tool_goes_through_and_nothing_is_used_up(run: Callable[..., Any]) -> None:
    heard: list[str] = []
    raised: list[Exception] = [Interrupt("leave")]

    def tool(args: dict[str, Any]) -> str:
        if raised:
            raise raised.pop()
        return "done"

    async def main() -> None:
        client = new_client()
        client.register_hook("PreToolUse", lambda event: heard.append(str(event.context.recent_tools)), once=True)
        client.register_hook("PostToolUseFailure", lambda event: heard.append("failed"))
        limit = {"when": "session.tool_calls >= 1"}
        client.register_hook("PreToolUse", lambda event: HookResponse.block("too many"), matcher=limit)
        session = client.session("s1")
        with pytest.raises(Interrupt, match="leave"):
            await session.run_tool("Bash", LS, tool, passes=(Interrupt,))
        assert (await session.run_tool("Bash", LS, tool, passes=(Interrupt,))).output == "done"
        assert (await session.run_tool("Bash", LS, tool)).reason == "too many"
        assert heard == ["[]", "[]"]

    run(main)


def test_other_errors_are_as_before() -> None:
    def fail(args: dict[str, Any]) -> str:
        raise ValueError("broken")

    async def main() -> None:
        call = await new_client().session("s1").run_tool("Bash", LS, fail, passes=(Interrupt,))
        assert (call.ran, call.ok, str(call.error)) == (True, False, "broken")

    asyncio.run(main())


def test_a_cancelled_question_is_no_use_of_a_hook() -> None:
    async def main() -> None:
        client = new_client()
        client.register_hook("PreToolUse", lambda event: HookResponse.ask("sure?"), once=True)
        session = client.session("s1", approval="pending")
        call = asyncio.create_task(session.run_tool("Bash", LS, shell))
        while not session.pending():
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert session.pending() == []
        call = asyncio.create_task(session.run_tool("Bash", {"command": "rm"}, shell))
        while not session.pending():
            await asyncio.sleep(0)
        session.decide(session.pending()[0].id, "Deny")
        assert not (await call).ran

    asyncio.run(main())
