"""agent-hooks' words for what hookweave's engine decided: contexts, verdicts, records."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent_hooks import (
    CompositionConfig,
    EnforcementMode,
    HostError,
    InterceptionPoint,
    InterceptionRecord,
    Verdict,
    VerdictSummary,
    context_identity,
    path,
)
from agent_hooks._core import validate_verdict
from hookweave import Event, HookResponse, Outcome


class InvalidVerdictError(Exception):
    """An interceptor answered nonsense."""


class InvalidContextError(Exception):
    """There is no identity of a context."""


class InvalidTransformError(Exception):
    """A replacement that names no place in what it is to change."""


# What a hook raised, in agent-hooks' words; anything else is an interceptor that failed.
REASONS = {
    InvalidVerdictError: HostError.VERDICT_INVALID,
    InvalidContextError: HostError.CONTEXT_INVALID,
    InvalidTransformError: HostError.TRANSFORM_INVALID,
}


def plain(value: Any) -> Any:
    """A copy in JSON's own types."""
    return json.loads(json.dumps(value, default=dict))


def read_verdict(said: Any) -> Verdict:
    """What an interceptor said, if it is a verdict."""
    wire = said.to_wire() if isinstance(said, Verdict) else said
    try:
        return Verdict.from_wire(json.loads(validate_verdict(json.dumps(wire))))
    except Exception as error:
        raise InvalidVerdictError(str(error)) from error


def answer(verdict: Verdict, emission: Emission, event: Event) -> HookResponse | None:
    """A verdict as a hook's answer."""
    reason = verdict.reason or "no reason given"
    if verdict.is_liftable:
        return HookResponse.ask(reason)
    if not verdict.decision.permits and emission.point is InterceptionPoint.POST_TOOL_CALL:
        # A refusal of what a tool found is feedback here; that the model must not see it is said by replacing it.
        return HookResponse.block(reason, modified={"result": {**event.result, "output": f"withheld: {reason}"}})
    if not verdict.decision.permits:
        return HookResponse.block(reason)
    if verdict.transform is not None:
        return HookResponse.continue_(modified=emission.rewritten(verdict.transform.path, verdict.transform.value))
    if verdict.warnings:
        return HookResponse.continue_(message="; ".join(str(warning.message) for warning in verdict.warnings))
    return None


def place_of(hook: str) -> int:
    """The place of a hook's interceptor among those of its point."""
    return int(hook.split(" ", 1)[0])


class Identity:
    """What names a context: the kit's hash, nothing, or a provider that always fails."""

    def __init__(self, provider: str | None) -> None:
        self.provider = provider

    def of(self, context: dict[str, Any]) -> str | None:
        """The name of a context."""
        if self.provider is None:
            return None
        if self.provider != "jcs-sha256":
            raise InvalidContextError(f"{self.provider} failed")
        try:
            return context_identity(context)
        except ValueError as error:
            raise InvalidContextError(str(error)) from error


@dataclass
class Emission:
    """One event, from its first hook to the decision."""

    point: InterceptionPoint
    identity: Identity
    bindings: Sequence[str | None]
    """The interceptors of the point, in order: their names, where a declaration gives them names."""
    context: dict[str, Any] = field(default_factory=dict)
    before: str | None = None
    after: str | None = None
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    told: bool = False
    decision: str = "continue"
    combined: Verdict = field(default_factory=Verdict.allow)
    decided_by: int | None = None
    consulted: bool = False
    granted: bool = False
    resolution: Verdict | None = None
    wrong: HostError | None = None

    def begin(self, context: dict[str, Any]) -> None:
        """Takes the context; without an identity of it the first hook fails."""
        self.context = context
        self.before = self.identity.of(context)

    def context_for(self, event: Event) -> dict[str, Any]:
        """The next interceptor's own copy, with what earlier ones changed."""
        if self.point is InterceptionPoint.PRE_TOOL_CALL:
            self.retarget(plain(event.args))
        return copy.deepcopy(self.context)

    def retarget(self, args: Any) -> None:
        """Puts arguments in their two places."""
        self.context["tool_call"]["args"] = self.context["target"] = args

    def rewritten(self, place: str, value: Any) -> dict[str, Any]:
        """What a hook says to change so that the target is as a verdict wants it."""
        try:
            target = path.apply(self.context["target"], place, value)
        except ValueError as error:
            raise InvalidTransformError(str(error)) from error
        if self.point is not InterceptionPoint.PRE_TOOL_CALL:
            return {"target": target}
        self.identity.of({**self.context, "target": target, "tool_call": {**self.context["tool_call"], "args": target}})
        return {"args": target}

    def asking(self) -> Verdict:
        """The verdict that wants an approval."""
        return next(verdict for verdict in self.verdicts.values() if verdict.is_liftable)

    def decided(self, outcome: Outcome[Any]) -> None:
        """Takes the engine's decision."""
        self.told = True
        self.decision = outcome.decision
        if self.point is InterceptionPoint.PRE_TOOL_CALL:
            self.retarget(plain(outcome.event.args))
        failed = {place_of(entry.hook): entry for entry in outcome.trace if entry.failure is not None}
        for place, entry in failed.items():
            self.verdicts[place] = Verdict.host_error(self.host_error(entry), entry.failure.message)
        is_unnamed = any(self.raised(entry, InvalidContextError) for entry in failed.values())
        self.after = None if is_unnamed else self.identity.of(self.context)
        actions = {place_of(entry.hook): (entry.observed or entry).action for entry in outcome.trace}
        decision = outcome.decision
        if outcome.would_block:
            decision = "block"
        elif any(seen.action == "ask" for seen in outcome.observed):
            decision = "ask"
        if decision in ("block", "ask"):
            self.decided_by = next((place for place, action in actions.items() if action == decision), None)
            # What no interceptor decided the engine did: none guards the point, or two changed one thing differently.
            own = HostError.TRANSFORM_CONFLICT if self.bindings else HostError.NO_INTERCEPTOR
            self.combined = (
                Verdict.host_error(own, outcome.reason) if self.decided_by is None else self.verdicts[self.decided_by]
            )
        else:
            self.permitted(Verdict.allow())

    def answered(self, granted: bool, by_somebody: bool) -> None:
        """Takes the answer to the questions."""
        self.granted = granted
        if granted:
            self.permitted(self.resolution or Verdict.allow())
        elif by_somebody and self.resolution is not None and not (self.wrong or self.resolution.decision.permits):
            self.combined = self.resolution
        elif by_somebody:
            self.combined = Verdict.host_error(self.wrong or HostError.APPROVAL_RESOLVER_FAILED)

    def permitted(self, verdict: Verdict) -> None:
        """What may go on is, in agent-hooks' words, the last replacement if there is one."""
        last = self.last(lambda verdict: verdict.transform is not None)
        self.combined = verdict if last is None else self.verdicts[last]
        self.decided_by = self.decided_by if last is None else last

    def last(self, wanted: Callable[[Verdict], bool]) -> int | None:
        """The last interceptor whose verdict is wanted."""
        return next((index for index in reversed(self.verdicts) if wanted(self.verdicts[index])), None)

    @staticmethod
    def raised(entry: Any, kind: type[Exception]) -> bool:
        """Whether a hook failed with that."""
        return isinstance(entry.failure.error.__cause__, kind)

    def host_error(self, entry: Any) -> HostError:
        """A hook's failure in agent-hooks' words."""
        if entry.failure.kind == "timeout":
            return HostError.INTERCEPTOR_TIMEOUT
        if entry.failure.kind == "invalid_answer":
            return HostError.TRANSFORM_TARGET_FORBIDDEN
        return next((said for kind, said in REASONS.items() if self.raised(entry, kind)), HostError.INTERCEPTOR_FAILED)

    def record(self, mode: EnforcementMode, composition: CompositionConfig, declaration: str | None) -> dict[str, Any]:
        """The record that agent-hooks wants of the emission."""
        record = InterceptionRecord(
            interception_point=self.point,
            mode=mode,
            verdict=self.combined,
            input_identity=self.before,
            enforced_identity=self.after,
            identity_provider=self.identity.provider,
            session_id=self.context["session"]["id"],
            sequence=self.context["sequence"],
            timestamp=self.context["timestamp"],
            decided_by=self.decided_by,
            composition=composition,
            declaration=declaration,
            verdicts=tuple(
                VerdictSummary(place, verdict.decision, verdict.reason, self.bindings[place])
                for place, verdict in sorted(self.verdicts.items())
            ),
            fold_truncated=len(self.verdicts) < len(self.bindings),
            resolved_by=("approval" if self.granted else "rejection") if self.consulted else None,
            interceptors_registered=len(self.bindings),
        ).to_wire()
        verdict, said = record["verdict"], self.verdicts.values()
        if warnings := [warning.to_wire() for one in said for warning in one.warnings]:
            verdict["warnings"] = warnings
        if self.combined.decision.permits and (labels := [label for one in said for label in one.result_labels]):
            verdict["result_labels"] = labels
        # A record has no payload.
        verdict.get("transform", {}).pop("value", None)
        return record
