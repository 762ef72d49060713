"""Amplifier's hooks: its modules run here unchanged but for the import path, on hookweave's engine.

>>> import asyncio
>>> from hookweave.compat.amplifier import HookRegistry, HookResult
>>> hooks = HookRegistry()
>>> async def guard(event, data):
...     return HookResult(action="deny", reason="not here")
>>> unregister = hooks.register("tool:pre", guard, priority=0, name="guard")
>>> asyncio.run(hooks.emit("tool:pre", {"tool_name": "Bash", "tool_input": {}})).reason
'not here'

What a module registers runs when an Amplifier orchestrator emits, and when a session of the registry's
:class:`~hookweave.HookClient` raises the same event.
"""

from . import events
from .approval import ApprovalSystem, ApprovalTimeout, ApprovalTimeoutError
from .coordinator import MAX_INJECTION_SIZE, ModuleCoordinator, SessionCoordinator
from .display import DisplaySystem
from .hooks import HookRegistry
from .interfaces import ContextManager, HookHandler, Tool
from .models import ContextInjection, HookResult, ToolResult
from .session import AmplifierSession

__all__ = [
    "MAX_INJECTION_SIZE",
    "AmplifierSession",
    "ApprovalSystem",
    "ApprovalTimeout",
    "ApprovalTimeoutError",
    "ContextInjection",
    "ContextManager",
    "DisplaySystem",
    "HookHandler",
    "HookRegistry",
    "HookResult",
    "ModuleCoordinator",
    "SessionCoordinator",
    "Tool",
    "ToolResult",
    "events",
]
