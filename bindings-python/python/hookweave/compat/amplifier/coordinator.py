"""Amplifier's coordinator: what modules are mounted on, and what acts on the results of hooks."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from ..._logging import logger
from ...audit import AuditLevel, AuditOptions
from ._answers import common_role, injected
from ._judge import MAX_INJECTION_SIZE, MAX_INJECTION_TOKENS, Judge
from ._systems import Systems
from .hooks import HookRegistry
from .models import ContextInjection, HookResult, parts_of

__all__ = ["MAX_INJECTION_SIZE", "ModuleCoordinator", "SessionCoordinator"]

CHARACTERS_PER_TOKEN: Final = 4
"""How tokens are estimated."""
NAMED_MOUNTS: Final = ("providers", "tools")
"""Where several modules are mounted, by their names."""
MOUNTS: Final = ("orchestrator", "context", "module-source-resolver", *NAMED_MOUNTS)


class ModuleCoordinator:
    """What hook modules are mounted on: ``await mount(coordinator, config)``.

    ``session`` is anything with ``session_id``, ``parent_id`` and ``config``. ``hooks`` is the registry, by default one
    of its own; give one on a :class:`~hookweave.HookClient` and that client's sessions run the modules' hooks.
    ``audit`` is where injections, questions and their answers are recorded, as for a client.
    """

    def __init__(
        self,
        session: Any = None,
        approval_system: Any = None,
        display_system: Any = None,
        *,
        hooks: HookRegistry | None = None,
        context: Any = None,
        audit: AuditLevel | AuditOptions | None = None,
    ) -> None:
        self.session = session
        self.hooks: HookRegistry = HookRegistry() if hooks is None else hooks
        self.mount_points: dict[str, Any] = {point: {} if point in NAMED_MOUNTS else None for point in MOUNTS}
        self.mount_points["hooks"] = self.hooks
        self._systems = Systems(approval_system, context, display_system)
        self.mount_points["context"] = context
        self._capabilities: dict[str, Any] = {}
        self._cleanups: list[Callable[[], Any]] = []
        self._contributors: dict[str, list[tuple[str, Callable[[], Any]]]] = {}
        self.injection_size_limit: Any = self._setting("injection_size_limit", MAX_INJECTION_SIZE)
        self.injection_budget_per_turn: Any = self._setting("injection_budget_per_turn", MAX_INJECTION_TOKENS)
        self._refuses_long_texts = self._configured("injection_size_limit") is not None
        self._current_turn_injections = 0
        self._judge = Judge(
            self._systems, self.session_id, self.injection_size_limit, self.injection_budget_per_turn, audit
        )

    def _configured(self, name: str) -> Any:
        section = self.config.get("session")
        return section.get(name) if isinstance(section, Mapping) else None

    def _setting(self, name: str, default: int) -> int:
        given = self._configured(name)
        return default if given is None else int(given)

    @property
    def config(self) -> Mapping[str, Any]:
        """The session's configuration."""
        config = getattr(self.session, "config", None)
        return config if isinstance(config, Mapping) else {}

    @property
    def session_id(self) -> str | None:
        """The session's id."""
        return getattr(self.session, "session_id", None)

    @property
    def parent_id(self) -> str | None:
        """The id of the session that began this one."""
        return getattr(self.session, "parent_id", None)

    @property
    def approval_system(self) -> Any:
        """The approver; without one, nothing that needs an approval is allowed."""
        return self._systems.approval

    @approval_system.setter
    def approval_system(self, system: Any) -> None:
        self._systems.approval = system

    @property
    def display_system(self) -> Any:
        """Who shows messages; the log unless it is set."""
        return self._systems.display

    @display_system.setter
    def display_system(self, system: Any) -> None:
        self._systems.display = system

    @property
    def context(self) -> Any:
        """Where the conversation is kept; a list in memory unless one is mounted."""
        return self._systems.own_context if self._systems.context is None else self._systems.context

    async def mount(self, mount_point: str, module: Any, name: str | None = None) -> None:
        """Puts a module in its place."""
        if mount_point == "hooks":
            raise ValueError("hooks are registered on the coordinator's `hooks`, not mounted")
        if mount_point not in self.mount_points:
            raise ValueError(f"there is no mount point {mount_point!r}; known are {', '.join(MOUNTS)}")
        if mount_point in NAMED_MOUNTS:
            name = name or getattr(module, "name", None)
            if not name:
                raise ValueError(f"a module under {mount_point!r} needs a name")
            self.mount_points[mount_point][name] = module
            return
        self.mount_points[mount_point] = module
        if mount_point == "context":
            self._systems.context = module

    async def unmount(self, mount_point: str, name: str | None = None) -> None:
        """Takes a module out again; there need not be one."""
        if mount_point in NAMED_MOUNTS:
            self.mount_points[mount_point].pop(name, None)
        elif mount_point in MOUNTS:
            self.mount_points[mount_point] = None
            if mount_point == "context":
                self._systems.context = None

    def get(self, mount_point: str, name: str | None = None) -> Any:
        """What is mounted; with a name the module of that name, or None."""
        if mount_point not in self.mount_points:
            raise ValueError(f"there is no mount point {mount_point!r}; known are hooks, {', '.join(MOUNTS)}")
        mounted = self.mount_points[mount_point]
        return mounted.get(name) if mount_point in NAMED_MOUNTS and name is not None else mounted

    def register_capability(self, name: str, value: Any) -> None:
        """Offers something to the other modules."""
        self._capabilities[name] = value

    def get_capability(self, name: str) -> Any:
        """What a module offers under this name, or None."""
        return self._capabilities.get(name)

    def register_contributor(self, channel: str, name: str, callback: Callable[[], Any]) -> None:
        """Adds a function that is called when the channel is collected."""
        self._contributors.setdefault(channel, []).append((name, callback))

    async def collect_contributions(self, channel: str) -> list[Any]:
        """What the functions of a channel give; one that fails is logged and left out."""
        collected = []
        for name, callback in self._contributors.get(channel, ()):
            try:
                given = await _finished(callback())
            except Exception:
                logger.warning("contributor %s of channel %s failed", name, channel, exc_info=True)
            else:
                if given is not None:
                    collected.append(given)
        return collected

    def register_cleanup(self, cleanup: Callable[[], Any]) -> None:
        """Adds something to be done at the end; what was added last is done first."""
        self._cleanups.append(cleanup)

    async def cleanup(self) -> None:
        """Does what has to be done at the end; a function that fails is logged. Approvals are forgotten."""
        while self._cleanups:
            try:
                await _finished(self._cleanups.pop()())
            except Exception:
                logger.warning("a clean-up of a module failed", exc_info=True)
        await self._judge.forget()

    def reset_turn(self) -> None:
        """A prompt has come in: what is injected from now on is counted again from zero."""
        self._current_turn_injections = 0
        self._judge.end_turn()

    async def process_hook_result(self, result: HookResult, event: str, hook_name: str = "unknown") -> HookResult:
        """Acts on every part of the results of hooks: shows messages, injects context, asks a person.

        The answer is ``deny`` with the reason when it must not happen. Ephemeral context comes back as
        ``inject_context``: it is the host's to hand it to the model with its next call. A text over the session's
        ``injection_size_limit``, where its configuration sets one, is a ``ValueError``.
        """
        parts = parts_of(result, hook_name)
        for text in itertools.chain.from_iterable(injected(part) for _, part in parts):
            if self._refuses_long_texts and len(text) > self.injection_size_limit:
                raise ValueError(f"Context injection exceeds {self.injection_size_limit} characters")
            self._current_turn_injections += len(text) // CHARACTERS_PER_TOKEN
        judged = await self._judge.judge(parts, event)
        if judged.denied is not None:
            return result if result.action == "deny" else HookResult(action="deny", reason=judged.denied)
        if judged.passing:
            return _passing(judged.passing, result, hook_name)
        if result.action in ("inject_context", "ask_user"):
            return HookResult(data=result.data)
        return result


class SessionCoordinator(ModuleCoordinator):
    """A coordinator that is given its parts, for hosts that have their own loop."""

    def __init__(self, hooks: HookRegistry, context: Any, approval_system: Any, display_system: Any) -> None:
        super().__init__(None, approval_system, display_system, hooks=hooks, context=context)

    async def execute_with_hooks(self, event: str, data: Mapping[str, Any]) -> HookResult:
        """Runs the hooks of an event and acts on what they say."""
        return await self.process_hook_result(await self.hooks.emit(event, data), event, "composite")

    def handle_context_injection(
        self, result: HookResult, hook_name: str = "unknown", event: str = ""
    ) -> Coroutine[Any, Any, HookResult]:
        """Injects context; a text over :data:`MAX_INJECTION_SIZE` is refused at once with a ``ValueError``."""
        size = len(result.context_injection or "")
        if size > MAX_INJECTION_SIZE:
            raise ValueError(
                f"hook {hook_name} injects {size} characters, which exceeds {MAX_INJECTION_SIZE} characters"
            )
        return self._part(result, event, hook_name, action="inject_context", user_message=None)

    async def handle_approval_request(self, result: HookResult, hook_name: str) -> HookResult:
        """Asks a person; ``continue`` when it may happen."""
        return await self._part(result, "", hook_name, action="ask_user", user_message=None)

    async def handle_user_message(self, result: HookResult, hook_name: str) -> None:
        """Shows the result's message to the user."""
        await self._part(result, "", hook_name, action="continue")

    async def _part(self, result: HookResult, event: str, hook_name: str, **update: Any) -> HookResult:
        return await self.process_hook_result(result.model_copy(update=update), event, hook_name)


def _passing(passing: list[ContextInjection], result: HookResult, hook_name: str) -> HookResult:
    for injection in passing:
        if injection.hook_name == "unknown":
            injection.hook_name = hook_name
    return HookResult(
        action="inject_context",
        data=result.data,
        context_injection="\n\n".join(injection.content for injection in passing),
        context_injection_role=common_role(passing),
        ephemeral=True,
        append_to_last_tool_result=result.append_to_last_tool_result,
        context_injections=passing,
    )


async def _finished(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
