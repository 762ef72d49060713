"""What a new user gets wrong: each mistake has an error that names the thing, the place and the fix.

The messages stand in ``tests/mistakes/python.json``; ``UPDATE_GOLDEN=1`` writes them anew.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import os
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hookweave
import pytest
from hookweave import Event, HookResponse, HookweaveError, PreToolUseEvent, ToolResult

GOLDEN = Path(__file__).resolve().parents[1] / "mistakes" / "python.json"
CALL = {"tool": "Bash", "args": {"command": "ls"}}
Client: Any = hookweave.HookClient
Mistake = Callable[[], Any]
MISTAKES: dict[str, Mistake] = {}


def mistake(function: Mistake) -> Mistake:
    """Adds a mistake under the name of its function."""
    MISTAKES[function.__name__.replace("_", " ")] = function
    return function


def nothing(event: Any) -> None: ...


def register(event: Any = "PreToolUse", handler: Any = nothing, **options: Any) -> None:
    Client().register_hook(event, handler, **options)


def answering(answer: Any, **options: Any) -> Any:
    """What becomes of a hook's answer: its failure, or the reason of the outcome."""
    client = Client()
    client.register_hook("PreToolUse", lambda event: answer, name="guard", **options)
    outcome = client.dispatch_sync("PreToolUse", **CALL)
    failure = outcome.trace[0].failure
    if failure is not None:
        raise failure.error
    return outcome


def in_session(act: Callable[[Any], Any], **options: Any) -> Any:
    async def main() -> Any:
        async with Client().session("s1", **options) as session:
            return await act(session)

    return asyncio.run(main())


def simple(name: str, act: Mistake) -> None:
    MISTAKES[name] = act


# Events.
simple("misspelt event", lambda: register("PreToolUs"))
simple("event in the words of another system", lambda: register("tool:before"))
simple("event without a colon that was not defined", lambda: register("deploy"))
simple("event in a namespace of the engine", lambda: register("tool:deploy"))
simple("event in small letters", lambda: register("pretooluse"))
simple("the base class as the event", lambda: register(Event))
simple("an event object as the event", lambda: register(PreToolUseEvent(tool="Bash")))
simple("a number as the event", lambda: register(3))
simple("dispatch of a misspelt event", lambda: Client().dispatch_sync("PreToolUs"))
simple("dispatch of a class", lambda: Client().dispatch_sync(PreToolUseEvent, tool="Bash"))
simple("defining a built-in event", lambda: Client().define_event("PreToolUse"))
simple("an event name with a space", lambda: Client().define_event("my event"))

# Handlers.
simple("the decorator without its call", lambda: Client().hook(_guard))
simple("a handler that is called at once", lambda: register("Stop", _guard(None)))
simple("a handler without a parameter", lambda: register("Stop", lambda: None))
simple("a handler with two parameters", lambda: register("Stop", _two))
simple("a method that is not bound", lambda: register("Stop", _Hooks.guard))
simple("a handler that yields", lambda: register("Stop", _yields))
simple("a coroutine function in a thread", lambda: register("Stop", _later, run_in_thread=True))
simple("an async handler in dispatch_sync", lambda: _sync_dispatch_of(_later))


def _guard(event: Any) -> None:
    """A hook."""


def _two(event: Any, client: Any) -> None: ...


def _yields(event: Any) -> Any:
    yield HookResponse.block("no")


async def _later(event: Any) -> None: ...


class _Hooks:
    def guard(self, event: Any) -> None: ...


def _sync_dispatch_of(handler: Any) -> None:
    client = Client()
    client.register_hook("Stop", handler)
    client.dispatch_sync("Stop")


# Options of a hook.
simple("misspelt option", lambda: register(timeot=3))
simple("misspelt option of Python alone", lambda: register(run_in_thred=True))
simple("an option in the spelling of TypeScript", lambda: register(failBehavior="block"))
simple("timeout of zero", lambda: register(timeout=0))
simple("timeout as text", lambda: register(timeout="3s"))
simple("timeout in milliseconds", lambda: register(timeout=3000))
simple("unknown fail_behavior", lambda: register(fail_behavior="deny"))
simple("unknown scope", lambda: register(scope="global"))
simple("priority as text", lambda: register(priority="high"))
simple("mandatory and detached", lambda: register(mandatory=True, detached=True))
simple("once and fail-closed", lambda: register(once=True, fail_behavior="block"))
simple("an empty name", lambda: register(name=" "))

# Matchers.
simple("misspelt matcher key", lambda: register(matcher={"tol": "Bash"}))
simple("a matcher key in the spelling of TypeScript", lambda: register(matcher={"commandPattern": "rm"}))
simple("a matcher that is a text", lambda: register(matcher="Bash"))
simple("a list of tools", lambda: register(matcher={"tool": ["Bash", "Edit"]}))
simple("a pattern that does not compile", lambda: register(matcher={"command_pattern": "rm ("}))
simple("a tool matcher for an event without tools", lambda: register("SessionEnd", matcher={"tool": "Bash"}))
simple("an argument test of another form", lambda: register(matcher={"args": {"path": {"regexp": "x"}}}))
simple("a rule without its end", lambda: register(matcher={"rule": "Bash(git *"}))

# Answers.
simple("a text as the answer", lambda: answering("block"))
simple("false as the answer", lambda: answering(False))
simple("false beside its reason", lambda: answering((False, "it is a secret")))
simple("an unknown action", lambda: answering({"action": "blok"}))
simple("an unknown part", lambda: answering({"action": "block", "reson": "no"}))
simple("a comma behind the answer", lambda: answering((HookResponse.block("no"),), fail_behavior="block"))
simple("modifying what cannot be modified", lambda: answering({"modified": {"tool": "Edit"}}))
simple("changing a response", lambda: setattr(HookResponse.block("no"), "reason", "other"))
simple("changing an event", lambda: setattr(PreToolUseEvent(tool="Bash"), "tool", "Edit"))
simple("a field that the event does not have", lambda: PreToolUseEvent(tool="Bash").tol)  # type: ignore[attr-defined]

# Clients and dispatches.
simple("a setting of the client from a derived __init__", lambda: Derived())
simple("an unknown setting of a derived client", lambda: Derived(fail_behaviour="block"))
simple("unknown option of the client", lambda: Client(fail_behaviour="block"))
simple("timeout instead of default_timeout", lambda: Client(timeout=3))
simple("unknown profile", lambda: Client(profile="claude"))
simple("a limit of zero", lambda: Client(max_total_hooks=0))
simple("unknown audit level", lambda: Client(audit="inof"))
simple("a payload that is a list", lambda: Client().dispatch_sync("Stop", [1]))
simple("an event object with fields", lambda: Client().dispatch_sync(PreToolUseEvent(tool="Bash"), tool="Edit"))
simple("a working directory that is a number", lambda: Client().dispatch_sync("Stop", cwd=3))
simple("pickling a client", lambda: __import__("pickle").dumps(Client()))
simple("removing a hook that is not there", lambda: Client().disable_hook("h99"))


@mistake
def a_forgotten_await() -> None:
    dispatch = Client().dispatch("Stop")
    try:
        _ = dispatch.blocked
    finally:
        dispatch.close()


@mistake
def an_outcome_as_a_condition() -> None:
    if Client().dispatch_sync("Stop"):
        pass


@mistake
def a_closed_client() -> None:
    client = Client()
    client.close()
    client.dispatch_sync("Stop")


@mistake
def one_hook_too_many() -> None:
    client = Client(max_total_hooks=1)
    client.hook("Stop")(_guard)
    client.hook("Stop")(_guard)


# Sessions.
simple("unknown option of a session", lambda: Client().session(permisions="ask"))
simple("unknown permission", lambda: Client().session(permissions={"Bash": "maybe"}))
simple("an approver that is a word", lambda: Client().session(approval="ask"))
simple("a tool that was not registered", lambda: in_session(lambda session: session.run_tool("Bash", {})))
simple("no model", lambda: in_session(lambda session: session.generate("hello")))
simple("deciding without pending approvals", lambda: Client().session().decide("q1", "Allow once"))
simple("a tool that is no function", lambda: Client().register_tool("Bash", "ls"))

# Files.
simple("a file that is not there", lambda: Client().load("/nonexistent/settings.json"))
simple("unknown dialect", lambda: Client().load("/nonexistent/settings.json", dialect="claude"))
simple("unknown scope of a file", lambda: Client().load("/nonexistent/settings.json", scope="global"))
simple("an event from the wire that is no JSON", lambda: Event.from_wire("claude-code", "hello"))
simple("an event from the wire of an unknown dialect", lambda: Event.from_wire("claude", "{}"))
simple("a command line as the arguments of a tool", lambda: in_session(_run("Bash", "ls")))
simple("arguments of a tool without names", lambda: in_session(_run("Bash", ["ls"])))
simple("a tool that is a number", lambda: in_session(_run(3, {})))
simple("a tool without a name", lambda: in_session(_run("", {})))
simple(
    "an approver that answers with a number", lambda: in_session(_asks, approval=lambda request: 1, permissions="ask")
)


def _run(tool: Any, args: Any) -> Any:
    return lambda session: session.run_tool(tool, args, lambda args: "ran")


class Derived(hookweave.HookClient):
    def __init__(self, **options: Any) -> None:
        super().__init__(**(options or {"mode": "parallel"}))


async def _asks(session: Any) -> None:
    outcome = await session.run_tool("Bash", {}, lambda args: ToolResult("x"))
    raise PermissionError(outcome.reason)


def told(name: str) -> dict[str, str]:
    """The error of a mistake, or the warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        try:
            result = MISTAKES[name]()
        except Exception as error:
            kind, code, text = type(error).__name__, getattr(error, "code", None), str(error)
        else:
            if inspect.iscoroutine(result):
                result.close()
            pytest.fail(f"{name}: no error, but {result!r}")
    # Ids, addresses and places differ from run to run.
    text = re.sub(r"0x[0-9a-f]+", "0x…", text)
    text = re.sub(r"/\S*/tests/python/", "", text)
    text = re.sub(r"\.py:\d+", ".py:…", text)
    return {"name": name, "error": kind, **({"code": str(code)} if isinstance(code, str) else {}), "message": text}


@pytest.fixture(scope="module")
def golden() -> dict[str, dict[str, str]]:
    if os.environ.get("UPDATE_GOLDEN"):
        logging.disable(logging.CRITICAL)
        text = json.dumps([told(name) for name in MISTAKES], indent=2, ensure_ascii=False)
        logging.disable(logging.NOTSET)
        GOLDEN.write_text(text + "\n", encoding="utf-8")
    return {known["name"]: known for known in json.loads(GOLDEN.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_has_its_message(name: str, golden: dict[str, dict[str, str]]) -> None:
    assert told(name) == golden[name]


def test_every_message_is_of_a_mistake(golden: dict[str, dict[str, str]]) -> None:
    assert list(golden) == list(MISTAKES) and len(golden) >= 50


def test_nothing_of_the_inside_is_named(golden: dict[str, dict[str, str]]) -> None:
    for known in golden.values():
        assert not re.search(r"_native|PyO3|hookweave_\w+::|object cannot be|__new__", known["message"]), known
        if known["error"] not in ("AttributeError", "PermissionError", "TypeError", "UserWarning"):
            assert issubclass(getattr(hookweave, known["error"]), HookweaveError), known
