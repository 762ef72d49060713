"""Acts on what Amplifier's hooks say, by the rules of the engine's sessions.

Hooks of a session of its own, in which nothing else happens, give the results of an emission's hooks once more: so
the limits, the budget of a turn, approvals and what is remembered of them are the session's and no second set of rules.
"""

from __future__ import annotations

import functools
import itertools
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from ...audit import AuditLevel, AuditOptions
from ...client import HookClient
from ...session_results import ToolOutcome
from .._dialect import OutsideHookError
from ._answers import Fields, emitted_answer
from ._systems import JUDGING, Judging, Systems
from .models import ContextInjection, Parts

__all__ = ["MAX_INJECTION_SIZE", "MAX_INJECTION_TOKENS", "Judge", "Judged"]

MAX_INJECTION_SIZE: Final = 10 * 1024
"""The longest text that a hook may inject, in characters."""
MAX_INJECTION_TOKENS: Final = 1000
"""Tokens that hooks may inject in a turn before the user is warned."""

_ANSWERS: Final[ContextVar[list[Fields]]] = ContextVar("_ANSWERS")
"""The results of the hooks of the emission that is judged, each at its place."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The effects of the results of hooks."""

    denied: str | None
    """Why the action must not happen; None when it may."""
    passing: list[ContextInjection]
    """Texts for the next model call only, which the host hands to the model."""


class Judge:
    """Acts on the results of hooks; approvals and injections are kept as long as it lives."""

    def __init__(
        self,
        systems: Systems,
        session_id: str | None,
        limit: int,
        budget: int,
        audit: AuditLevel | AuditOptions | None,
    ) -> None:
        self._client = HookClient(profile="amplifier", audit=audit)
        # Another prompt begins another turn; it is the host's to keep.
        self._client.register_hook("UserPromptSubmit", lambda _: {"action": "block"})
        self._open = functools.partial(
            self._client.session,
            session_id,
            approval=systems.approve,
            context=systems,
            display=systems,
            # Bytes there, characters here: the limit itself is applied to each answer.
            injection_limit=4 * limit,
            injection_budget=budget,
        )
        self._systems, self._limit = systems, limit
        self._session = self._open()
        self._numbers = itertools.count()
        self._voices: dict[tuple[int, str], str] = {}
        self._turn_is_over = False

    def end_turn(self) -> None:
        """What is injected from now on is counted again from zero."""
        self._turn_is_over = True

    async def judge(self, parts: Parts, event: str) -> Judged:
        """Shows, injects and asks what the hooks of one emission answered."""
        if self._turn_is_over:
            self._turn_is_over = False
            await self._session.submit_prompt("")
        sources = {hook: str(part["user_message_source"]) for hook, part in parts if part.get("user_message_source")}
        judging = Judging(event, sources)
        passing = Judging(event, sources, passing=[])
        answers = [(hook, _answer(hook, part, event)) for hook, part in parts]
        answers = [(hook, await self._shortened(hook, answer)) for hook, answer in answers]
        lasting = [(hook, _remembered(_only(answer, ephemeral=False))) for hook, answer in answers]
        outcome = await self._hear(lasting, judging)
        ephemeral = [(hook, part) for hook, answer in answers if (part := _only(answer, ephemeral=True))]
        # One by one: together they would be one text, of no hook.
        for one in ephemeral if outcome.ran else ():
            await self._hear([one], passing)
        if outcome.ran:
            return Judged(None, passing.passing or [])
        reason = outcome.reason or "a hook denied it"
        late = f"Timeout - denied by default: {reason}" if outcome.by == "timeout" else None
        return Judged(judging.denied or late or reason, [])

    async def _shortened(self, hook: str, answer: Fields) -> Fields:
        """The answer without texts that are too long, which the user is told."""
        kept = []
        for injection in answer.get("inject", ()):
            size = len(injection["content"])
            if size <= self._limit:
                kept.append(injection)
                continue
            text = f"the context of hook {hook} has {size} characters, the limit is {self._limit}; it was left out"
            await self._systems.show_message(text, "error", "hookweave")
        return {**answer, "inject": kept} if "inject" in answer else answer

    async def _hear(self, answers: list[tuple[str, Fields]], judging: Judging) -> ToolOutcome:
        """Has hooks of these names answer about a call in which nothing is done."""
        call = f"{judging.event}#{next(self._numbers)}".replace("|", "/").strip()
        speakers = {str(place): hook for place, (hook, _) in enumerate(answers)}
        for place, (hook, _) in enumerate(answers):
            self._give_voice(place, hook)
        before, answered = JUDGING.set(judging), _ANSWERS.set([answer for _, answer in answers])
        try:
            return await self._session.run_tool(call, {"speakers": speakers}, lambda _: None)
        finally:
            _ANSWERS.reset(answered)
            JUDGING.reset(before)

    def _give_voice(self, place: int, hook: str) -> None:
        """Registers a hook of this name for this place among those that speak, once.

        What a person allowed always is allowed to the very hook that asked, so it has to be there for the next call.
        """
        if (place, hook) not in self._voices:
            self._voices[place, hook] = self._client.register_hook(
                "PreToolUse",
                lambda _: _ANSWERS.get()[place],
                name=hook,
                priority=place,
                matcher={"args": {f"speakers.{place}": {"equals": hook}}},
            )

    async def forget(self) -> None:
        """Forgets what was approved; what was recorded is written."""
        await self._session.end()
        self._session = self._open()
        while self._voices:
            self._client.unregister_hook(self._voices.popitem()[1])
        self._client.flush_audit()


def _answer(hook: str, part: Fields, event: str) -> Fields:
    """The answer of a hook, without the data: the emission has changed them already."""
    try:
        return emitted_answer({**part, "data": None}, event, "PreToolUse") or {}
    except OutsideHookError as error:
        raise ValueError(f"what hook {hook} says of {event} cannot be acted on: {error}") from None


def _only(answer: Fields, *, ephemeral: bool) -> Fields:
    """The answer with its lasting injections, or nothing but its ephemeral ones, as ones that can be seen."""
    own = [injection for injection in answer.get("inject", ()) if bool(injection.get("ephemeral")) is ephemeral]
    if ephemeral:
        return {"inject": [{**injection, "ephemeral": False} for injection in own]} if own else {}
    return {**{name: part for name, part in answer.items() if name != "inject"}, **({"inject": own} if own else {})}


def _remembered(answer: Fields) -> Fields:
    """The answer with a question whose "Allow always" holds for its words: an approval system is shown nothing else."""
    ask = answer.get("ask")
    return answer if ask is None else {**answer, "ask": {**ask, "remember": "prompt"}}
