"""Registering, listing, options, context managers, detached hooks, nesting, explaining."""

from __future__ import annotations

import asyncio
import bdb
import copy
import functools
import gc
import inspect
import logging
import pickle
import subprocess
import sys
import threading
import time
import types
import warnings
import weakref
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import trio
from hookweave import (
    ClientClosedError,
    Event,
    EventName,
    HookClient,
    HookInfo,
    HookLimitError,
    HookOptions,
    HookResponse,
    HookweaveError,
    InvalidDefinitionError,
    InvalidHookError,
    InvalidMatcherError,
    InvalidOptionError,
    Matcher,
    NestingError,
    NotPicklableError,
    Origin,
    PayloadError,
    PostToolUseEvent,
    PreToolUseEvent,
    UnknownEventError,
    UnknownHookError,
    _native,
)

from support import LIMIT, new_client, sleep, until_async


async def dispatched(client: HookClient) -> Any:
    return await client.dispatch("Stop")


def nothing(event: Event) -> None:
    """Answers nothing."""


def test_a_hook_is_listed_with_everything() -> None:
    client = new_client()
    hook = client.register_hook(
        "tool:pre",
        nothing,
        matcher={"tool": "Bash"},
        priority=-5,
        scope="project",
        timeout=timedelta(seconds=3),
        fail_behavior="block",
    )
    assert client.list_hooks() == [
        HookInfo(
            id=hook,
            name="nothing",
            event="PreToolUse",
            matcher={"tool": "Bash"},
            priority=-5,
            scope="project",
            timeout=3.0,
            fail_behavior="block",
            once=False,
            mandatory=True,
            detached=False,
            enabled=True,
            temporary=False,
            order=0,
            origin=Origin(
                Path(__file__),
                "nothing",
                nothing.__code__.co_firstlineno,
                "project",
                "hookweave",
                f"{__name__}.nothing",
            ),
        )
    ]


def test_unregister_enable_disable() -> None:
    client = new_client()
    hook = client.register_hook("Stop", nothing)
    client.disable_hook(hook)
    assert client.dispatch_sync("Stop").trace == [] and not client.list_hooks()[0].enabled
    client.enable_hook(hook)
    assert len(client.dispatch_sync("Stop").trace) == 1
    assert client.unregister_hook(hook) and not client.unregister_hook(hook) and not client.unregister_hook("nonsense")
    for act in (client.enable_hook, client.disable_hook):
        with pytest.raises(UnknownHookError, match="no hook has the id"):
            act(hook)


class _Callable:
    def __call__(self, event: Any) -> None: ...


def test_a_hook_without_a_name_is_called_as_its_function_or_by_its_line() -> None:
    client = new_client()
    unnamed = lambda event: None  # noqa: E731
    for handler in (nothing, functools.partial(nothing), unnamed, functools.partial(unnamed), _Callable()):
        client.register_hook("Stop", handler)
    of_lambda = f"test_clients.py:{unnamed.__code__.co_firstlineno}"
    of_call = f"test_clients.py:{_Callable.__call__.__code__.co_firstlineno}"
    assert [hook.name for hook in client.list_hooks()] == ["nothing", "nothing", of_lambda, of_lambda, of_call]


class _Agent(HookClient):
    """A client with an ``__init__`` of its own."""

    def __init__(self, name: str, tools: tuple[str, ...] = (), **options: Any) -> None:
        super().__init__(**options)
        self.name, self.tools = name, tools


class _Silent(HookClient):
    def __init__(self, name: str) -> None:
        self.name = name


def test_a_derived_client_may_have_an_init_of_its_own() -> None:
    agent = _Agent("helper", tools=("Bash",), default_timeout=timedelta(seconds=7))
    agent.register_hook("Stop", nothing)
    assert (agent.name, agent.tools, agent.list_hooks()[0].timeout) == ("helper", ("Bash",), 7.0)
    assert _Silent("other").name == "other"
    with pytest.raises(InvalidOptionError, match=r"_Agent: unknown option `mod` \(did you mean `mode`\?\)"):
        _Agent("helper", mod="parallel")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
        _Agent()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        HookClient("helper")  # type: ignore[misc]


def test_the_decorator_gives_the_function_back() -> None:
    client = new_client()
    assert client.hook("Stop")(nothing) is nothing
    assert client.hook("Stop", name="other")(nothing) is nothing
    assert [hook.name for hook in client.list_hooks()] == ["nothing", "other"]


REFUSED: list[tuple[type[HookweaveError], str, str, dict[str, Any], str]] = [
    (UnknownEventError, "unknown_event", "PreToolUs", {}, "did you mean `PreToolUse`"),
    (InvalidMatcherError, "invalid_matcher", "PreToolUse", {"matcher": {"tol": "x"}}, "did you mean `tool`"),
    (InvalidMatcherError, "invalid_matcher", "PreToolUse", {"matcher": {"tool_pattern": "("}}, "tool_pattern"),
    (InvalidMatcherError, "matcher_not_applicable", "SessionEnd", {"matcher": {"tool": "x"}}, "SessionEnd"),
    (InvalidHookError, "invalid_hook", "Stop", {"timeout": 0}, "timeout"),
    (InvalidHookError, "invalid_hook", "Stop", {"timeot": 1}, "did you mean `timeout`"),
    (InvalidHookError, "invalid_hook", "Stop", {"detached": True, "mandatory": True}, "detached"),
    (InvalidHookError, "invalid_hook", "Stop", {"detached": True, "async_": True}, "same as detached"),
]


@pytest.mark.parametrize(("kind", "code", "event", "options", "text"), REFUSED)
def test_refused_registrations(
    kind: type[HookweaveError], code: str, event: Any, options: dict[str, Any], text: str
) -> None:
    client = new_client()
    with pytest.raises(kind, match=text.replace("(", r"\(")) as refused:
        client.register_hook(event, nothing, **options)
    assert refused.value.code == code and isinstance(refused.value, HookweaveError)
    assert client.list_hooks() == []


def test_what_is_not_callable_is_refused() -> None:
    with pytest.raises(TypeError, match="not callable") as refused:
        new_client().register_hook("Stop", "nothing")  # type: ignore[call-overload]
    assert isinstance(refused.value, InvalidHookError) and refused.value.code == "invalid_hook"


class Handlers:
    def method(self, event: Event) -> None: ...

    @classmethod
    def of_class(cls, event: Event) -> None: ...

    @staticmethod
    def static(event: Event, more: int = 0) -> None: ...

    def nothing(self) -> None: ...

    def __call__(self, event: Event) -> None: ...


def any_number(*events: Event) -> None: ...


def with_keyword(event: Event, *, strict: bool) -> None: ...


async def two(client: HookClient, event: Event) -> None: ...


def test_a_handler_is_refused_that_can_never_be_called_with_an_event() -> None:
    client = new_client()
    for handler, text in [
        (lambda: None, "takes none"),
        (two, "two takes 2 arguments"),
        (with_keyword, "the keyword strict"),
        (Handlers().nothing, "takes none"),
        (Handlers.method, "2 arguments"),
    ]:
        with pytest.raises(InvalidHookError, match=text):
            client.register_hook("Stop", handler)  # type: ignore[call-overload]
    assert client.list_hooks() == []
    objects = Handlers()
    for handler in (
        objects.method,
        objects.of_class,
        objects.static,
        objects,
        any_number,
        functools.partial(two, client),
    ):
        client.register_hook("Stop", handler)
    assert len(client.list_hooks()) == 6


def test_a_comma_behind_an_answer_loses_no_block() -> None:
    answers: list[Any] = [(HookResponse.block("no"),), [HookResponse.ask("sure?")], ({"modified": {"args": {}}},)]
    for answer in answers:
        client = new_client()
        client.register_hook("PreToolUse", functools.partial(lambda answer, event: answer, answer))
        outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={})
        assert outcome.blocked and "comma" in str(outcome.reason), answer
    client = new_client()
    client.register_hook("PreToolUse", lambda event: (HookResponse.allow(),))  # type: ignore[call-overload]
    assert client.dispatch_sync("PreToolUse", tool="Bash", args={}).decision == "continue"


def test_a_decorator_without_its_call_swallows_no_function() -> None:
    client = new_client()
    for wrong in (nothing, Event, None, PreToolUseEvent(tool="x")):
        with pytest.raises(InvalidHookError, match="for an event's name or class"):
            client.hook(wrong)  # type: ignore[call-overload]
        with pytest.raises(InvalidHookError, match="for an event's name or class"):
            client.register_hook(wrong, nothing)  # type: ignore[call-overload]
    with pytest.raises(InvalidHookError, match="above `nothing`"):
        client.hook(nothing)  # type: ignore[call-overload]
    assert client.list_hooks() == []


def test_the_types_of_options_name_what_the_engine_knows() -> None:
    client: Any = new_client()
    with pytest.raises(InvalidMatcherError) as matcher:
        client.register_hook("Stop", nothing, matcher={"tol": 1})
    assert set(str(matcher.value).split("known are ")[1].split(", ")) == set(Matcher.__annotations__)
    with pytest.raises(InvalidHookError) as options:
        client.register_hook("Stop", nothing, timeot=1)
    known = set(str(options.value).split("known are ")[1].split(", "))
    # `temporary` is what temporary_hook sets, and `async` is a keyword of Python.
    assert known - {"temporary", "async"} == set(HookOptions.__annotations__) - {"async_"}


def test_unknown_options_name_the_nearest_known_one() -> None:
    client: Any = new_client()
    make: Any = HookClient
    for call, text in [
        (
            lambda: make(fail_behaviour="block"),
            "HookClient: unknown option `fail_behaviour` .did you mean `fail_behavior`",
        ),
        (lambda: make(timeout=3), "did you mean `default_timeout`"),
        (lambda: make(audits="info"), "did you mean `audit`"),
        (lambda: client.session(permisions="ask"), "session: unknown option `permisions` .did you mean `permissions`"),
        (lambda: client.session(id="s1"), "did you mean `session_id`"),
    ]:
        with pytest.raises(InvalidOptionError, match=text) as refused:
            call()
        assert refused.value.code == "invalid_option"
    with pytest.raises(InvalidHookError, match="did you mean `run_in_thread`"):
        client.register_hook("Stop", nothing, run_in_thred=True)


def test_a_timeout_that_looks_like_milliseconds_warns() -> None:
    client = new_client()
    with pytest.warns(UserWarning, match="timeout=3000 is 50 minutes: timeouts are in seconds") as warned:
        client.register_hook("Stop", nothing, timeout=3000)
    assert warned[0].filename == __file__
    with pytest.warns(UserWarning, match="default_timeout=5000") as warned:
        HookClient(default_timeout=5000)
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        client.register_hook("Stop", nothing, timeout=timedelta(seconds=3000))
        client.register_hook("Stop", nothing, timeout=600)


def test_a_hook_says_where_its_function_is() -> None:
    client = new_client()
    client.hook("Stop")(nothing)
    client.register_hook("Stop", functools.partial(any_number), name="partial")
    client.register_hook("Stop", Handlers().method)
    client.register_hook("Stop", Handlers(), name="object")
    client.register_hook("Stop", print, name="built in")
    origins = [hook.origin for hook in client.list_hooks()]
    places = [None if origin is None else (origin.file.name, origin.place) for origin in origins]
    here = "test_clients.py"
    assert places == [
        (here, "nothing"),
        (here, "any_number"),
        (here, "Handlers.method"),
        (here, "Handlers.__call__"),
        None,
    ]
    assert origins[0] is not None and origins[0].line == nothing.__code__.co_firstlineno
    assert origins[0].runs == f"{__name__}.nothing"


def test_events_and_outcomes_are_copied_and_referred_to_alike() -> None:
    client = new_client()
    event = PreToolUseEvent(tool="Bash", args={"command": "ls"})
    outcome = client.dispatch_sync(event)
    assert copy.copy(event) == copy.deepcopy(event) == pickle.loads(pickle.dumps(event)) == event
    assert copy.copy(outcome) is copy.deepcopy([outcome])[0] is outcome
    for held in (client, event, outcome, outcome.event, client.session()):
        assert weakref.ref(held)() is held
    for held, text in [
        (client, "make one in each process"),
        (outcome, "to_dict"),
        (client.session(), "open another one"),
    ]:
        with pytest.raises(NotPicklableError, match=text):
            pickle.dumps(held)
    for bound in (client, client.session()):
        for act in (copy.copy, copy.deepcopy):
            with pytest.raises(NotPicklableError, match="copied"):
                act(bound)


def test_an_outcome_as_text_says_who_decided() -> None:
    client = new_client()
    client.register_hook("PreToolUse", lambda event: HookResponse.block("no"), name="guard")
    outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={"command": "rm"})
    assert outcome.describe().startswith("PreToolUse of Bash: block by `guard`: no\n")
    assert str(outcome) == outcome.describe().strip() and f"{outcome}" == str(outcome)
    assert repr(outcome).startswith("<Outcome of PreToolUse: block")


def test_quitting_the_debugger_in_a_hook_ends_the_program() -> None:
    client = new_client(fail_behavior="block")

    def quits(event: Event) -> None:
        raise bdb.BdbQuit

    async def quits_later(event: Event) -> None:
        raise bdb.BdbQuit

    for handler in (quits, quits_later):
        with client.temporary_hook("Stop", handler), pytest.raises(bdb.BdbQuit):
            asyncio.run(dispatched(client))
    with client.temporary_hook("Stop", quits), pytest.raises(bdb.BdbQuit):
        client.dispatch_sync("Stop")


def test_a_class_of_the_catalogue_stands_for_its_event() -> None:
    client = new_client()

    class Own(PreToolUseEvent):
        pass

    client.hook(PreToolUseEvent)(nothing)
    client.register_hook(Own, nothing, matcher={"tool": "Bash"})
    with client.temporary_hook(PostToolUseEvent, nothing):
        assert [hook.event for hook in client.list_hooks()] == ["PreToolUse", "PreToolUse", "PostToolUse"]


def test_a_handler_that_yields_is_refused() -> None:
    client = new_client()

    def generator(event: Event) -> Any:
        yield HookResponse.block("no")

    async def async_generator(event: Event) -> Any:
        yield HookResponse.block("no")

    class Callable:
        def __call__(self, event: Event) -> Any:
            yield HookResponse.block("no")

    @types.coroutine
    def coroutine(event: Event) -> Any:
        yield

    for handler in (generator, async_generator, functools.partial(generator), Callable()):
        with pytest.raises(InvalidHookError, match="write `return`"):
            client.register_hook("Stop", handler)
    client.register_hook("Stop", coroutine)
    assert [hook.name for hook in client.list_hooks()] == ["coroutine"]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"profile": "defualt"}, "unknown_profile"),
        ({"mode": "sequental"}, "invalid_option"),
        ({"default_timeout": -1}, "invalid_option"),
        ({"max_detached": 0}, "invalid_option"),
    ],
)
def test_refused_options(options: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidOptionError) as refused:
        new_client(**options)
    assert refused.value.code == code and isinstance(refused.value, ValueError)


def test_limits_say_how_to_raise_them() -> None:
    client = new_client(max_total_hooks=1)
    client.register_hook("Stop", nothing)
    with pytest.raises(HookLimitError, match="max_total_hooks") as refused:
        client.register_hook("Stop", nothing)
    assert refused.value.code == "too_many_hooks"
    free = new_client(max_total_hooks=None, max_hooks_per_event=None)
    for _ in range(100):
        free.register_hook("Stop", nothing)


def test_custom_events_and_tools() -> None:
    client = new_client()
    deploy = client.define_event("Deploy", gate=True, modifiable=["target"])
    client.define_tool("shell", same_as="Bash", command="cmd", paths=["target"])
    seen: list[Any] = []

    @client.hook(deploy)
    def change(event: Event) -> dict[str, Any]:
        seen.append((type(event), event.event_type, event.target, event["target"]))
        return {"modified": {"target": "staging"}}

    @client.hook("PreToolUse", matcher={"tool": "Bash", "command_pattern": "^rm"})
    def guard(event: PreToolUseEvent) -> HookResponse:
        return HookResponse.block("rm")

    assert client.dispatch_sync(deploy, target="production").event.target == "staging"
    assert seen == [(Event, "Deploy", "production", "production")]
    assert client.dispatch_sync("PreToolUse", tool="shell", args={"cmd": "rm x"}).blocked
    assert client.dispatch_sync(EventName("deploy:start"), x=1).event["x"] == 1
    with pytest.raises(InvalidDefinitionError, match="built in"):
        client.define_event("PreToolUse")
    with pytest.raises(InvalidDefinitionError) as refused:
        client.define_tool("")
    assert refused.value.code == "invalid_tool_definition"


def test_payload_forms() -> None:
    client = new_client()
    payload = {"tool": "Bash", "args": {"command": "ls"}}
    forms = [
        client.dispatch_sync("PreToolUse", payload),
        client.dispatch_sync("PreToolUse", tool="Bash", args={"command": "ls"}),
        client.dispatch_sync("PreToolUse", {"tool": "Write"}, tool="Bash", args={"command": "ls"}),
        client.dispatch_sync(PreToolUseEvent(tool="Bash", args={"command": "ls"})),
        client.dispatch_sync("tool:pre", payload),
    ]
    for outcome in forms:
        assert (outcome.event.tool, outcome.event.args) == ("Bash", {"command": "ls"})
        assert type(outcome.event) is PreToolUseEvent
    assert payload == {"tool": "Bash", "args": {"command": "ls"}}
    assert client.dispatch_sync("FileChanged", {}, event="created", file_path="x").event.event == "created"
    untyped: Any = client
    for bad in ([1], "text", 3):
        with pytest.raises((PayloadError, TypeError, ValueError)):
            untyped.dispatch_sync("Stop", bad)
    with pytest.raises(PayloadError, match="event object"):
        untyped.dispatch_sync(PreToolUseEvent(tool="x"), {"tool": "y"})
    with pytest.raises(UnknownEventError):
        untyped.dispatch_sync(3)
    for call in (untyped.dispatch, untyped.dispatch_sync):
        with pytest.raises(TypeError):
            call()
        with pytest.raises(TypeError):
            call("Stop", {}, {})


def test_unknown_events_are_errors_at_once() -> None:
    with pytest.raises(UnknownEventError, match="did you mean `tool:pre`"):
        new_client().dispatch("tool:pree")  # type: ignore[call-overload]


def test_a_client_that_is_off_runs_nothing() -> None:
    client = new_client(enabled=False)
    ran: list[int] = []
    client.register_hook("Stop", lambda event: ran.append(1))
    assert client.dispatch_sync("Stop").trace == [] and not client.enabled
    client.enabled = True
    client.dispatch_sync("Stop")
    assert ran == [1]


@pytest.mark.parametrize("raises", [False, True])
def test_temporary_hooks(raises: bool) -> None:
    client = new_client()

    async def main() -> None:
        async with client.temporary_hook("Stop", nothing, priority=3) as hook:
            assert client.list_hooks()[0].id == hook and client.list_hooks()[0].temporary
            if raises:
                raise ValueError("from the body")

    def blocking() -> None:
        with client.temporary_hook("Stop", nothing):
            assert len(client.list_hooks()) == 1
            if raises:
                raise ValueError("from the body")

    for run in (lambda: asyncio.run(main()), blocking):
        if raises:
            with pytest.raises(ValueError, match="from the body"):
                run()
        else:
            run()
        assert client.list_hooks() == []
    temporary = client.temporary_hook("Stop", nothing)
    for _ in range(2):
        with temporary, pytest.raises(RuntimeError, match="in use"):
            temporary.__enter__()


def test_a_temporary_hook_that_was_never_registered_says_so() -> None:
    client = new_client()
    with pytest.warns(RuntimeWarning, match="was never registered"):
        client.temporary_hook("PreToolUse", nothing)
        gc.collect()


def test_every_option_of_the_engine_is_one_of_the_client() -> None:
    with pytest.raises(InvalidOptionError) as refused:
        _native.Client({"profiles": None})
    known = str(refused.value).split("known are ")[1].split(", ")
    # `audit` may hold functions, so that Python reads it by itself.
    assert {*known, "audit"} == set(inspect.signature(HookClient).parameters)


@pytest.mark.parametrize("raises", [False, True])
def test_leaving_a_block_closes_the_client(raises: bool) -> None:
    async def main(client: HookClient) -> None:
        async with client as same:
            assert same is client
            if raises:
                raise ValueError("from the body")

    def blocking(client: HookClient) -> None:
        with client:
            if raises:
                raise ValueError("from the body")

    for run in (lambda client: asyncio.run(main(client)), blocking):
        client = new_client()
        if raises:
            with pytest.raises(ValueError, match="from the body"):
                run(client)
        else:
            run(client)
        assert client.closed
        with pytest.raises(ClientClosedError) as refused:
            client.dispatch_sync("Stop")
        assert refused.value.code == "client_closed"
        with pytest.raises(ClientClosedError):
            client.dispatch("Stop")


@pytest.mark.parametrize("on_trio", [False, True])
def test_detached_hooks_are_drained(on_trio: bool, caplog: pytest.LogCaptureFixture) -> None:
    client = new_client(max_detached=2)
    ended: list[int] = []
    go = trio.Event() if on_trio else asyncio.Event()

    @client.hook("Stop", detached=True)
    async def later(event: Any) -> None:
        await go.wait()
        ended.append(event.turn_count)

    @client.hook("Stop", detached=True, timeout=0.01)
    async def hangs(event: Event) -> None:
        await sleep(3600)

    @client.hook("Stop", async_=True)
    def fails(event: Event) -> None:
        raise ValueError("nobody waits for this")

    async def main() -> None:
        for turn in range(5):
            outcome = await client.dispatch("Stop", turn_count=turn)
            assert [entry.status for entry in outcome.trace] == ["detached"] * 3
        assert ended == []
        assert not await client.drain(0)
        go.set()
        assert await client.drain(LIMIT)

    with caplog.at_level(logging.WARNING, "hookweave"):
        trio.run(main) if on_trio else asyncio.run(main())
    assert sorted(ended) == [0, 1, 2, 3, 4]
    messages = [record.getMessage() for record in caplog.records]
    assert sum("hangs failed on Stop" in text and "timeout" in text for text in messages) == 5
    assert sum("nobody waits for this" in text for text in messages) == 5


@pytest.mark.parametrize("on_trio", [False, True])
@pytest.mark.parametrize("starts", [False, True])
def test_detached_hooks_end_with_their_loop(on_trio: bool, starts: bool, caplog: pytest.LogCaptureFixture) -> None:
    """Those that run and those that wait for their turn, and the program ends as it would without them."""
    client = new_client(max_detached=1)
    began: list[int] = []

    @client.hook("Stop", detached=True)
    async def hangs(event: Any) -> None:
        began.append(event.turn_count)
        await sleep(3600)

    async def main() -> str:
        for turn in range(3):
            await client.dispatch("Stop", turn_count=turn)
        if starts:
            await until_async(lambda: began)
        return "done"

    async def drained() -> bool:
        return await client.drain(LIMIT)

    with caplog.at_level(logging.WARNING, "hookweave"):
        assert (trio.run(main) if on_trio else asyncio.run(main())) == "done"
    assert began in ([0], [0] if starts else [])
    messages = [record.getMessage() for record in caplog.records]
    assert [text.split(" s: ")[1].split(":")[0] for text in messages] == ["cancelled", "not_started", "not_started"]
    assert asyncio.run(drained())


def test_a_detached_hook_that_waits_for_something_cancelled_has_failed(caplog: pytest.LogCaptureFixture) -> None:
    """And the next one starts: its loop goes on."""
    client = new_client(max_detached=1)
    began: list[int] = []

    @client.hook("Stop", detached=True)
    async def waits(event: Any) -> None:
        began.append(event.turn_count)
        other: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        other.cancel()
        await other

    async def main() -> bool:
        await client.dispatch("Stop", turn_count=0)
        await client.dispatch("Stop", turn_count=1)
        return await client.drain(LIMIT)

    with caplog.at_level(logging.WARNING, "hookweave"):
        assert asyncio.run(main())
    assert began == [0, 1]
    assert all("raised" in record.getMessage() for record in caplog.records)


def test_detached_hooks_without_a_loop_run_on_threads() -> None:
    go, done = threading.Event(), threading.Event()

    def waits(event: Event) -> None:
        go.wait(LIMIT)
        time.sleep(0.02)
        done.set()

    with new_client() as client:
        client.register_hook("Stop", waits, detached=True)
        assert client.dispatch_sync("Stop").trace[0].status == "detached"
        assert not done.is_set()
        go.set()
    assert done.is_set()


def test_closing_waits_for_detached_hooks() -> None:
    ended: list[int] = []

    async def later(event: Event) -> None:
        await asyncio.sleep(0.02)
        ended.append(1)

    async def main() -> None:
        async with new_client() as client:
            client.register_hook("Stop", later, detached=True)
            await client.dispatch("Stop")

    asyncio.run(main())
    assert ended == [1]


def test_nesting_is_bounded_inline() -> None:
    client = new_client()
    depths: list[int] = []

    @client.hook("Stop")
    async def again(event: Any) -> None:
        depths.append(event.turn_count)
        await client.dispatch("Stop", turn_count=event.turn_count + 1)

    async def main() -> Any:
        return await client.dispatch("Stop", turn_count=0)

    assert asyncio.run(main()).trace[0].status == "ran"
    assert depths == list(range(17))
    del depths[:]

    @client.hook("SessionEnd")
    def sync(event: Any) -> None:
        depths.append(1)
        client.dispatch_sync("SessionEnd", reason="again")

    client.dispatch_sync("SessionEnd", reason="first")
    assert len(depths) == 17


def test_nesting_is_bounded_through_tasks() -> None:
    client = HookClient(default_timeout=None)
    depths: list[int] = []
    errors: list[BaseException] = []

    @client.hook("Stop")
    async def again(event: Any) -> None:
        depths.append(event.turn_count)

        async def elsewhere() -> None:
            try:
                await client.dispatch("Stop", turn_count=event.turn_count + 1)
            except NestingError as error:
                errors.append(error)

        await asyncio.create_task(elsewhere())

    async def main() -> Any:
        return await client.dispatch("Stop", turn_count=0)

    asyncio.run(main())
    assert len(depths) <= 20 and len(errors) == 1


def test_nesting_is_bounded_through_threads() -> None:
    client = HookClient(default_timeout=None)
    runs: list[int] = []

    @client.hook("Stop", run_in_thread=True)
    def again(event: Event) -> None:
        runs.append(1)
        client.dispatch_sync("Stop")

    client.dispatch_sync("Stop")
    assert len(runs) == 17


def test_side_by_side_dispatches_are_not_nested() -> None:
    client = new_client()

    @client.hook("Stop")
    async def waits(event: Event) -> None:
        await asyncio.sleep(0.001)

    async def main() -> list[Any]:
        return await asyncio.gather(*(client.dispatch("Stop") for _ in range(100)))

    assert all(outcome.trace[0].failure is None for outcome in asyncio.run(main()))


def test_explain_runs_nothing() -> None:
    client = new_client()
    client.register_hook("PreToolUse", lambda event: 1 / 0, name="bash", matcher={"tool": "Bash"})
    client.register_hook("PreToolUse", lambda event: 1 / 0, name="write", matcher={"tool": "Write"})
    explanation = client.explain("PreToolUse", tool="Bash", args={})
    assert (explanation.event, explanation.gate) == ("PreToolUse", True)
    explained = explanation.hooks
    assert [(hook.hook, hook.matched, hook.stage) for hook in explained] == [("bash", True, 0), ("write", False, None)]
    assert explained[1].why and "tool" in explained[1].why
    outcome = client.dispatch_sync("PreToolUse", tool="Read")
    assert [hook.hook for hook in outcome.unmatched] == ["bash", "write"]


def test_an_explanation_prints_as_text() -> None:
    client = new_client()
    client.register_hook("PreToolUse", lambda event: None, name="a", mandatory=True)
    client.register_hook("PreToolUse", lambda event: None, name="other", matcher={"tool": "Read"})
    explanation = client.explain("PreToolUse", tool="Bash", args={})
    first, a, other = str(explanation).split("\n")
    assert first == "PreToolUse (a gate), if every hook continues:"
    assert a == "  a      runs in stage 1, mandatory" and other.startswith("  other  does not run: ")
    assert explanation.describe() == str(explanation) and "_text" not in repr(explanation)
    assert str(client.explain("Stop")).endswith(": the event has no hooks")


def test_pickling_is_a_clear_error() -> None:
    with pytest.raises(NotPicklableError, match="make one in each process") as refused:
        pickle.dumps(new_client())
    assert refused.value.code == "not_picklable" and isinstance(refused.value, TypeError)


def test_catalogue_and_repr() -> None:
    client = new_client()
    events = {event["name"]: event for event in client.catalogue()}
    assert events["PreToolUse"]["gate"] and "tool:pre" in events["PreToolUse"]["aliases"]
    assert repr(client) == "<HookClient with 0 hooks, open>"


def test_failures_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    client = new_client()

    @client.hook("PreToolUse", matcher={"tool": "Bash"})
    def open_one(event: Event) -> None:
        raise ValueError("open")

    @client.hook("PreToolUse", fail_behavior="block")
    def closed_one(event: Event) -> None:
        raise ValueError("closed")

    with caplog.at_level(logging.DEBUG, "hookweave"):
        client.dispatch_sync("PreToolUse", tool="Bash")
        client.dispatch_sync("PreToolUse", tool="Read")
    found = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert ("INFO", "hook open_one started on PreToolUse") in found
    failures = [(level, text) for level, text in found if "failed" in text]
    assert [level for level, _ in failures] == ["WARNING", "ERROR", "ERROR"]
    assert "open_one" in failures[0][1] and "Bash" in failures[0][1] and "ValueError: open" in failures[0][1]
    assert any(level == "DEBUG" and "open_one not selected" in text for level, text in found)
    caplog.clear()
    with caplog.at_level(logging.WARNING, "hookweave"):
        client.dispatch_sync("Stop")
    assert caplog.records == []


def test_a_hook_that_fails_again_is_told_of_more_and_more_rarely(caplog: pytest.LogCaptureFixture) -> None:
    client = new_client()

    @client.hook("PreToolUse")
    def open_one(event: Event) -> None:
        raise ValueError("open")

    @client.hook("Stop", fail_behavior="block")
    def closed_one(event: Event) -> None:
        raise ValueError("closed")

    with caplog.at_level(logging.WARNING, "hookweave"):
        for _ in range(250):
            client.dispatch_sync("PreToolUse", tool="Bash", args={})
        messages = [record.getMessage() for record in caplog.records if record.exc_info]
        assert [text.rpartition("continues")[2] for text in messages] == [
            "",
            " (it has failed 10 times by now)",
            " (it has failed 100 times by now)",
        ]
        caplog.clear()
        for _ in range(5):
            client.dispatch_sync("Stop")
        assert [record.levelname for record in caplog.records if record.exc_info] == ["ERROR"] * 5
    assert client.stats().hooks[0].failures["raised"] == 250


def test_a_failing_guard_is_seen_where_no_logging_is_configured() -> None:
    program = """
from hookweave import HookClient
client = HookClient(default_timeout=600)
def guard(event):
    raise ValueError("no such rule")
client.register_hook("PreToolUse", guard)
for _ in range(9):
    print(client.dispatch_sync("PreToolUse", tool="Bash", args={}).decision)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.stdout.splitlines() == ["continue"] * 9
    assert done.stderr.count("hook guard") == 1
    assert "ValueError: no such rule; the action continues" in done.stderr


def test_the_cause_of_a_failure_is_kept() -> None:
    client = new_client()
    original = KeyError("missing")

    @client.hook("Stop")
    def fails(event: Event) -> None:
        raise original

    failure = client.dispatch_sync("Stop").trace[0].failure
    assert failure is not None
    assert failure.error.__cause__ is original and failure.message == "KeyError: 'missing'"
    assert failure.error.code == "raised" and failure.error.hook == "fails"


@pytest.mark.parametrize("paths", [("secrets/**", ".env"), (["secrets/**", ".env"],), (["secrets/**"], ".env")])
def test_protected_paths_are_given_one_by_one_in_a_list_or_both(paths: tuple[str | list[str], ...]) -> None:
    with HookClient() as client:
        client.protect_paths(*paths, for_="any")
        outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={"command": "cat .env"})
    assert outcome.reason == "these files must not be read or changed: secrets/**, .env"
