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

from . import _native, audit, errors, events
from ._native import Dispatch, Outcome
from ._typed import HookOptions
from .approval import AllowAll, ApprovalRequest, Approver, DenyAll, PendingApprovals, TerminalApprover, TerminalQuestion
from .audit import AuditLevel, AuditOptions, AuditProblem, AuditReport, AuditTorn
from .client import HookClient
from .context import Context, ContextMessage, Messages
from .display import Display, LogDisplay
from .errors import *  # noqa: F403
from .event import Event, EventName
from .events import *  # noqa: F403
from .files import (
    Change,
    Finding,
    FoundFile,
    LoadReport,
    Origin,
    Problem,
    ReloadReport,
    TrustedHook,
    TrustStore,
    UntrustedHook,
    WireAnswer,
)
from .models import Model, ModelRequest, ModelResponse, ToolCall
from .outcome import (
    ExplainedHook,
    Explanation,
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
from .session import Session, ToolContext
from .session_results import Compaction, Generation, Started, Stopped, Submitted, ToolOutcome
from .stats import Durations, HookStats, HookWarning, Stats
from .temporary_hook import TemporaryHook
from .tools import ToolResult

_native.set_classes(Record, HookResponse)
__version__ = _native.__version__
__all__ = [
    "Action",
    "AllowAll",
    "ApprovalRequest",
    "Approver",
    "AuditLevel",
    "AuditOptions",
    "AuditProblem",
    "AuditReport",
    "AuditTorn",
    "Change",
    "Compaction",
    "Context",
    "ContextMessage",
    "DenyAll",
    "Dispatch",
    "Display",
    "Durations",
    "Event",
    "EventName",
    "ExplainedHook",
    "Explanation",
    "Failure",
    "Finding",
    "FoundFile",
    "Generation",
    "HookClient",
    "HookInfo",
    "HookOptions",
    "HookResponse",
    "HookStats",
    "HookWarning",
    "Injection",
    "LateAnswer",
    "LoadReport",
    "LogDisplay",
    "Message",
    "Messages",
    "Model",
    "ModelRequest",
    "ModelResponse",
    "Origin",
    "Outcome",
    "Overridden",
    "PendingApprovals",
    "Problem",
    "Question",
    "Record",
    "ReloadReport",
    "Session",
    "Started",
    "Stats",
    "Stopped",
    "Submitted",
    "TemporaryHook",
    "TerminalApprover",
    "TerminalQuestion",
    "ToolCall",
    "ToolContext",
    "ToolOutcome",
    "ToolResult",
    "TraceEntry",
    "TrustStore",
    "Unmatched",
    "TrustedHook",
    "UntrustedHook",
    "Vote",
    "WireAnswer",
    "audit",
    *errors.__all__,
    *events.__all__,
]
