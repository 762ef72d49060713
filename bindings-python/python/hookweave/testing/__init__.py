"""Testing hooks without an agent: events, scripted models and people, asserts that show the whole decision, snapshots.

>>> from hookweave import HookClient, HookResponse
>>> from hookweave.testing import assert_blocked, dispatch_sync, tool_event
>>> client = HookClient()
>>> @client.hook("PreToolUse", matcher={"tool": "Bash"})
... def guard(event):
...     return HookResponse.block("no root here") if "sudo" in event.command else None
>>> assert_blocked(dispatch_sync(client, tool_event("Bash", command="sudo id")), by="guard", reason="no root")
"""

from __future__ import annotations

from ._asserts import (
    assert_allowed,
    assert_asked,
    assert_blocked,
    assert_continues,
    assert_failed,
    assert_injected,
    assert_message,
    assert_modified,
    assert_not_selected,
    assert_objected,
    assert_ran,
)
from ._client import WatchedClient
from ._events import dispatch, dispatch_sync, event, prompt_event, tool_event, tool_result_event
from ._judged import Judged, describe
from ._scripted import RecordingTool, ScriptedApprover, ScriptedModel, tool_call
from ._snapshots import assert_matches_snapshot, trace_snapshot

__all__ = [
    "Judged",
    "RecordingTool",
    "ScriptedApprover",
    "ScriptedModel",
    "WatchedClient",
    "assert_allowed",
    "assert_asked",
    "assert_blocked",
    "assert_continues",
    "assert_failed",
    "assert_injected",
    "assert_matches_snapshot",
    "assert_message",
    "assert_modified",
    "assert_not_selected",
    "assert_objected",
    "assert_ran",
    "describe",
    "dispatch",
    "dispatch_sync",
    "event",
    "prompt_event",
    "tool_call",
    "tool_event",
    "tool_result_event",
    "trace_snapshot",
]
