"""Events that begin outside a dispatch: files that change, and what detached hooks say late."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import json
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from hookweave import Event, HookClient, HookResponse, LateAnswer, ReloadReport

from hook_files import hooks_file, prints, put, settings
from support import LIMIT, new_client, until, until_async
from test_loops import LOOPS, pause
from test_processes import run as run_program

GUARD = {"event": "PreToolUse", "command": "exit 2", "dialect": "claude-code", "name": "guard"}
OTHER = {"event": "PreToolUse", "command": "true", "dialect": "claude-code", "name": "other"}

WHERE: contextvars.ContextVar[str] = contextvars.ContextVar("where")


def thread_names() -> list[str]:
    """The names of the process's threads, also those that Python does not know."""
    names = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            names.append((task / "comm").read_text(encoding="utf-8"))
    return names


@pytest.mark.parametrize("run", LOOPS)
def test_a_changed_file_is_reloaded_on_the_loop_of_the_watch(run: Callable[..., Any], tmp_path: Path) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, GUARD))
    asked: list[tuple[str, int, str]] = []
    heard: list[tuple[ReloadReport, str, int]] = []

    @client.hook("ConfigChange")
    async def asks(event: Event) -> HookResponse | None:
        await pause()
        asked.append((event["metadata"]["hookweave"]["hook"], threading.get_ident(), WHERE.get()))
        return HookResponse.block("keep it") if len(asked) == 1 else None

    async def on_reload(report: ReloadReport) -> None:
        await pause()
        heard.append((report, WHERE.get(), threading.get_ident()))

    async def main() -> None:
        WHERE.set("watch")
        client.watch(on_reload)
        WHERE.set("elsewhere")
        hooks_file(tmp_path)
        await until_async(lambda: len(heard) == 1)
        assert heard[0][0].kept == ("keep it",)
        assert (await client.dispatch("PreToolUse", tool="Bash", args={})).blocked
        hooks_file(tmp_path, OTHER)
        await until_async(lambda: len(heard) == 2)
        report = heard[1][0]
        assert [change.name for change in (*report.removed, *report.changed)] in (["guard"], ["other"])
        assert not (await client.dispatch("PreToolUse", tool="Bash", args={})).blocked
        client.unwatch()
        hooks_file(tmp_path, GUARD)
        await pause(0.4)
        assert len(heard) == 2

    run(main)
    assert asked[0][0] == "guard"
    assert [place for _, *place in asked] == [[threading.get_ident(), "watch"]] * 2
    assert [place for _, *place in heard] == [["watch", threading.get_ident()]] * 2


def watching(folder: Path) -> HookClient:
    """A client whose hook on FileChanged writes what it hears of, and whose SessionStart names one more file."""
    path = folder / ".claude" / "settings.json"
    path.parent.mkdir()
    answer = prints({"hookSpecificOutput": {"hookEventName": "SessionStart", "watchPaths": [str(folder / "more")]}})
    keeps = {"type": "command", "command": f"cat >> {folder}/heard"}
    groups = {
        "FileChanged": [{"matcher": ".env|.envrc", "hooks": [keeps]}],
        "SessionStart": [{"hooks": [{"type": "command", "command": answer}]}],
    }
    path.write_text(json.dumps({"hooks": groups}), encoding="utf-8")
    client = new_client(project_dir=folder)
    client.load(path)
    return client


@pytest.mark.parametrize("run", LOOPS)
def test_files_that_hooks_name_raise_an_event(run: Callable[..., Any], tmp_path: Path) -> None:
    client = watching(tmp_path)
    events: list[tuple[str, str, str]] = []
    reports: list[ReloadReport] = []

    @client.hook("FileChanged")
    def tells(event: Event) -> None:
        events.append((Path(event["file_path"]).name, event["event"], WHERE.get()))

    async def main() -> None:
        WHERE.set("watch")
        client.watch(reports.append)
        WHERE.set("elsewhere")
        put(tmp_path / ".env", "A=1")
        await until_async(lambda: len(events) == 1)
        put(tmp_path / "more", "not yet")
        await pause(0.3)
        await client.dispatch("SessionStart", source="startup")
        await until_async(lambda: client._watch and str(tmp_path / "more") in str(client._watch._watched))
        put(tmp_path / "more", "now, and longer")
        await until_async(lambda: len(events) == 2)
        (tmp_path / ".env").unlink()
        await until_async(lambda: len(events) == 3)
        client.unwatch()
        put(tmp_path / ".env", "A=2")
        await pause(0.3)

    run(main)
    assert events == [(".env", "add", "watch"), ("more", "change", "watch"), (".env", "unlink", "watch")]
    assert reports == []
    heard = (tmp_path / "heard").read_text(encoding="utf-8")
    assert (heard.count('"hook_event_name":"FileChanged"'), "more" in heard) == (2, False)


def test_files_that_hooks_name_raise_an_event_without_a_loop(tmp_path: Path) -> None:
    client = watching(tmp_path)
    client.watch()
    put(tmp_path / ".envrc", "A=1")
    until(lambda: (tmp_path / "heard").exists() and ".envrc" in (tmp_path / "heard").read_text(encoding="utf-8"))
    client.unwatch()


def test_without_a_loop_a_thread_reloads(tmp_path: Path) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, GUARD))
    heard: list[tuple[ReloadReport, str]] = []
    WHERE.set("here")
    client.watch(lambda report: heard.append((report, WHERE.get())))
    hooks_file(tmp_path, OTHER)
    until(lambda: len(heard) == 1)
    report, where = heard[0]
    assert len([*report.added, *report.changed]) == 1 and where == "here"
    assert not client.dispatch_sync("PreToolUse", tool="Bash", args={}).blocked
    client.unwatch()
    client.unwatch()
    until(lambda: not any(thread.name == "hookweave-watch" for thread in threading.enumerate()))


def test_a_project_s_new_file_is_told_of_and_waits_for_approval(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    client = new_client()
    client.discover(project, sources=["hookweave", "project"], trust_store=tmp_path / "trust.json")
    heard: list[ReloadReport] = []

    async def main() -> None:
        client.watch(heard.append)
        hooks_file(project, GUARD)
        await until_async(lambda: heard)
        client.unwatch()

    asyncio.run(main())
    (waiting,) = heard[0].added
    assert "does not count yet: it is not approved" in waiting.what[0], waiting
    assert not client.dispatch_sync("PreToolUse", tool="Bash", args={"command": "ls"}).blocked


@pytest.mark.parametrize("run", LOOPS)
def test_what_fails_is_logged_and_the_watch_goes_on(
    run: Callable[..., Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, GUARD))
    heard: list[ReloadReport] = []

    def on_reload(report: ReloadReport) -> None:
        heard.append(report)
        raise ValueError("no ears")

    async def main() -> None:
        client.watch(on_reload)
        put(tmp_path / "hookweave.json", "{")
        await until_async(lambda: len(heard) == 1)
        hooks_file(tmp_path, GUARD, OTHER)
        await until_async(lambda: len(heard) == 2)
        client.unwatch()

    with caplog.at_level(logging.ERROR, "hookweave"):
        run(main)
    assert heard[0].kept and [change.name for change in heard[1].added] == ["other"]
    assert sum("no ears" in str(record.exc_info) for record in caplog.records) == 2


def test_files_that_are_loaded_later_are_watched_too(tmp_path: Path) -> None:
    client = new_client()
    heard: list[ReloadReport] = []

    async def main() -> None:
        client.watch(heard.append)
        client.load(hooks_file(tmp_path, OTHER))
        await asyncio.sleep(0.05)
        hooks_file(tmp_path, OTHER, GUARD)
        await until_async(lambda: heard)

    asyncio.run(main())
    client.close()


def test_a_closed_loop_a_lost_client_and_a_busy_loop(tmp_path: Path) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, OTHER))
    heard: list[ReloadReport] = []

    async def main() -> None:
        client.watch(heard.append)

    asyncio.run(main())
    hooks_file(tmp_path, OTHER, GUARD)
    time.sleep(0.3)
    assert heard == []
    gc.collect()
    if Path("/proc/self/task").is_dir():
        until(lambda: not any(name.startswith("hookweave-watch") for name in thread_names()))

    async def busy() -> None:
        client.watch(heard.append)
        for _ in range(5):
            hooks_file(tmp_path, {**OTHER, "name": f"n{time.perf_counter_ns()}"})
            time.sleep(0.15)
        assert heard == []
        await until_async(lambda: heard)
        await asyncio.sleep(0.3)
        assert len(heard) == 1

    asyncio.run(busy())

    async def lost() -> weakref.ref[HookClient]:
        client = new_client()
        client.load(tmp_path / "hookweave.json")
        client.watch()
        return weakref.ref(client)

    reference = asyncio.run(lost())
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("loop", ["asyncio.run", "trio.run", "thread"])
def test_a_watch_keeps_no_process_alive_and_crashes_none(loop: str, tmp_path: Path) -> None:
    file = hooks_file(tmp_path, OTHER)
    program = f"""
import asyncio, time
import trio
from hookweave import HookClient
client = HookClient(default_timeout=600)
client.load({str(file)!r})
async def main():
    client.watch(print)
    open({str(file)!r}, "a").write(" ")
{"client.watch(print)" if loop == "thread" else f"{loop}({'main()' if loop == 'asyncio.run' else 'main'})"}
open({str(file)!r}, "a").write(" ")
time.sleep(0.1 * {{pause}})
"""
    for number in range(6):
        done = run_program(program.replace("{pause}", str(number % 3)))
        assert (done.returncode, done.stderr) == (0, ""), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_takes_nothing_out_of_its_parent_s_loop(tmp_path: Path) -> None:
    file = hooks_file(tmp_path, OTHER)
    done = run_program(
        f"""
import asyncio, json, os
from hookweave import HookClient
client = HookClient(default_timeout=600)
client.load({str(file)!r})
heard = []
async def main():
    client.watch(heard.append)
    child = os.fork()
    if child == 0:
        client.unwatch()
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    open({str(file)!r}, "w").write(json.dumps({{"hookweave": 1, "hooks": []}}))
    for _ in range(6000):
        if heard:
            return
        await asyncio.sleep(0.02)
    raise SystemExit("nothing heard")
asyncio.run(main())
"""
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("run", [*LOOPS, None])
def test_a_late_answer_is_heard_where_the_hook_ran(run: Callable[..., Any] | None, tmp_path: Path) -> None:
    client = new_client()
    more = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "tests are green"}}
    client.load(
        settings(
            tmp_path,
            "PostToolUse",
            {"command": "sleep 0.1; " + prints(more), "async": True},
            {"command": "echo broken >&2; exit 2", "asyncRewake": True},
            {"command": "true", "async": True},
        )
    )
    late: list[tuple[LateAnswer, bool]] = []
    loops: list[Any] = []

    def hear(answer: LateAnswer) -> None:
        late.append((answer, threading.get_ident() in loops))

    client.on_late_answer(hear)
    result = {"success": True, "output": "", "duration": 1}

    async def main() -> list[str]:
        loops.append(threading.get_ident())
        outcome = await client.dispatch("PostToolUse", tool="Bash", args={}, result=result)
        assert await client.drain(LIMIT)
        return [entry.status for entry in outcome.trace]

    if run is None:
        loops.append(threading.get_ident())
        outcome = client.dispatch_sync("PostToolUse", tool="Bash", args={}, result=result)
        assert [entry.status for entry in outcome.trace] == ["detached"] * 3
        client.close()
    else:
        assert run(main) == ["detached"] * 3
    answers = {answer.wakes: answer for answer, _ in late}
    assert len(late) == 2 and all(there is (run is not None) for _, there in late)
    assert "tests are green" in str(answers[False].answer) and answers[False].event == "PostToolUse"
    assert answers[True].answer["reason"] == "broken" and answers[True].answer["action"] == "block"


def test_a_late_answer_that_nobody_hears_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    client = new_client()
    command = prints({"action": "continue", "reason": "late words"})
    client.load(hooks_file(tmp_path, {"event": "Stop", "command": command, "detached": True}))

    @client.hook("Stop", detached=True)
    def callback(event: Event) -> HookResponse:
        return HookResponse.block("from a callback")

    async def main() -> None:
        await client.dispatch("Stop")
        assert await client.drain(LIMIT)

    def ears(answer: LateAnswer) -> None:
        raise ValueError("no ears")

    with caplog.at_level(logging.INFO, "hookweave"):
        asyncio.run(main())
        assert "late words" in caplog.text and "from a callback" in caplog.text
        caplog.clear()
        client.on_late_answer(ears)
        asyncio.run(main())
        assert "late words" in caplog.text and "no ears" in caplog.text
    heard: list[LateAnswer] = []
    client.on_late_answer(heard.append)
    asyncio.run(main())
    assert sorted(str(answer.answer["reason"]) for answer in heard) == ["from a callback", "late words"]


def test_a_detached_command_on_a_cancelled_trio_run_is_killed(tmp_path: Path) -> None:
    client = new_client()
    client.load(hooks_file(tmp_path, {"event": "Stop", "command": "sleep 600", "detached": True}))

    async def main() -> None:
        await client.dispatch("Stop")
        await trio.sleep(0.1)

    began = time.perf_counter()
    trio.run(main)
    assert time.perf_counter() - began < LIMIT
    assert client._outstanding == set()
