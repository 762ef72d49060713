"""The audit log as Python programs use it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
from hookweave import AuditError, HookResponse, InvalidOptionError, audit
from hookweave._audit_delivery import Delivery

from support import LIMIT, new_client

CALL: dict[str, Any] = {"tool": "Bash", "args": {"command": "ls"}, "session_id": "s1"}


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def kinds(path: Path) -> list[str]:
    return [record["kind"] for record in records(path)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


def test_every_way_to_dispatch_is_recorded_once(log: Path) -> None:
    client = new_client(audit={"file": log})
    client.register_hook("PreToolUse", lambda event: None, name="quiet")
    client.dispatch_sync("PreToolUse", CALL)

    async def main() -> None:
        await client.dispatch("PreToolUse", CALL)
        await asyncio.gather(*(client.dispatch("PreToolUse", CALL) for _ in range(3)))

    asyncio.run(main())
    client.close()
    finished = [record for record in records(log) if record["kind"] == "hook_finished"]
    assert [record["dispatch"] for record in finished] == [1, 2, 3, 4, 5]
    assert kinds(log)[-1] == "audit_closed"
    assert audit.verify(log).whole


def test_a_callback_hears_each_record_in_order_and_its_failure_harms_nothing(
    log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[dict[str, Any]] = []

    def hear(record: dict[str, Any]) -> None:
        assert threading.current_thread() is not threading.main_thread()
        heard.append(record)
        if record["seq"] == 2:
            raise ValueError("no ears")

    with new_client(audit={"file": log, "callback": hear}) as client:
        client.register_hook("PreToolUse", lambda event: HookResponse.block("no"), name="guard")
        client.dispatch_sync("PreToolUse", CALL)
        assert client.flush_audit()
        assert [record["seq"] for record in heard] == [1, 2, 3, 4]
    assert heard == records(log)
    assert "the audit callback failed on record 2" in caplog.text


def test_a_callback_that_ends_its_thread_ends_nothing(log: Path, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[int] = []

    def hear(record: dict[str, Any]) -> None:
        heard.append(record["seq"])
        sys.exit(3)

    with new_client(audit={"file": log, "callback": hear}) as client:
        client.register_hook("PreToolUse", lambda event: None)
        client.dispatch_sync("PreToolUse", CALL)
        assert client.flush_audit()
        assert heard == [1, 2, 3]
    assert "the audit callback failed on record 2" in caplog.text


def test_a_callback_that_nobody_would_await_is_refused() -> None:
    async def hear(record: dict[str, Any]) -> None: ...

    with pytest.raises(InvalidOptionError, match="nothing awaits it"):
        new_client(audit={"callback": hear})


def test_a_callback_may_use_the_client(log: Path) -> None:
    seen: list[str] = []

    def hear(record: dict[str, Any]) -> None:
        seen.append(record["kind"])
        if record["kind"] == "blocked":
            assert client.flush_audit(LIMIT)
            client.dispatch_sync("PostToolUse", CALL)

    client = new_client(audit={"file": log, "callback": hear})
    client.register_hook("PreToolUse", lambda event: HookResponse.block("no"))
    client.register_hook("PostToolUse", lambda event: None)
    client.dispatch_sync("PreToolUse", CALL)
    assert client.flush_audit()
    assert client.flush_audit()
    client.close()
    assert kinds(log).count("hook_finished") == 2


def test_a_level_alone_sends_records_to_logging(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "hookweave.audit")
    client = new_client()
    assert client.audit_level == "info"
    assert client.audit_anchor is None
    client.set_hook_audit_level("verbose")
    client.register_hook("PreToolUse", lambda event: None, name="quiet")
    client.dispatch_sync("PreToolUse", CALL)
    assert client.flush_audit()
    logged = [vars(record)["audit"] for record in caplog.records if record.name == "hookweave.audit"]
    assert [record["kind"] for record in logged] == ["audit_opened", "hook_registered", "hook_started", "hook_finished"]
    client.set_hook_audit_level("off")
    client.dispatch_sync("PreToolUse", CALL)
    with pytest.raises(InvalidOptionError, match="known are off, error, info, verbose"):
        client.set_hook_audit_level("loud")  # type: ignore[arg-type]
    client.close()


def test_the_path_of_a_file_is_enough(tmp_path: Path) -> None:
    for path in (tmp_path / "a.jsonl", str(tmp_path / "b.jsonl")):
        with new_client(audit=path) as client:
            client.dispatch_sync("Stop")
            assert client.audit_file == str(path) and client.flush_audit()
        assert Path(path).stat().st_size > 0
    with pytest.raises(InvalidOptionError, match="did you mean `info`"):
        new_client(audit="inof")


def test_options_are_read_and_nonsense_is_refused(tmp_path: Path, log: Path) -> None:
    client = new_client(
        audit={
            "file": str(log),
            "level": "verbose",
            "inputs": "full",
            "fsync": "grouped",
            "rotation": {"max_bytes": 600, "max_age": timedelta(hours=1), "keep": 50},
            "redact": {"keys": ("x-internal",), "patterns": ["ticket-[0-9]+"]},
            "key": "k",
        }
    )
    client.register_hook("PreToolUse", lambda event: None)
    client.dispatch_sync("PreToolUse", tool="Bash", args={"command": "ticket-47", "x_internal": "abc123", "d": {1.5}})
    client.close()
    text = "".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("audit*.jsonl"))
    assert "ticket-47" not in text
    assert "abc123" not in text
    assert "left out" in text, "a set has no JSON form, and the record says so"
    report = audit.verify(log)
    assert report.whole
    assert len(report.files) > 1
    wrong: list[Any] = ["loud", {"levle": "info"}, {"callback": 7}, {"log": "yes"}, {"redact": {"patterns": ["("]}}]
    for given in wrong:
        with pytest.raises(InvalidOptionError):
            new_client(audit=given)
    with pytest.raises(AuditError) as caught:
        new_client(audit={"file": tmp_path})
    assert isinstance(caught.value, OSError)
    assert caught.value.code == "audit_failed"


def test_sessions_are_recorded_whether_or_not_a_hook_ran(log: Path) -> None:
    client = new_client(audit={"file": log})
    session = client.session("s7", permissions={"Bash": "ask"}, approval=lambda request: "Allow once")

    async def main() -> None:
        await session.run_tool("Read", {"file_path": "/x"}, lambda args: "text")
        await session.run_tool("Bash", {"command": "ls"}, lambda args: "text")
        client.register_hook("PreToolUse", lambda event: HookResponse.block("no"), name="guard")
        await session.run_tool("Bash", {"command": "ls"}, lambda args: "text")

    asyncio.run(main())
    client.close()
    runs = [record for record in records(log) if record["kind"] == "tool_run"]
    assert [(run["tool"], run["outcome"]) for run in runs] == [("Read", "ok"), ("Bash", "ok"), ("Bash", "block")]
    assert all(run["session"] == "s7" and run["input"]["digest"] for run in runs)
    assert runs[1]["input"] != runs[2]["input"], "the digest covers the call's id"
    decided = [record for record in records(log) if record["kind"] == "approval_decided"]
    assert [(record["outcome"], record["details"]["by"]) for record in decided] == [("granted", "user")]


def test_a_required_log_blocks_what_it_cannot_record(log: Path) -> None:
    script = f"""
import resource, signal, sys
from hookweave import HookClient
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))
client = HookClient(default_timeout=600, audit={{"file": {str(log)!r}, "required": True, "queue": 16}})
client.register_hook("PreToolUse", lambda event: None)
outcome = None
for _ in range(200):
    outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={{"command": "ls"}})
    client.flush_audit(0.01)
assert outcome.blocked and outcome.reason.startswith("audit"), outcome
assert client.audit_trouble
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert client.flush_audit(100) and client.audit_trouble is None
assert not client.dispatch_sync("PreToolUse", tool="Bash", args={{}}).blocked
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=LIMIT)
    report = audit.verify(log)
    assert report.whole
    assert report.lost > 0
    assert kinds(log)[-1] == "audit_closed", "the end of the process writes what is left"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_forked_child_has_a_log_and_a_callback_of_its_own(log: Path) -> None:
    script = f"""
import os
from hookweave import HookClient
heard = []
client = HookClient(default_timeout=600, audit={{"file": {str(log)!r}, "callback": heard.append}})
client.register_hook("PreToolUse", lambda event: None)
client.dispatch_sync("PreToolUse", tool="Bash", args={{}})
child = os.fork()
if child == 0:
    import threading
    before = len(heard)
    client.dispatch_sync("PreToolUse", tool="Bash", args={{}})
    fine = "hookweave-audit-delivery" in [thread.name for thread in threading.enumerate()]
    fine = fine and client.flush_audit(100) and len(heard) == before + 2 and client.audit_file != {str(log)!r}
    client.close()
    os._exit(0 if fine else 1)
assert os.waitpid(child, 0)[1] == 0
client.dispatch_sync("PreToolUse", tool="Bash", args={{}})
client.close()
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=LIMIT)
    report = audit.verify(log)
    assert report.whole
    assert len(report.others) == 1
    assert report.others[0].records == 3
    assert kinds(log).count("hook_finished") == 2


def test_a_log_that_only_a_callback_gets_cannot_be_required(log: Path) -> None:
    def fails(record: dict[str, Any]) -> None:
        raise OSError("the collector is down")

    alone: list[dict[str, Any]] = [{"callback": fails}, {}, {"log": True}]
    for options in alone:
        with pytest.raises(InvalidOptionError, match=r"audit\.required: needs a `file`"):
            new_client(audit=cast(Any, {**options, "required": True}))
    with pytest.raises(InvalidOptionError, match=r"audit\.required: no decision is recorded with the level `off`"):
        new_client(audit={"file": log, "required": True, "level": "off"})
    client = new_client(audit={"file": log, "required": True, "callback": fails})
    client.register_hook("PreToolUse", lambda event: None)
    assert not client.dispatch_sync("PreToolUse", CALL).blocked
    assert kinds(log)[-1] == "hook_finished"
    client.close()


def test_a_record_that_python_does_not_take_keeps_no_other_from_the_callback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Outbox:
        batches: ClassVar = [['{"seq": 1, "n": ' + "9" * 5000 + "}", '{"seq": 2}']]

        def wait(self, seconds: float) -> bool:
            return bool(self.batches)

        def fetch(self, most: int) -> tuple[list[str], int]:
            return self.batches.pop(), 0

    heard: list[dict[str, Any]] = []
    delivery = Delivery(cast(Any, Outbox()), (heard.append,), None)
    delivery._thread.join(LIMIT)
    assert heard == [{"seq": 2}]
    assert "4300" in caplog.text


def test_no_decision_is_told_before_its_record_is_in_the_file(log: Path) -> None:
    client = new_client(audit={"file": log, "required": True})
    client.register_hook("PreToolUse", lambda event: None)
    for number in range(1, 11):
        assert not client.dispatch_sync("PreToolUse", CALL).blocked
        assert kinds(log).count("hook_finished") == number
    session = client.session("s7")

    async def main() -> None:
        async def tool(args: dict[str, Any]) -> str:
            assert kinds(log)[-1] == "tool_started"
            return "text"

        assert (await session.run_tool("Other", {}, tool)).ok
        assert kinds(log)[-1] == "tool_run"
        await client.dispatch("PreToolUse", CALL)
        assert kinds(log)[-1] == "hook_finished"

    asyncio.run(main())
    client.close()


# A dispatch waits a second for a full queue and five for the disk: a queue that is full depends on how fast that is.
@pytest.mark.parametrize(("fsync", "count", "queue"), [("never", 8, 2), ("record", 2, 1024)])
def test_nobody_is_blocked_by_a_log_that_is_written(log: Path, fsync: Any, count: int, queue: int) -> None:
    client = new_client(audit={"file": log, "required": True, "fsync": fsync, "queue": queue})
    client.register_hook("PreToolUse", lambda event: None)
    blocked: list[bool] = []

    def work() -> None:
        blocked.extend(client.dispatch_sync("PreToolUse", CALL).blocked for _ in range(25))

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert blocked == [False] * 25 * count
    assert kinds(log).count("hook_finished") == 25 * count
    client.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.parametrize("required", [False, True])
def test_a_child_that_leaves_without_a_word_has_written_what_it_decided(log: Path, required: bool) -> None:
    script = f"""
import os
from hookweave import HookClient
client = HookClient(default_timeout=600, audit={{"file": {str(log)!r}, "required": {required}}})
client.register_hook("PreToolUse", lambda event: None)
for _ in range(10):
    child = os.fork()
    if child == 0:
        for _ in range(3):
            assert not client.dispatch_sync("PreToolUse", tool="Bash", args={{}}).blocked
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
client.close()
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=LIMIT)
    report = audit.verify(log)
    assert report.whole
    assert len(report.others) == 10
    assert all(kinds(Path(other.files[0])).count("hook_finished") == 3 for other in report.others)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_the_first_dispatch_on_a_full_disk_is_blocked(log: Path) -> None:
    script = f"""
import os, resource, signal
from hookweave import HookClient
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
client = HookClient(default_timeout=600, audit={{"file": {str(log)!r}, "required": True}})
client.register_hook("PreToolUse", lambda event: None)
assert client.flush_audit(100)
resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize({str(log)!r}), resource.RLIM_INFINITY))
outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={{}})
assert outcome.blocked and outcome.reason.startswith("audit: "), outcome
child = os.fork()
if child == 0:
    # Its own log is as long as its first record.
    outcome = client.dispatch_sync("PreToolUse", tool="Bash", args={{"command": "x" * 4000}})
    os._exit(0 if outcome.blocked else 1)
assert os.waitpid(child, 0)[1] == 0
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert client.flush_audit(100)
assert not client.dispatch_sync("PreToolUse", tool="Bash", args={{}}).blocked
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=LIMIT)
    assert audit.verify(log).whole


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.parametrize("inside", [False, True], ids=["a client of the parent", "a client of its own"])
def test_a_child_of_multiprocessing_writes_its_log_to_the_end(log: Path, inside: bool) -> None:
    script = f"""
import multiprocessing
from hookweave import HookClient

def opened():
    client = HookClient(default_timeout=600, audit={{"file": {str(log)!r}}})
    client.register_hook("PreToolUse", lambda event: None)
    return client

client = opened()
kept = []

def work(number):
    used = opened() if {inside} else client
    kept.append(used)
    for _ in range(20):
        used.dispatch_sync("PreToolUse", tool="Bash", args={{}})

children = [multiprocessing.get_context("fork").Process(target=work, args=(number,)) for number in range(3)]
for child in children:
    child.start()
for child in children:
    child.join()
assert [child.exitcode for child in children] == [0, 0, 0]
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=LIMIT)
    report = audit.verify(log)
    assert report.whole
    assert [other.records for other in report.others] == [23 if inside else 22] * 3
    assert all(kinds(Path(other.files[0]))[-1] == "audit_closed" for other in report.others)


def test_what_somebody_changes_is_found(log: Path) -> None:
    client = new_client(audit={"file": log})
    client.register_hook("PreToolUse", lambda event: None, name="quiet")
    for _ in range(5):
        client.dispatch_sync("PreToolUse", CALL)
    assert client.flush_audit()
    anchor = client.audit_anchor
    client.close()
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    log.write_text("".join(lines[:4] + lines[5:]), encoding="utf-8")
    report = audit.verify(log, anchor)
    problem = report.problems[0]
    assert (report.whole, problem.kind, problem.seq, problem.line) == (False, "missing", 5, 5)
    log.write_text("".join(lines[:4]), encoding="utf-8")
    assert audit.verify(log)
    assert not audit.verify(log, anchor)
    assert audit.verify(log, anchor).problems[0].kind == "truncated"
    nothing = "0:" + "0" * 64
    for wrong, message in (
        ("no anchor", "`no anchor` is no anchor"),
        (5, "`5` is no anchor"),
        ("\ud800", "is no anchor"),
        (nothing, "the first record is number 1"),
    ):
        with pytest.raises(InvalidOptionError, match=message) as refused:
            audit.verify(log, cast("str", wrong))
        assert refused.value.code == "invalid_option"
    log.write_text("", encoding="utf-8")
    assert not audit.verify(log).whole
    with pytest.raises(AuditError):
        audit.verify(log.with_name("none.jsonl"))


def test_the_closing_record_is_an_anchor_too(log: Path) -> None:
    client = new_client(audit={"file": log})
    client.register_hook("PreToolUse", lambda event: None, name="quiet")
    client.dispatch_sync("PreToolUse", CALL)
    client.close()
    report = audit.verify(log, client.audit_anchor)
    assert (report.anchored, report.last) == (True, client.audit_anchor)
    client.close()
    assert client.audit_anchor == report.last


def test_a_slow_callback_holds_nobody_up_for_long(log: Path) -> None:
    gate = threading.Event()
    ended: list[bool] = []
    callback = lambda record: ended.append(gate.wait(LIMIT))  # noqa: E731
    client = new_client(audit={"file": log, "callback": callback, "queue": 4})
    client.register_hook("PreToolUse", lambda event: None)
    for _ in range(100):
        client.dispatch_sync("PreToolUse", CALL)
    assert ended == [], "they waited for the callback"
    gate.set()
    client.close()
    assert audit.verify(log).whole


def test_a_client_that_is_collected_writes_its_log_to_the_end(log: Path) -> None:
    client = new_client(audit={"file": log})
    client.register_hook("PreToolUse", lambda event: None)
    client.dispatch_sync("PreToolUse", CALL)
    del client
    import gc

    gc.collect()
    assert kinds(log)[-1] == "audit_closed"
