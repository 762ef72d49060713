"""Calls of the model in halves: what is said at the wrong time, and code that is not async."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hookweave import AwaitableInSyncDispatchError, HookResponse, PayloadError, SessionClosedError

from support import new_client
from test_loops import LOOPS


@pytest.mark.parametrize("run", LOOPS)
def test_a_call_is_ended_once_and_has_an_outcome_then(run: Callable[..., Any]) -> None:
    async def main() -> None:
        client = new_client()
        session = client.session("s1")
        call = await session.begin_model("hi", tools=["Bash"])
        assert (call.runs, call.request.prompt, call.request.tools) == (True, "hi", ["Bash"])
        with pytest.raises(PayloadError, match=r"the call of the model has no outcome: it is still to be made"):
            _ = call.outcome
        await call.answered({"text": "hello", "usage": {"total_tokens": 3}})
        assert (call.runs, call.outcome.text, call.outcome.error) == (False, "hello", None)
        events = [outcome.event.event_type for outcome in call.outcome.outcomes]
        assert events == ["GenerateStart", "GenerateEnd"]
        for end in (call.answered("again"), call.failed(OSError("late"))):
            with pytest.raises(PayloadError, match="the model is not to be called; look at `runs` first"):
                await end
        client.register_hook("GenerateStart", lambda event: HookResponse.block("no"))
        refused = await session.begin_model("hi")
        assert (refused.runs, refused.outcome.status, refused.outcome.reason) == (False, "blocked", "no")
        with pytest.raises(PayloadError, match="was refused and has no request"):
            _ = refused.request

    run(main)


def test_the_error_of_the_model_is_in_the_outcome() -> None:
    session = new_client().session("s1")
    cause = OSError("overloaded")
    call = session.begin_model_sync("hi")
    call.failed_sync(cause)
    assert (call.outcome.status, call.outcome.reason, call.outcome.error) == ("failed", "overloaded", cause)
    odd = session.begin_model_sync("hi")
    odd.answered_sync(7)  # type: ignore[arg-type]
    assert odd.outcome.status == "failed"
    assert isinstance(odd.outcome.error, TypeError)


def test_an_async_hook_is_refused_before_any_hook_runs() -> None:
    client, ran = new_client(), []
    client.register_hook("GenerateStart", lambda event: ran.append(event))

    async def later(event: object) -> None:
        ran.append(event)

    client.register_hook("GenerateStart", later)
    with pytest.raises(AwaitableInSyncDispatchError):
        client.session("s1").begin_model_sync("hi")
    assert not ran


def test_nothing_begins_after_the_end() -> None:
    async def main() -> None:
        session = new_client().session("s1")
        await session.end()
        with pytest.raises(SessionClosedError):
            await session.begin_model("hi")

    asyncio.run(main())
