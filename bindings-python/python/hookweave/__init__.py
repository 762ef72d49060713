"""Hooks for AI agents: register them, dispatch events, get one decision.

>>> from hookweave import HookClient, HookResponse
>>> client = HookClient()
>>> @client.hook("PreToolUse", matcher={"tool": "Bash"})
... def guard(event):
...     if "rm -rf /" in event.args["command"]:
...         return HookResponse.block("dangerous command")
>>> client.dispatch_sync("PreToolUse", tool="Bash", args={"command": "rm -rf /"}).reason
'dangerous command'
"""

from __future__ import annotations

from . import _native, errors, events
from ._native import Dispatch, Outcome
from ._typed import HookOptions
from .client import EventName, HookClient, TemporaryHook
from .errors import *  # noqa: F403
from .event import Event
from .events import *  # noqa: F403
from .files import (
    Change,
    Finding,
    FoundFile,
    LoadReport,
    Origin,
    Problem,
    ReloadReport,
    TrustStore,
    UntrustedHook,
    WireAnswer,
)
from .outcome import (
    Explained,
    Failure,
    HookInfo,
    Injection,
    LateAnswer,
    Message,
    Overridden,
    Question,
    TraceEntry,
    Unmatched,
    Vote,
)
from .record import Record
from .response import Action, HookResponse

_native.set_classes(Record, HookResponse)
__version__ = _native.__version__
__all__ = [
    "Action",
    "Change",
    "Dispatch",
    "Event",
    "EventName",
    "Explained",
    "Failure",
    "Finding",
    "FoundFile",
    "HookClient",
    "HookInfo",
    "HookOptions",
    "HookResponse",
    "Injection",
    "LateAnswer",
    "LoadReport",
    "Message",
    "Origin",
    "Outcome",
    "Overridden",
    "Problem",
    "Question",
    "Record",
    "ReloadReport",
    "TemporaryHook",
    "TraceEntry",
    "TrustStore",
    "Unmatched",
    "UntrustedHook",
    "Vote",
    "WireAnswer",
    *errors.__all__,
    *events.__all__,
]
