"""Spans through OpenTelemetry, and the trace context that commands and webhooks are given."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from hookweave import HookClient, HookResponse
from hookweave.telemetry import Instrumentation, instrument
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NonRecordingSpan, SpanContext, StatusCode, TraceFlags, TraceState

from support import new_client

BASH = {"tool": "Bash", "args": {"command": "ls"}}


class Traced:
    """A client whose spans are kept."""

    def __init__(self, **options: Any) -> None:
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.client = new_client()
        self.instrumentation: Instrumentation = instrument(self.client, tracer_provider=provider, **options)

    @property
    def spans(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self.exporter.get_finished_spans()}

    def attributes(self, name: str) -> dict[str, Any]:
        return dict(self.spans[name].attributes or {})

    def is_below(self, child: str, parent: str) -> bool:
        below, above = self.spans[child].parent, self.spans[parent].context
        return below is not None and above is not None and below.span_id == above.span_id


def test_a_dispatch_and_its_hooks() -> None:
    traced = Traced()

    @traced.client.hook("PreToolUse")
    def broken(event: object) -> None:
        raise ValueError("a secret in here")

    @traced.client.hook("PreToolUse")
    def guard(event: object) -> HookResponse:
        return HookResponse.block("no")

    traced.client.dispatch_sync("PreToolUse", {**BASH, "session_id": "s1"})
    assert traced.attributes("hook.dispatch") == {
        "hook.event": "PreToolUse",
        "hook.decision": "block",
        "hook.blocked": True,
        "gen_ai.conversation.id": "s1",
        "gen_ai.tool.name": "Bash",
    }
    assert traced.is_below("hook guard", "hook.dispatch")
    assert traced.attributes("hook guard")["hook.action"] == "block"
    failed = traced.attributes("hook broken")
    assert (failed["hook.failure.kind"], failed["error.type"], failed["hook.failure.became"]) == (
        "raised",
        "raised",
        "continue",
    )
    assert traced.spans["hook broken"].status.status_code == StatusCode.ERROR
    exported = json.dumps([span.to_json() for span in traced.exporter.get_finished_spans()])
    assert "secret" not in exported
    assert '"ls"' not in exported
    first, second, whole = (traced.spans[name] for name in ("hook broken", "hook guard", "hook.dispatch"))
    assert first.end_time is not None
    assert second.start_time is not None
    assert first.end_time <= second.start_time + 1000
    assert (whole.start_time or 0) <= (first.start_time or 0)


def test_a_dispatch_without_hooks_leaves_nothing_and_an_end_ends_it() -> None:
    traced = Traced()
    traced.client.dispatch_sync("PreToolUse", BASH)
    traced.client.register_hook("PreToolUse", lambda event: None)
    traced.instrumentation.uninstrument()
    traced.client.dispatch_sync("PreToolUse", BASH)
    assert traced.spans == {}


def test_a_tool_call_of_a_session() -> None:
    traced = Traced(record_content=True)

    @traced.client.hook("PreToolUse")
    def pre(event: object) -> None: ...

    @traced.client.hook("PostToolUse")
    def post(event: object) -> None: ...

    seen: list[str] = []

    async def tool(args: dict[str, Any]) -> dict[str, str]:
        seen.append(trace.get_current_span().name)  # type: ignore[attr-defined]
        await traced.client.dispatch("Notification", message="from the tool")
        return {"password": "hunter22"}

    traced.client.register_hook("Notification", lambda event: None, name="inner")

    async def agent() -> str:
        async with traced.client.session() as session:
            outcome = await session.run_tool("Bash", {"command": "ls", "api_key": "k-1234567"}, tool, tool_use_id="t1")
            assert outcome.ok
            return session.id

    session_id = asyncio.run(agent())
    assert seen == ["execute_tool Bash"]
    attributes = traced.attributes("execute_tool Bash")
    assert attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "Bash",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "t1",
        "gen_ai.conversation.id": session_id,
        "hook.decision": "continue",
        "gen_ai.tool.call.arguments": '{"command":"ls","api_key":"[redacted]"}',
        "gen_ai.tool.call.result": '{"password":"[redacted]"}',
    }
    for hook in ("hook pre", "hook post"):
        assert traced.is_below(hook, "execute_tool Bash")
    assert traced.is_below("hook.dispatch", "execute_tool Bash")
    assert traced.is_below("hook inner", "hook.dispatch")


@pytest.mark.parametrize("halves", [False, True])
def test_a_blocked_and_a_failed_tool_call(halves: bool) -> None:
    traced = Traced()
    traced.client.register_hook(
        "PreToolUse", lambda event: HookResponse.block("no"), matcher={"tool": "Bash"}, name="guard"
    )

    def broken(args: object) -> None:
        raise LookupError("gone")

    async def agent() -> None:
        async with traced.client.session() as session:
            for tool in ("Bash", "Read"):
                if not halves:
                    await session.run_tool(tool, {}, broken)
                    continue
                call = await session.begin_tool(tool, {})
                if call.runs:
                    await call.failed(LookupError("gone"))

    asyncio.run(agent())
    blocked = traced.attributes("execute_tool Bash")
    assert (blocked["error.type"], blocked["hook.decided_by"], blocked["hook.decision"]) == (
        "blocked",
        "guard",
        "block",
    )
    failed = traced.attributes("execute_tool Read")
    assert failed["error.type"] == "LookupError"
    assert traced.spans["execute_tool Read"].status.status_code == StatusCode.ERROR
    assert "gen_ai.tool.call.arguments" not in failed


def test_a_tracer_that_fails_spoils_no_dispatch() -> None:
    class Broken(TracerProvider):
        def get_tracer(self, *args: Any, **options: Any) -> Any:
            class Tracer:
                def start_span(self, *args: Any, **options: Any) -> Any:
                    raise RuntimeError("no spans today")

            return Tracer()

    client = new_client()
    instrument(client, tracer_provider=Broken())
    client.register_hook("PreToolUse", lambda event: HookResponse.block("no"))
    assert client.dispatch_sync("PreToolUse", BASH).blocked


@pytest.fixture
def server() -> Iterator[tuple[str, list[dict[str, str]]]]:
    asked: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            asked.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *args: object) -> None: ...

    made = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}/hook", asked
    made.shutdown()
    thread.join()
    made.server_close()


def client_with_hooks(folder: Path, url: str) -> HookClient:
    """A client with a command that writes down where it is in a trace, and a webhook."""
    client = new_client(project_dir=folder)
    (folder / "hooks.json").write_text(
        json.dumps(
            {
                "hooks": {
                    "PreToolUse": [
                        {
                            "hooks": [
                                {"type": "command", "command": f'echo "$TRACEPARENT $TRACESTATE" > {folder}/seen'},
                                {"type": "http", "url": url},
                            ]
                        }
                    ]
                }
            }
        )
    )
    assert client.load(folder / "hooks.json", dialect="claude-code").problems == ()
    return client


@pytest.mark.parametrize("blocking", [True, False])
def test_commands_and_webhooks_are_told_the_current_span(
    tmp_path: Path, server: tuple[str, list[dict[str, str]]], blocking: bool
) -> None:
    url, asked = server
    client = client_with_hooks(tmp_path, url)
    context = SpanContext(0xABC, 0xDEF, False, TraceFlags(1), TraceState([("vendor", "$HOME")]))
    with trace.use_span(NonRecordingSpan(context)):
        if blocking:
            client.dispatch_sync("PreToolUse", BASH)
        else:
            asyncio.run(_dispatch(client))
    parent = f"00-{0xABC:032x}-{0xDEF:016x}-01"
    assert (tmp_path / "seen").read_text() == f"{parent} vendor=$HOME\n"
    assert (asked[0]["traceparent"], asked[0]["tracestate"]) == (parent, "vendor=$HOME")
    client.close()


async def _dispatch(client: HookClient) -> None:
    await client.dispatch("PreToolUse", BASH)


@pytest.mark.parametrize(
    ("parent", "state", "passed"),
    [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=b", True),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\nx-evil: 1", "a=b", False),
        ("nonsense", "a=b", False),
    ],
)
def test_what_the_process_was_started_with_is_passed_on(
    tmp_path: Path,
    server: tuple[str, list[dict[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
    parent: str,
    state: str,
    passed: bool,
) -> None:
    url, asked = server
    monkeypatch.setenv("TRACEPARENT", parent)
    monkeypatch.setenv("TRACESTATE", state)
    client = client_with_hooks(tmp_path, url)
    client.dispatch_sync("PreToolUse", BASH)
    assert "x-evil" not in asked[0]
    assert asked[0].get("traceparent") == (parent if passed else None)
    assert asked[0].get("tracestate") == (state if passed else None)
    client.close()


def test_nothing_of_it_is_imported_by_a_program_that_does_not_trace() -> None:
    code = "import hookweave, sys; assert not any(name.startswith('opentelemetry') for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))
