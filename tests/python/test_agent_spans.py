"""The spans of a whole agent: its run, its model's calls, its tools, and the hooks that judged each of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hookweave import HookResponse, Session
from hookweave.telemetry import instrument
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from support import new_client

TREE = Path(__file__).resolve().parents[1] / "spans" / "generate.json"
"""The tree of one run, which every language makes alike."""


class Broken(Exception):
    """How a tool or a model fails."""


class _Order(SpanProcessor):
    """Knows in which order spans began: times may be equal."""

    def __init__(self) -> None:
        self.begun: list[int] = []

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        assert span.context is not None
        self.begun.append(span.context.span_id)


class Traced:
    """A client whose spans are kept."""

    def __init__(self, **options: Any) -> None:
        self.exporter = InMemorySpanExporter()
        self.order = _Order()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.provider.add_span_processor(self.order)
        self.client = new_client()
        instrument(self.client, tracer_provider=self.provider, **options)

    def trees(self) -> list[dict[str, Any]]:
        """The finished spans as trees; all that began have ended."""
        spans = {span.context.span_id: span for span in self.exporter.get_finished_spans() if span.context is not None}
        assert set(spans) == set(self.order.begun)
        nodes = {number: _node(spans[number]) for number in self.order.begun}
        roots = []
        for number, node in nodes.items():
            parent = spans[number].parent
            if parent is None or parent.span_id not in nodes:
                roots.append(node)
            else:
                nodes[parent.span_id].setdefault("children", []).append(node)
        return roots


def _node(span: ReadableSpan) -> dict[str, Any]:
    node: dict[str, Any] = {"name": span.name}
    if span.kind is not trace.SpanKind.INTERNAL:
        node["kind"] = span.kind.name
    if span.status.status_code is not StatusCode.UNSET:
        node["status"] = span.status.status_code.name
        assert span.status.description is None or span.name.startswith("hook ")
    assert not span.events, "an exception's text may say anything"
    node["attributes"] = {name: value for name, value in (span.attributes or {}).items() if name != "hook.id"}
    return node


def _pruned(tree: Mapping[str, Any]) -> dict[str, Any]:
    """A tree without the empty lists of the file."""
    children = [_pruned(child) for child in tree.get("children", [])]
    return {**tree, "children": children} if children else {k: v for k, v in tree.items() if k != "children"}


def _answers(*answers: Any) -> Any:
    rest = iter(answers)

    def model(request: Any) -> Any:
        answer = next(rest)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return model


def _call(id: str, name: str, **args: Any) -> dict[str, Any]:
    return {"id": id, "name": name, "args": args}


def test_the_whole_tree_of_a_run() -> None:
    traced = Traced()
    client = traced.client
    for name, event in (
        ("prompt", "UserPromptSubmit"),
        ("before", "GenerateStart"),
        ("after", "GenerateEnd"),
        ("post", "PostToolUse"),
        ("inner", "Notification"),
        ("stop", "Stop"),
    ):
        client.register_hook(event, lambda event: None, name=name)

    @client.hook("PreToolUse")
    def guard(event: Any) -> HookResponse:
        return HookResponse.block("not that secret") if event.tool == "Rm" else HookResponse.allow()

    async def add(args: dict[str, Any]) -> int:
        await client.dispatch("Notification", message="adding", session_id="s1")
        return int(args["a"] + args["b"])

    def breaks(args: dict[str, Any]) -> None:
        raise Broken("a secret in here")

    client.register_tool("Add", add)
    client.register_tool("Rm", add)
    client.register_tool("Breaks", breaks)
    calls = [_call("c1", "Add", a=1, b=2, token="secret"), _call("c2", "Rm")]
    client.register_model(
        _answers(
            {"text": "", "tool_calls": calls, "usage": {"input_tokens": 10, "output_tokens": 5}},
            {"text": "", "tool_calls": [_call("c3", "Breaks"), _call("c4", "Nowhere")]},
            {"text": "a secret answer", "usage": {"prompt_tokens": 7, "completion_tokens": 3}},
        )
    )
    session = client.session(session_id="s1", model="m-1")
    assert asyncio.run(session.generate("tell me the secret")).status == "done"
    trees = traced.trees()
    assert trees == [_pruned(json.loads(TREE.read_text()))]
    assert "secret" not in json.dumps(trees)


async def _generate(session: Session) -> str:
    return (await session.generate("go")).status


def test_a_model_that_fails_and_is_called_again() -> None:
    traced = Traced()
    traced.client.register_model(_answers(Broken("a secret"), Broken("a secret")))
    retries = [HookResponse.retry(), None]
    traced.client.register_hook("GenerateError", lambda event: retries.pop(0), name="again")
    assert asyncio.run(_generate(traced.client.session())) == "failed"
    [run] = traced.trees()
    assert (run["status"], run["attributes"]["error.type"], run["attributes"]["hookweave.status"]) == (
        "ERROR",
        "Broken",
        "failed",
    )
    assert [call["name"] for call in run["children"]] == ["chat", "chat"]
    for call in run["children"]:
        assert (call["status"], call["attributes"]["error.type"]) == ("ERROR", "Broken")
        assert [hook["name"] for hook in call["children"]] == ["hook again"]


@pytest.mark.parametrize(("event", "names"), [("UserPromptSubmit", ["hook no"]), ("GenerateStart", ["chat"])])
def test_a_run_that_is_blocked(event: str, names: list[str]) -> None:
    traced = Traced()
    traced.client.register_model(_answers("never"))
    traced.client.register_hook(event, lambda event: HookResponse.block("no"), name="no")
    assert asyncio.run(_generate(traced.client.session())) == "blocked"
    [run] = traced.trees()
    assert (run["attributes"]["error.type"], run["attributes"]["hook.blocked"]) == ("blocked", True)
    assert [child["name"] for child in run["children"]] == names
    if event == "GenerateStart":
        assert run["children"][0]["attributes"]["error.type"] == "blocked"


def test_a_run_that_is_cancelled_ends_its_spans() -> None:
    traced = Traced()
    traced.client.register_model(_answers({"text": "", "tool_calls": [_call("c1", "Hang")]}))
    hangs = asyncio.Event()

    async def hang(args: object) -> None:
        hangs.set()
        await asyncio.sleep(3600)

    traced.client.register_tool("Hang", hang)

    async def agent() -> None:
        running = asyncio.ensure_future(_generate(traced.client.session()))
        # A run that ends by itself instead of hanging must not leave the test waiting.
        await asyncio.wait({running, asyncio.ensure_future(hangs.wait())}, return_when=asyncio.FIRST_COMPLETED)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(agent())
    [run] = traced.trees()
    chat, tool = run["children"]
    assert "status" not in chat
    for cut in (run, tool):
        assert (cut["status"], cut["attributes"]["error.type"]) == ("ERROR", "cancelled")


def test_a_subagent_is_below_the_tool_that_runs_it() -> None:
    traced = Traced(record_content=True)
    client = traced.client
    client.register_model(_answers({"text": "", "tool_calls": [_call("c1", "Delegate", api_key="k")]}, "sub", "done"))

    async def delegate(args: object) -> str:
        async with session.subagent("reviewer", "a1") as child:
            return (await child.generate("look")).text

    client.register_tool("Delegate", delegate)
    session = client.session(session_id="s1")
    assert asyncio.run(_generate(session)) == "done"
    [run] = traced.trees()
    assert [child["name"] for child in run["children"]] == ["chat", "execute_tool Delegate", "chat"]
    tool = run["children"][1]
    assert tool["attributes"]["gen_ai.tool.call.arguments"] == '{"api_key":"[redacted]"}'
    assert tool["attributes"]["gen_ai.tool.call.result"] == '"sub"'
    [inner] = tool["children"]
    assert inner["name"] == "invoke_agent reviewer"
    assert (inner["attributes"]["gen_ai.agent.id"], inner["attributes"]["gen_ai.agent.name"]) == ("a1", "reviewer")
    assert inner["children"][0]["attributes"]["gen_ai.agent.id"] == "a1"


def test_prompts_and_stops_of_an_agent_of_ones_own_are_below_the_current_span() -> None:
    traced = Traced()
    for event in ("UserPromptSubmit", "Stop"):
        traced.client.register_hook(event, lambda event: None, name=f"on {event}")

    async def agent() -> None:
        session = traced.client.session()
        with traced.provider.get_tracer("app").start_as_current_span("my agent"):
            await session.submit_prompt("hello")
            await session.stop()

    asyncio.run(agent())
    [mine] = traced.trees()
    assert mine["name"] == "my agent"
    assert [child["name"] for child in mine["children"]] == ["hook.dispatch", "hook.dispatch"]
    assert [child["children"][0]["name"] for child in mine["children"]] == ["hook on UserPromptSubmit", "hook on Stop"]
