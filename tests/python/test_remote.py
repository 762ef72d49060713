"""Hooks in another process: agents and workers on each transport, and what happens when one of them goes."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from hookweave import HookClient, HookResponse, InvalidOptionError, PreToolUseEvent, ServingWorkers, WorkerConnection
from hookweave._remote_grpc import GrpcTransport

from certificates import expired_identity, identity, needs_openssl
from remote_programs import Program, worker_client
from support import LIMIT, new_client, until_async

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the loop there watches no descriptors")

SCHEMES = ["unix", "grpc"]
Address = Callable[[], str]


@pytest.fixture(params=SCHEMES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An address that is free."""
    if request.param == "unix":
        # The path of a socket has at most 107 bytes.
        folder = Path(os.path.relpath(tmp_path, "/tmp")) if tmp_path.is_relative_to("/tmp") else tmp_path
        yield f"unix://{Path('/tmp') / folder / 's'}"
        return
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    yield f"grpc://127.0.0.1:{port}"


def run(test: Any) -> None:
    """Runs a test on a loop of its own, within the limit."""

    async def limited() -> None:
        async with asyncio.timeout(LIMIT):
            await test

    asyncio.run(limited())


@contextlib.asynccontextmanager
async def both(
    address: str, worker: HookClient, **options: Any
) -> AsyncIterator[tuple[HookClient, ServingWorkers, WorkerConnection]]:
    """An agent and a worker in this process, which are ready."""
    agent = new_client()
    async with (
        await agent.serve(address, **options) as serving,
        await worker.connect(address, name="w") as connection,
    ):
        await connection.ready()
        yield agent, serving, connection


async def bash(client: HookClient, command: str) -> Any:
    """The outcome of a command."""
    return await client.dispatch("PreToolUse", tool="Bash", args={"command": command})


def test_what_a_worker_says_last_reaches_an_agent_that_reads_late() -> None:
    class Ignores:
        def message(self, message: bytes) -> None: ...
        def unreadable(self, why: str) -> None: ...
        def lost(self, why: str) -> None: ...

    async def test() -> None:
        may_read, read = asyncio.Event(), []

        async def stream(_: Any, context: Any) -> None:
            await may_read.wait()
            while (message := await context.read()) is not grpc.aio.EOF:
                read.append(message)

        server = grpc.aio.server()
        handlers = {"HookStream": grpc.stream_stream_rpc_method_handler(stream)}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("HookService", handlers),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        link = await GrpcTransport(("127.0.0.1", port), 1024, None).connect(Ignores())
        link.send(b"goodbye")
        link.end()
        asyncio.get_running_loop().call_later(0.2, may_read.set)
        await link.ended()
        await server.stop(None)
        assert read == [b"goodbye"]

    run(test())


def test_a_worker_in_another_process_blocks_modifies_and_asks(address: str) -> None:
    async def test() -> None:
        client = new_client()
        async with await client.serve(address):
            with Program("work", address, name="guards") as worker:
                await worker.saw("ready")
                assert [(hook.name, hook.worker) for hook in client.list_hooks()] == [
                    ("guards/guard", "guards"),
                    ("guards/slow", "guards"),
                ]
                blocked = await bash(client, "rm -rf /")
                assert (blocked.decision, blocked.reason) == ("block", "no rm")
                assert (await bash(client, "cat x")).event.args == {"command": "ls"}
                assert [question.prompt for question in (await bash(client, "dd")).asks] == ["sure?"]
                assert (await bash(client, "pwd")).decision == "continue"
                assert (await client.dispatch("PreToolUse", tool="Read", args={})).trace == []
                worker.say("leave")
                await worker.saw("left")
                await until_async(lambda: not client.list_hooks())

    run(test())


def test_a_call_of_a_killed_worker_is_decided_once_by_its_failure_rule(address: str) -> None:
    async def test() -> None:
        client = new_client()
        async with await client.serve(address) as serving:
            with Program("work", address, name="guards") as worker:
                await worker.saw("ready")
                calls = [asyncio.ensure_future(client.dispatch("PreToolUse", tool="Slow", args={})) for _ in range(5)]
                for _ in calls:
                    await worker.saw("slow runs")
                worker.kill()
                for outcome in await asyncio.gather(*calls):
                    assert outcome.blocked
                    assert [entry.failure.kind for entry in outcome.trace] == ["lost"]
                again = await bash(client, "ls")
                assert again.blocked and again.trace[0].failure.kind == "unreachable"
                assert [(info.name, info.connected, info.hooks) for info in serving.workers()] == [("guards", False, 2)]
            with Program("work", address, name="guards") as worker:
                await worker.saw("ready")
                assert (await bash(client, "ls")).decision == "continue"
                assert len(client.list_hooks()) == 2

    run(test())


def test_the_hooks_are_back_after_the_agent_restarts(address: str) -> None:
    async def test() -> None:
        async with await worker_client().connect(address, name="w") as connection:
            for _ in range(2):
                with Program("serve", address) as agent:
                    await agent.saw("serves")
                    await connection.ready()
                    agent.say("hooks")
                    await agent.saw("hooks w/guard w/slow")
                    agent.say("rm x")
                    await agent.saw("block")
                    agent.kill()
                await until_async(lambda: connection.state != "ready")
        assert connection.state == "closed"

    run(test())


def test_a_wrong_token_is_refused_for_good_and_no_token_is_no_way_in(address: str, tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"

    async def test() -> None:
        client = new_client(audit={"file": log})
        async with await client.serve(address, token="secret") as serving:
            for token in ("other", None):
                connection = await worker_client().connect(address, token=token)
                with pytest.raises(InvalidOptionError, match="token"):
                    await connection.ready()
                assert connection.state == "closed" and "token" in connection.why
                await connection.close()
            assert serving.workers() == [] and client.list_hooks() == []
            async with await worker_client().connect(address, token="secret") as connection:
                await connection.ready()
                assert len(client.list_hooks()) == 2
        client.close()
        records = map(json.loads, log.read_text("utf-8").splitlines())
        refusals = [record["details"] for record in records if record["kind"] == "worker_refused"]
        assert refusals == [{"worker": "unknown", "code": "bad_token"}] * 2

    run(test())


def test_a_dispatch_that_is_cancelled_cancels_the_handler(address: str) -> None:
    async def test() -> None:
        client = new_client()
        async with await client.serve(address):
            with Program("work", address) as worker:
                await worker.saw("ready")
                call = asyncio.ensure_future(client.dispatch("PreToolUse", tool="Slow", args={}))
                await worker.saw("slow runs")
                call.cancel()
                await worker.saw("slow was cancelled")

    run(test())


def test_handlers_run_as_local_ones_do(address: str) -> None:
    mode = contextvars.ContextVar("mode", default="none")
    seen: list[Any] = []
    worker = new_client()

    @worker.hook("PreToolUse", matcher={"tool": "Bash"})
    async def looks(event: PreToolUseEvent) -> None:
        await asyncio.sleep(0)
        seen.append((type(event), event.args["command"], mode.get()))
        mode.set("of the hook")

    @worker.hook("PreToolUse", matcher={"tool": "Bash"}, run_in_thread=True)
    def blocks_a_thread(event: PreToolUseEvent) -> dict[str, Any]:
        return {"inject": "from a thread"}

    @worker.hook("PreToolUse", matcher={"tool": "Bash"})
    def raises(event: PreToolUseEvent) -> None:
        raise ValueError("broken")

    @worker.hook("PreToolUse", matcher={"tool": "Bash"})
    def no_json(event: PreToolUseEvent) -> HookResponse:
        return HookResponse.continue_(modified={"args": {"command": object()}})

    async def test() -> None:
        mode.set("of connect")
        async with both(address, worker) as (agent, _, _):
            outcome = await bash(agent, "ls")
            await bash(agent, "ls")
        assert seen == [(PreToolUseEvent, "ls", "of connect")] * 2
        assert [injection.content for injection in outcome.injections] == ["from a thread"]
        failures = {entry.hook: entry.failure for entry in outcome.trace if entry.failure}
        assert (failures["w/raises"].kind, failures["w/raises"].message) == ("raised", "ValueError: broken")
        # Nothing shows that it did not mean to restrict.
        assert failures["w/no_json"].became == "block" and outcome.blocked

    run(test())


def test_a_hook_that_dispatches_counts_as_nested(address: str) -> None:
    worker = new_client()
    depths: list[Any] = []

    @worker.hook("PreToolUse")
    async def again(event: PreToolUseEvent) -> None:
        await asyncio.sleep(0)
        try:
            await agents[0].dispatch("PreToolUse", tool="Bash", args={"command": "ls"})
        except Exception as error:
            depths.append(type(error).__name__)

    agents: list[HookClient] = []

    async def test() -> None:
        async with both(address, worker) as (agent, _, _):
            agents.append(agent)
            await bash(agent, "ls")
        assert depths == ["NestingError"]

    run(test())


def test_hooks_that_come_go_and_are_switched_do_so_at_the_agent(address: str) -> None:
    worker = new_client()

    async def test() -> None:
        async with both(address, worker) as (agent, _, _):
            assert agent.list_hooks() == []
            first = worker.register_hook("PreToolUse", lambda event: None, name="first")
            worker.guard("Bash(rm *)", "no rm", name="second")
            await until_async(lambda: [hook.name for hook in agent.list_hooks()] == ["w/first", "w/second"])
            worker.disable_hook(first)
            await until_async(lambda: [hook.name for hook in agent.list_hooks()] == ["w/second"])
            assert (await bash(agent, "rm x")).reason == "no rm"
            worker.enable_hook(first)
            await until_async(lambda: len(agent.list_hooks()) == 2)
            worker.unregister_hook(first)
            await until_async(lambda: len(agent.list_hooks()) == 1)
            await worker.aclose()
            await until_async(lambda: agent.list_hooks() == [])

    run(test())


def test_a_blocking_dispatch_works_off_the_loop_and_fails_at_once_on_it(address: str) -> None:
    async def test() -> None:
        async with both(address, worker_client()) as (agent, _, _):
            command = {"tool": "Bash", "args": {"command": "rm x"}}
            outcome = await asyncio.to_thread(agent.dispatch_sync, "PreToolUse", **command)
            assert outcome.reason == "no rm"
            outcome = agent.dispatch_sync("PreToolUse", **command)
            assert outcome.blocked and "await dispatch instead" in outcome.trace[0].failure.message

    run(test())


def test_calls_fail_at_once_when_the_agent_closes_or_its_loop_ends(address: str) -> None:
    agent = new_client()

    async def test(closes: bool) -> None:
        serving = await agent.serve(address)
        connection = await worker_client().connect(address)
        await connection.ready()
        call = asyncio.ensure_future(agent.dispatch("PreToolUse", tool="Slow", args={}))
        await until_async(lambda: connection._runs)
        if closes:
            await serving.close()
            assert serving.state == "closed"
            assert (await call).blocked and agent.list_hooks() == []
            await connection.close()

    run(test(closes=True))
    run(test(closes=False))
    assert agent.list_hooks() == []
    assert not address.startswith("unix") or not Path(address.removeprefix("unix://")).exists()


def test_grants_are_kept(address: str, caplog: pytest.LogCaptureFixture) -> None:
    worker = new_client()
    worker.register_hook("PreToolUse", lambda event: HookResponse.allow(), name="allows")
    worker.register_hook("PreToolUse", lambda event: HookResponse.continue_(modified={"args": {}}), name="modifies")
    worker.register_hook("SessionStart", lambda event: None, name="elsewhere")

    async def test() -> None:
        async with both(address, worker, grants={"events": ["PreToolUse"], "modify": False}) as (agent, _, _):
            assert [hook.name for hook in agent.list_hooks()] == ["w/allows", "w/modifies"]
            outcome = await bash(agent, "ls")
            assert [entry.failure is None for entry in outcome.trace] == [True, False]
        assert "may have no hook on `SessionStart`" in caplog.text
        with pytest.raises(InvalidOptionError, match="did you mean `modify`"):
            await new_client().serve(address, grants={"modifi": True})

    run(test())


@needs_openssl
@pytest.mark.parametrize("is_mutual", [False, True])
def test_over_tls_each_end_proves_who_it_is(tmp_path: Path, is_mutual: bool) -> None:
    ours, theirs, others = (identity(tmp_path, name) for name in ("agent", "worker", "other"))
    tls = {**ours, "ca": theirs["cert"]} if is_mutual else ours
    strangers = [{**theirs}, {**theirs, "ca": others["cert"]}]
    if is_mutual:
        strangers += [{"ca": ours["cert"]}, {**others, "ca": ours["cert"]}]

    async def test() -> None:
        agent, worker = new_client(), new_client()
        worker.register_hook("PreToolUse", lambda event: HookResponse.block("in secret"))
        async with await agent.serve("grpcs://localhost:0", tls=tls) as serving:
            for stranger in strangers:
                async with await worker.connect(serving.address, tls=stranger) as connection:
                    await until_async(lambda at=connection: at.state == "waiting")
            assert not agent.list_hooks()
            friend = {"ca": ours["cert"], **(theirs if is_mutual else {})}
            async with await worker.connect(serving.address, tls=friend) as connection:
                await connection.ready()
                assert (await bash(agent, "ls")).reason == "in secret"

    run(test())


@needs_openssl
def test_a_certificate_of_another_host_or_time_is_refused(tmp_path: Path) -> None:
    async def test() -> None:
        for ours in (identity(tmp_path, "elsewhere", "elsewhere.example"), expired_identity(tmp_path, "expired")):
            agent, worker = new_client(), worker_client()
            async with (
                await agent.serve("grpcs://localhost:0", tls=ours) as serving,
                await worker.connect(serving.address, tls={"ca": ours["cert"]}) as connection,
            ):
                await until_async(lambda at=connection: at.state == "waiting")  # type: ignore[misc]
                assert agent.list_hooks() == [] and serving.workers() == []

    run(test())


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"insecure": True}, "could register hooks"),
        ({"insecure": True, "tls": {}}, "for grpcs://"),
        ({"token": "secret"}, "insecure=True"),
    ],
)
def test_an_address_that_others_reach_is_guarded(options: dict[str, Any], why: str) -> None:
    async def test() -> None:
        with pytest.raises(InvalidOptionError, match=why):
            await new_client().serve("grpc://0.0.0.0:0", **options)
        async with await new_client().serve("grpc://0.0.0.0:0", insecure=True, token="secret"):
            pass

    run(test())


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("http://x", "write `unix://`"),
        ("unix://relative", "write `unix://`"),
        ("unix:///nowhere/at/all", "nowhere|No such"),
        ("grpc://127.0.0.1", "write `unix://`"),
        ("grpc://0.0.0.0:0", "insecure=True"),
        ("grpcs://127.0.0.1:0", "give `cert` and `key`"),
    ],
)
def test_an_address_that_cannot_be_used_says_why(where: str, why: str) -> None:
    async def test() -> None:
        with pytest.raises(InvalidOptionError, match=why):
            await new_client().serve(where)

    run(test())


def test_options_that_cannot_be_are_named(tmp_path: Path) -> None:
    async def test() -> None:
        client = new_client()
        where = f"unix://{tmp_path}/s"
        for wrong in ({"in_flight": 0}, {"keepalive": 0}, {"token": ""}, {"max_message": "4 MiB"}):
            with pytest.raises(InvalidOptionError, match=next(iter(wrong))):
                await client.serve(where, **wrong)
        with pytest.raises(InvalidOptionError, match="1 to 64 letters"):
            await client.connect(where, name="not a name")

    run(test())


def test_a_socket_is_for_its_user_alone_and_one_that_was_left_behind_is_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "s"
    address = f"unix://{path}"

    async def test() -> None:
        with Program("serve", address) as agent:
            await agent.saw("serves")
            with pytest.raises(InvalidOptionError, match="in use"):
                await new_client().serve(address)
            agent.kill()
        assert path.exists()
        async with await new_client().serve(address):
            assert path.stat().st_mode & 0o777 == 0o600
        assert not path.exists()

    run(test())
