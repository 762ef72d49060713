"""Where an event happens: what no vector can say, being about types of Python's and the directory of the process."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path, PurePosixPath

import pytest
from hookweave import HookClient, HookResponse, InvalidOptionError, PayloadError, PreToolUseEvent, Session

from support import new_client


def guarded(pattern: str, **options: object) -> tuple[HookClient, list[object]]:
    client = new_client(**options)  # type: ignore[arg-type]
    seen: list[object] = []

    @client.hook("PreToolUse", matcher={"path_pattern": pattern})
    def guard(event: PreToolUseEvent) -> HookResponse:
        seen.append(event.cwd)
        return HookResponse.block("guarded")

    return client, seen


def blocks(client: HookClient, path: str, **fields: object) -> bool:
    return client.dispatch_sync("PreToolUse", {"tool": "Write", "args": {"file_path": path}, **fields}).blocked


def test_path_objects_are_taken_as_their_text() -> None:
    client, seen = guarded("secrets/**")
    payload = {"tool": "Write", "args": {"file_path": "/w/secrets/k"}, "cwd": PurePosixPath("/w")}
    assert client.dispatch_sync("PreToolUse", payload).blocked
    assert isinstance(payload["cwd"], PurePosixPath), "the caller's dict is left alone"
    event = PreToolUseEvent(tool="Write", args={"file_path": "/w/secrets/k"}, cwd=Path("/w"))  # type: ignore[arg-type]
    assert client.dispatch_sync(event).blocked
    assert seen == ["/w", "/w"]
    assert not client.explain("PreToolUse", tool="Write", args={"file_path": "/x/k"}, cwd=Path("/w")).hooks[0].matched


@pytest.mark.parametrize("cwd", [5, b"/w", ["/w"], object(), type("Odd", (), {"__fspath__": lambda self: b"/w"})()])
def test_what_is_no_path_is_refused(cwd: object) -> None:
    client, seen = guarded("secrets/**")
    with pytest.raises(PayloadError, match="cwd"):
        blocks(client, "secrets/k", cwd=cwd)
    with pytest.raises(PayloadError, match="cwd"):
        client.explain("PreToolUse", tool="Write", args={}, cwd=cwd)
    assert seen == []


def test_settings_take_paths_and_refuse_what_is_none(tmp_path: Path) -> None:
    client, seen = guarded("secrets/**", project_dir=tmp_path)
    assert blocks(client, str(tmp_path / "secrets" / "k"))
    assert seen == [str(tmp_path)]
    for wrong in (5, b"/w"):
        with pytest.raises(InvalidOptionError, match="project_dir"):
            new_client(project_dir=wrong)  # type: ignore[arg-type]
        with pytest.raises(InvalidOptionError, match="cwd"):
            client.session(cwd=wrong)  # type: ignore[arg-type]


def test_sessions_happen_in_their_directory(tmp_path: Path) -> None:
    client, seen = guarded("secrets/**", project_dir=tmp_path)
    secret = str(tmp_path / "secrets" / "k")

    async def runs(session: Session) -> bool:
        return (await session.run_tool("Write", {"file_path": secret}, lambda args: "written")).ran

    assert not asyncio.run(runs(client.session()))
    assert not asyncio.run(runs(client.session(cwd=Path("/elsewhere")))), "it is the project's folder all the same"
    assert seen == [str(tmp_path), "/elsewhere"]


def test_the_directory_of_the_process_is_the_one_of_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client, seen = guarded("secrets/**")
    monkeypatch.chdir(tmp_path)
    assert blocks(client, str(tmp_path / "secrets" / "k"))
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    assert not blocks(client, str(tmp_path / "secrets" / "k"))
    assert blocks(client, "secrets/k")
    assert seen == [str(tmp_path), str(tmp_path / "sub")]


def test_a_deleted_directory_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    client, seen = guarded("secrets/**")
    monkeypatch.chdir(gone)
    gone.rmdir()
    try:
        assert blocks(client, "anything"), "nobody can tell where it is"
        assert seen == [None]
        outcome = client.dispatch_sync("UserPromptSubmit", prompt="x")
        assert "cwd" not in outcome.to_dict()["event"]
        assert not blocks(client, "anything", cwd="/w")
    finally:
        os.chdir(tmp_path)
