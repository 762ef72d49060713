"""Hooks for AI agents: register them, dispatch events, get one decision.

>>> from hookweave import HookClient, HookResponse
>>> client = HookClient()
>>> @client.hook("PreToolUse", matcher={"tool": "Bash"})
... def guard(event):
...     if "rm -rf /" in event.command:
...         return HookResponse.block("dangerous command")
>>> client.dispatch_sync("PreToolUse", tool="Bash", args={"command": "rm -rf /"}).reason
'dangerous command'
"""

from __future__ import annotations

import sys

try:
    from . import _native
except ModuleNotFoundError as _error:
    from pathlib import Path as _Path

    _folder = _Path(__file__).parent
    _why = (
        f"there is no compiled part for Python {sys.version_info.major}.{sys.version_info.minor} on {sys.platform}; "
        "install hookweave with this Python's pip"
        if _folder.is_dir()
        else f"a program in a zip file ({_folder}) cannot load its compiled part; unpack it, or install it with pip"
    )
    raise ImportError(f"hookweave cannot be imported: {_why}", name="hookweave._native") from _error
from ._exports import HOMES, MODULES

__version__ = _native.__version__

# Type checkers, editors and tools that pack programs take this for true; no name is imported before it is used.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import audit, errors, events
    from ._native import Dispatch, Outcome
    from ._remote_address import RemoteTls
    from .approval import (
        AllowAll,
        Approval,
        ApprovalPending,
        ApprovalRequest,
        Approver,
        CommandPart,
        DenyAll,
        PendingApprovals,
        TerminalApprover,
        TerminalQuestion,
    )
    from .audit import AuditLevel, AuditOptions, AuditProblem, AuditReport, AuditTorn
    from .client import HookClient
    from .context import Context, ContextMessage, Messages
    from .display import Display, LogDisplay
    from .errors import *  # noqa: F403
    from .event import CallEvent, Event, EventName
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
    from .open_model_call import OpenModelCall
    from .open_tool_call import OpenToolCall
    from .options import HookOptions, Matcher
    from .outcome import (
        ExplainedHook,
        Explanation,
        Failure,
        HookInfo,
        Injection,
        LateAnswer,
        Message,
        Observed,
        Overridden,
        Question,
        TraceEntry,
        Unmatched,
        Vote,
    )
    from .record import Record
    from .response import Action, HookResponse
    from .serving import Grants, ServingWorkers, WorkerInfo
    from .session import Session, ToolContext
    from .session_results import Compaction, Generation, ModelOutcome, Started, Stopped, Submitted, ToolOutcome
    from .stats import Durations, HookStats, HookWarning, Stats
    from .temporary_hook import TemporaryHook
    from .tools import ToolResult
    from .worker_connection import RemoteState, WorkerConnection

    __all__ = [
        "Action",
        "AllowAll",
        "Approval",
        "ApprovalPending",
        "ApprovalRequest",
        "Approver",
        "AuditLevel",
        "AuditOptions",
        "AuditProblem",
        "AuditReport",
        "AuditTorn",
        "CallEvent",
        "Change",
        "CommandPart",
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
        "Grants",
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
        "Matcher",
        "Message",
        "Messages",
        "Model",
        "ModelOutcome",
        "ModelRequest",
        "ModelResponse",
        "Observed",
        "OpenModelCall",
        "OpenToolCall",
        "Origin",
        "Outcome",
        "Overridden",
        "PendingApprovals",
        "Problem",
        "Question",
        "Record",
        "ReloadReport",
        "RemoteState",
        "RemoteTls",
        "ServingWorkers",
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
        "TrustedHook",
        "Unmatched",
        "UntrustedHook",
        "Vote",
        "WireAnswer",
        "WorkerConnection",
        "WorkerInfo",
        "audit",
    ]
    __all__ += errors.__all__
    __all__ += events.__all__
else:
    globals().update(__all__=list(HOMES))

    def __getattr__(name):
        """Imports the name's module when the name is first asked for."""
        home = HOMES.get(name)
        if home is None and name not in MODULES:
            package = sys.modules[__name__]
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=package)
        module = __import__(home or name, globals(), None, [name], 1)
        value = module if home in (None, name) else getattr(module, name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *HOMES, *MODULES})
