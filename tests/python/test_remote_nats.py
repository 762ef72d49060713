"""Fleets: groups of workers at a NATS server, and what happens when one of them, or the server, goes."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hookweave import HookClient, HookResponse, InvalidOptionError, _remote_nats

from certificates import expired_identity, identity, needs_openssl
from nats_server import NatsServer, needs_server
from remote_programs import Program
from support import LIMIT, new_client, until_async

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the loop there watches no descriptors"),
    needs_server,
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    """A server that nobody uses."""
    with NatsServer(tmp_path) as server:
        yield server


def run(test: Any) -> None:
    """Runs a test on a loop of its own, within the limit."""

    async def limited() -> None:
        async with asyncio.timeout(LIMIT):
            await test

    asyncio.run(limited())


async def bash(client: HookClient, command: str) -> Any:
    """The outcome of a command."""
    return await client.dispatch("PreToolUse", tool="Bash", args={"command": command})


def names(client: HookClient) -> list[str]:
    """The hooks that a client has."""
    return sorted(hook.name for hook in client.list_hooks())


def worker_named(name: str) -> HookClient:
    """A worker that says who it is."""
    worker = new_client()

    @worker.hook("PreToolUse", name="who", fail_behavior="block")
    def who(event: Any) -> HookResponse:
        return HookResponse.block(name)

    return worker


def test_an_agent_finds_a_group_and_its_workers_share_the_calls(server: NatsServer) -> None:
    async def test() -> None:
        agent = new_client()
        async with await agent.serve(server.address, groups=["guards"]) as serving:
            assert names(agent) == []
            async with (
                await worker_named("one").connect(server.address, group="guards") as one,
                await worker_named("two").connect(server.address, group="guards") as two,
            ):
                await one.ready()
                await two.ready()
                await until_async(lambda: names(agent) == ["guards/who"])
                assert [(worker.name, worker.connected) for worker in serving.workers()] == [("guards", True)]
                seen: set[str] = set()
                while seen != {"one", "two"}:
                    seen.add((await bash(agent, "ls")).reason)
                await one.close()
                # Whoever left takes nothing new.
                assert {(await bash(agent, "ls")).reason for _ in range(20)} == {"two"}
            await until_async(lambda: names(agent) == [])

    run(test())


def test_a_worker_that_is_there_first_blocks_modifies_and_asks(server: NatsServer) -> None:
    async def test() -> None:
        with Program("work", server.address, group="guards") as worker:
            await worker.saw("ready")
            agent = new_client()
            async with await agent.serve(server.address, groups=["guards", "others"]):
                assert names(agent) == ["guards/guard", "guards/slow"]
                blocked = await bash(agent, "rm -r x")
                assert (blocked.decision, blocked.reason) == ("block", "no rm")
                assert (await bash(agent, "cat x")).event.args == {"command": "ls"}
                assert (await bash(agent, "dd")).decision == "ask"

    run(test())


def test_a_worker_that_is_killed_in_a_call_fails_it_and_another_takes_the_next(server: NatsServer) -> None:
    async def test() -> None:
        agent = new_client()
        async with await agent.serve(server.address, groups=["guards"], keepalive=1):
            with Program("work", server.address, group="guards") as first:
                await first.saw("ready")
                await until_async(lambda: names(agent))
                call = asyncio.create_task(agent.dispatch("PreToolUse", tool="Slow", args={}))
                await first.saw("slow runs")
                first.kill()
                outcome = await call
                assert outcome.decision == "block"
                assert [entry.failure.kind for entry in outcome.trace if entry.failure] == ["lost"]
            # Nobody is left, and the gate stays shut.
            outcome = await bash(agent, "ls")
            assert outcome.decision == "block"
            assert "no worker of the group `guards`" in outcome.reason
            with Program("work", server.address, group="guards") as second:
                await second.saw("ready")
                while (await bash(agent, "ls")).decision != "continue":
                    await asyncio.sleep(0.01)

    run(test())


def test_hooks_of_workers_that_no_longer_renew_stay_and_fail(server: NatsServer) -> None:
    async def test() -> None:
        agent = new_client()
        async with await agent.serve(server.address, groups=["guards"]) as serving:
            with Program("work", server.address, group="guards", keepalive=0.1) as worker:
                await worker.saw("ready")
                await until_async(lambda: names(agent))
                worker.kill()
            await until_async(lambda: not serving.workers()[0].connected)
            outcome = await bash(agent, "ls")
            assert outcome.decision == "block"
            assert "none of its workers renewed its entry" in outcome.reason

    run(test())


def test_a_server_that_comes_back_has_its_workers_again(server: NatsServer) -> None:
    async def test() -> None:
        agent = new_client()
        worker = worker_named("one")
        async with (
            await agent.serve(server.address, groups=["guards"]) as serving,
            await worker.connect(server.address, group="guards") as connection,
        ):
            await connection.ready()
            await until_async(lambda: names(agent))
            server.kill()
            await until_async(lambda: not serving.workers()[0].connected)
            assert (await bash(agent, "ls")).decision == "block"
            await until_async(lambda: connection.state != "ready")
            server.start()
            await until_async(lambda: serving.workers()[0].connected and connection.state == "ready")
            assert (await bash(agent, "ls")).reason == "one"

    run(test())


def test_a_worker_that_leaves_ends_what_it_has(server: NatsServer) -> None:
    async def test() -> None:
        agent, worker = new_client(), new_client()
        runs, goes = asyncio.Event(), asyncio.Event()

        @worker.hook("PreToolUse", name="slow", fail_behavior="block")
        async def slow(event: Any) -> HookResponse:
            runs.set()
            await goes.wait()
            return HookResponse.block("done")

        async with await agent.serve(server.address, groups=["guards"]):
            connection = await worker.connect(server.address, group="guards")
            await connection.ready()
            await until_async(lambda: names(agent))
            call = asyncio.create_task(bash(agent, "ls"))
            await runs.wait()
            leaving = asyncio.create_task(connection.close())
            await until_async(lambda: names(agent) == [])
            goes.set()
            assert (await call).reason == "done"
            await leaving

    run(test())


def test_a_worker_that_leaves_while_it_is_asked_answers_every_call_that_reached_it(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, answered = set[str](), set[str]()
    leaving: list[Any] = []
    called, replied = _remote_nats._WorkerLink.called, _remote_nats._Listener._replied

    async def noted(link: Any, message: Any) -> None:
        reached.add(message.reply)
        await called(link, message)
        for connection in leaving:
            if connection._link is link:
                # Before anything else runs, as a signal may have it.
                connection._act(connection._end.leave())

    async def seen(listener: Any, message: Any) -> None:
        answered.add(message.subject)
        await replied(listener, message)

    monkeypatch.setattr(_remote_nats._WorkerLink, "called", noted)
    monkeypatch.setattr(_remote_nats._Listener, "_replied", seen)

    async def test() -> None:
        agent, stays = new_client(), worker_named("stays")
        async with (
            await agent.serve(server.address, groups=["guards"]),
            await stays.connect(server.address, group="guards") as connection,
        ):
            await connection.ready()
            await until_async(lambda: names(agent))

            async def leaves() -> None:
                connection = await worker_named("leaves").connect(server.address, group="guards")
                leaving[:] = [connection]
                await connection.wait_closed()

            for _ in range(20):
                # Its loop ends with it, as that of a program does.
                left = asyncio.create_task(asyncio.to_thread(lambda: asyncio.run(leaves())))
                while not left.done():
                    outcomes = await asyncio.gather(*(bash(agent, "ls") for _ in range(30)))
                    assert {outcome.reason for outcome in outcomes} <= {"leaves", "stays"}
                await left
            assert reached
            assert reached - answered == set()

    run(test())


def test_a_worker_that_leaves_hears_that_the_server_sends_no_more(server: NatsServer) -> None:
    sent = bytearray()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: bytearray) -> None:
        while data := await reader.read(1 << 16):
            kept += data
            writer.write(data)
        writer.close()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", server.port)
        await asyncio.gather(forward(reader, far_writer, sent), forward(far_reader, writer, bytearray()))

    async def test() -> None:
        async with await asyncio.start_server(relay, "127.0.0.1", 0) as between:
            port = between.sockets[0].getsockname()[1]
            async with await worker_named("leaves").connect(f"nats://127.0.0.1:{port}", group="guards") as connection:
                await connection.ready()
        # The server answers a PING when it has done all that came before it.
        subjects = {*re.findall(rb"UNSUB \d+", sent)}
        assert len(subjects) == 2
        assert max(sent.index(ended) for ended in subjects) < sent.rindex(b"PING\r\n")

    run(test())


def test_a_cancelled_call_ends_in_the_worker(server: NatsServer) -> None:
    async def test() -> None:
        agent = new_client()
        async with await agent.serve(server.address, groups=["guards"]):
            with Program("work", server.address, group="guards") as worker:
                await worker.saw("ready")
                await until_async(lambda: names(agent))
                call = asyncio.create_task(agent.dispatch("PreToolUse", tool="Slow", args={}))
                await worker.saw("slow runs")
                call.cancel()
                await worker.saw("slow was cancelled")

    run(test())


def test_what_the_server_does_not_carry_restricts(tmp_path: Path) -> None:
    async def test() -> None:
        with NatsServer(tmp_path, "max_payload: 4096") as server:
            agent, worker = new_client(), new_client()

            @worker.hook("PreToolUse", name="says")
            def says(event: Any) -> HookResponse:
                return HookResponse.block("x" * 5000)

            async with (
                await agent.serve(server.address, groups=["guards"]),
                await worker.connect(server.address, group="guards") as connection,
            ):
                await connection.ready()
                await until_async(lambda: names(agent))
                outcome = await bash(agent, "x" * 5000)
                assert outcome.decision == "block"
                assert "the worker `guards` takes 4032" in outcome.reason
                outcome = await bash(agent, "ls")
                assert outcome.decision == "block"
                assert "the agent takes 4032" in outcome.reason

    run(test())


def test_only_who_knows_the_token_of_the_server_is_taken(tmp_path: Path) -> None:
    async def test() -> None:
        with NatsServer(tmp_path, 'authorization { token: "secret" }') as server:
            agent = new_client()
            with pytest.raises(InvalidOptionError, match="Authorization Violation"):
                await agent.serve(server.address, groups=["guards"], token="wrong")
            async with await agent.serve(server.address, groups=["guards"], token="secret"):
                wrong = await worker_named("one").connect(server.address, group="guards", token="wrong")
                with pytest.raises(InvalidOptionError, match="give the worker a token"):
                    await wrong.ready()
                async with await worker_named("one").connect(
                    server.address, group="guards", token="secret"
                ) as connection:
                    await connection.ready()
                    await until_async(lambda: names(agent) == ["guards/who"])

    run(test())


@needs_openssl
@pytest.mark.parametrize("is_mutual", [False, True])
def test_over_tls_the_server_and_its_clients_prove_who_they_are(tmp_path: Path, is_mutual: bool) -> None:
    ours, theirs, others = (identity(tmp_path, name) for name in ("server", "client", "other"))
    proof = f', ca_file: "{theirs["cert"]}", verify: true' if is_mutual else ""
    config = f'tls {{ cert_file: "{ours["cert"]}", key_file: "{ours["key"]}"{proof} }}'
    own = theirs if is_mutual else {}
    strangers = [{**own}, {**own, "ca": others["cert"]}]
    if is_mutual:
        strangers += [{"ca": ours["cert"]}, {**others, "ca": ours["cert"]}]

    async def test() -> None:
        with NatsServer(tmp_path, config) as server:
            address, agent = f"nats://localhost:{server.port}", new_client()
            for stranger in strangers:
                with pytest.raises(InvalidOptionError):
                    await new_client().serve(address, groups=["guards"], tls=stranger)
                async with await worker_named("one").connect(address, group="guards", tls=stranger) as worker:
                    await until_async(lambda at=worker: at.state == "waiting")  # type: ignore[misc]
            friend = {**own, "ca": ours["cert"]}
            # Of another host than the certificate.
            with pytest.raises(InvalidOptionError, match=r"(?i)certificate"):
                await new_client().serve(server.address, groups=["guards"], tls=friend)
            async with (
                await agent.serve(address, groups=["guards"], tls=friend),
                await worker_named("in secret").connect(address, group="guards", tls=friend) as connection,
            ):
                await connection.ready()
                await until_async(lambda: names(agent))
                assert (await bash(agent, "ls")).reason == "in secret"

    run(test())


@needs_openssl
def test_an_expired_certificate_is_refused(tmp_path: Path) -> None:
    server_tls = expired_identity(tmp_path, "server")
    config = f'tls {{ cert_file: "{server_tls["cert"]}", key_file: "{server_tls["key"]}" }}'

    async def test() -> None:
        with NatsServer(tmp_path, config) as server:
            address, tls = f"nats://localhost:{server.port}", {"ca": server_tls["cert"]}
            with pytest.raises(InvalidOptionError, match="expired"):
                await new_client().serve(address, groups=["guards"], tls=tls)
            async with await worker_named("one").connect(address, group="guards", tls=tls) as worker:
                await until_async(lambda: worker.state == "waiting")

    run(test())


def test_a_server_without_tls_hears_no_secret(tmp_path: Path) -> None:
    heard = bytearray()

    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'INFO {"server_id": "x", "version": "2.11.0", "max_payload": 1048576, "auth_required": true}\r\n')
        while data := await reader.read(1 << 16):
            heard.extend(data)
            if b"PING" in data:
                writer.write(b"PONG\r\n")
        writer.close()

    async def test() -> None:
        async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
            address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
            for secret, options in (("", {"token": "secret"}), ("user:secret@", {})):
                with pytest.raises(InvalidOptionError, match="does not encrypt"):
                    await new_client().serve(f"nats://{secret}{address}", groups=["guards"], tls={}, **options)
        assert b"secret" not in heard

    run(test())


NODE = shutil.which("node")
NODE_PACKAGE = Path(__file__).parents[2] / "bindings-node"
NODE_WORKER = """
import { HookClient, HookResponse } from "hookweave";
const client = new HookClient({ logger: null });
const handler = () => HookResponse.block("node");
client.registerHook("PreToolUse", { name: "who", failBehavior: "block", handler });
await client.connect(process.argv[1], { group: "guards" });
"""


@pytest.mark.skipif(
    NODE is None or not (NODE_PACKAGE / "dist" / "index.js").exists(), reason="the Node package is not built: make node"
)
def test_workers_in_two_languages_are_one_group(server: NatsServer) -> None:
    async def test() -> None:
        agent = new_client()
        assert NODE is not None
        command = [NODE, "--input-type=module", "--eval", NODE_WORKER, server.address]
        node = subprocess.Popen(command, cwd=NODE_PACKAGE)
        try:
            async with (
                await agent.serve(server.address, groups=["guards"]),
                await worker_named("python").connect(server.address, group="guards") as connection,
            ):
                await connection.ready()
                await until_async(lambda: names(agent))
                seen: set[str] = set()
                while seen != {"node", "python"}:
                    seen.add((await bash(agent, "ls")).reason)
                assert names(agent) == ["guards/who"]
        finally:
            node.kill()
            node.wait(LIMIT)

    run(test())


@pytest.mark.parametrize(
    ("address", "options", "why"),
    [
        ("nats://127.0.0.1:4222", {}, "found by their groups"),
        ("nats://127.0.0.1:4222", {"group": "a b"}, "a group's name"),
        ("nats://127.0.0.1:4222", {"group": "a", "name": "b"}, "leave `name` out"),
        ("nats://", {"group": "a"}, "a host and a port"),
        ("nats://example.org", {"group": "a"}, "others could read"),
        ("unix:///tmp/x", {"group": "a"}, "groups of workers are for nats://"),
    ],
)
def test_what_cannot_be_a_fleet_is_refused(address: str, options: dict[str, Any], why: str) -> None:
    async def test() -> None:
        with pytest.raises(InvalidOptionError, match=why):
            await new_client().connect(address, **options)

    run(test())
