"""An agent on hookweave as the host of agent-hooks' interceptors, for its conformance test kit.

The agent is hookweave's own: a session whose `generate` runs over the kit's scripted model and tools. Each interceptor
is a hook of every event that is one of agent-hooks' points. Order, folding, failure and approvals are the engine's;
what stands here and in `emissions.py` translates between the two vocabularies.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from agent_hooks import AgentContextBuilder, CompositionConfig, Decision, EnforcementMode, HostError, InterceptionPoint
from agent_hooks.approval import ApprovalOutcome, ApprovalRequest, ApprovalResolver
from agent_hooks.ctk import Capability, RunOutcome, RunRecord, Scenario
from agent_hooks.ctk.scripted import redact_paths
from agent_hooks.declaration import (
    BindingContext,
    DeclarationError,
    DeclarationErrorClass,
    Finding,
    HostDeclaration,
    HostRegistry,
    HostSurface,
)
from agent_hooks.interceptor import Interceptor
from emissions import Emission, Identity, answer, plain, read_verdict
from hookweave import ApprovalRequest as Question
from hookweave import Event, HookClient, HookResponse, Outcome, Session, ToolResult

POINTS = {
    "SessionStart": InterceptionPoint.AGENT_STARTUP,
    "UserPromptSubmit": InterceptionPoint.INPUT,
    "GenerateStart": InterceptionPoint.PRE_MODEL_CALL,
    "GenerateEnd": InterceptionPoint.POST_MODEL_CALL,
    "PreToolUse": InterceptionPoint.PRE_TOOL_CALL,
    "PostToolUse": InterceptionPoint.POST_TOOL_CALL,
    "PostToolUseFailure": InterceptionPoint.POST_TOOL_CALL,
    # An event of this host's own: what the model said last is about to be shown.
    "agent:output": InterceptionPoint.OUTPUT,
    "SessionEnd": InterceptionPoint.AGENT_SHUTDOWN,
}
ANSWERED = ("PermissionGranted", "PermissionDenied")


@dataclass
class Binding:
    """An interceptor, at which points, and for how long at most; None is every point, and the client's timeout."""

    interceptor: Interceptor
    id: str | None = None
    at: frozenset[InterceptionPoint] | None = None
    timeout: float | None = 5.0


@dataclass
class Settings:
    """What a vector or a document says of the host."""

    mode: EnforcementMode
    composition: CompositionConfig
    identity_provider: str | None
    resolver: ApprovalResolver | None
    redact: Callable[[dict[str, Any]], dict[str, Any]]
    declaration: str | None = None


def load(document: dict[str, Any], registry: HostRegistry) -> tuple[list[Binding], Settings]:
    """Reads a host declaration: the kit checks it against its schema and the registry, and makes the interceptors."""
    resolved = registry.resolve(HostDeclaration.from_value(document))
    bindings = []
    for place, bound in enumerate(resolved.bindings):
        timeout = None if bound.timeout_ms is None else bound.timeout_ms / 1000
        context = BindingContext(bound.id, bound.kind, bound.at, timeout, resolved.host, resolved.version)
        try:
            interceptor = registry._kind_resolver(bound.kind)(bound.config, context)
        except Exception as error:
            finding = Finding(f"/bindings/{place}", str(error))
            raise DeclarationError(DeclarationErrorClass.BINDING_REJECTED, finding) from error
        bindings.append(Binding(interceptor, bound.id, bound.at, timeout))
    approval = resolved.configuration["approval"]
    redactor = approval["redactor"] and registry._redactor_fn(approval["redactor"])
    return bindings, Settings(
        mode=resolved.mode,
        composition=resolved.composition,
        identity_provider=resolved.identity_provider,
        resolver=approval["resolver"] and registry._approval_resolver_ref(approval["resolver"]),
        redact=redactor or copy.deepcopy,
        declaration=resolved.version,
    )


class Harness:
    """Hosts one vector."""

    name = "hookweave"
    # Not among them: a model's text is judged when it is complete.
    capabilities = frozenset(
        {
            Capability.MODEL_CALLS,
            Capability.TOOL_CALLS,
            Capability.INT64_JSON,
            Capability.BIGINT_JSON,
            Capability.HOST_DECLARATION,
        }
    )
    tool_seam_host_error = "continue"
    client: HookClient | None = None

    def setup(
        self,
        scenario: Scenario,
        interceptors: list[Interceptor],
        resolver: ApprovalResolver | None,
        mode: EnforcementMode,
        composition: CompositionConfig,
        identity_provider: str | None,
        redact_for_approval: list[str] | None = None,
    ) -> None:
        """Makes a client with the interceptors as hooks, and the session of the run."""
        bindings = [Binding(interceptor) for interceptor in interceptors]
        paths = redact_for_approval or []
        settings = Settings(mode, composition, identity_provider, resolver, lambda said: redact_paths(said, paths))
        self.begin(scenario, bindings, settings)

    def setup_declared(self, scenario: Scenario, document: dict[str, Any], registry: HostRegistry) -> None:
        """The same from a document; what the document is refused for propagates."""
        bindings, settings = load(document, registry)
        self.begin(scenario, bindings, settings)

    def host_surface(self) -> HostSurface:
        """What documents may ask of this host; hooks that have to agree are none of it."""
        surface = HostSurface.from_capabilities(sorted(known.value for known in self.capabilities), "continue")
        known = {name: knobs for name, knobs in surface.profiles.items() if not name.value.endswith("unanimous")}
        return replace(surface, profiles=known)

    def begin(self, scenario: Scenario, bindings: list[Binding], settings: Settings) -> None:
        """Translates the settings into a client's, and bindings into hooks of the events that are their points."""
        self.scenario, self.settings = scenario, settings
        self.identity = Identity(settings.identity_provider)
        self.builder = AgentContextBuilder(agent_id="agent", framework=self.name, session_id="s1")
        self.emissions: list[Emission] = []
        self.invocations: list[dict[str, Any]] = []
        self.responses = iter(scenario.model_script)
        profile, asks = settings.composition.profile, settings.composition.on_transform_conflict
        self.client = HookClient(
            profile="agent-hooks",
            mode="sequential" if profile.is_sequential else "parallel",
            short_circuit=profile.value != "sequential/run_all",
            conflict="ask" if asks is not None and asks.value == "approval" else "block",
            enforcement="observe" if settings.mode is EnforcementMode.EVALUATE_ONLY else "enforce",
        )
        self.bound: dict[InterceptionPoint, list[str | None]] = {}
        for event, point in POINTS.items():
            at_point = [binding for binding in bindings if binding.at is None or point in binding.at]
            self.bound[point] = [binding.id for binding in at_point]
            for place, binding in enumerate(at_point):
                hook = self.hook(place, binding.interceptor)
                name = f"{place} {binding.id or 'interceptor'}"
                self.client.register_hook(event, hook, name=name, timeout=binding.timeout)
        for name in scenario.tools:
            self.client.register_tool(name, self.tool(name))
        self.client.register_model(self.model)
        self.session: Session = self.client.session(
            on_outcome=self.heard, approval="deny" if settings.resolver is None else self.approve
        )

    async def run(self) -> RunRecord:
        """Starts, answers the input, shows the answer, ends."""
        shown = None
        await self.session.start()
        if not self.refused():
            done = await self.session.generate(self.scenario.input["content"])
            if done.status == "done":
                output = await self.session.dispatch("agent:output", content=done.text)
                if output.decision != "block":
                    shown = plain(output.event.content)
        outcome = RunOutcome.BLOCKED if shown is None else RunOutcome.COMPLETED
        await self.session.end(reason="completed" if outcome is RunOutcome.COMPLETED else "error")
        return RunRecord(
            outcome=outcome,
            final_output=shown,
            tool_invocations=self.invocations,
            identities=[(emission.before, emission.after) for emission in self.emissions],
            records=[
                emission.record(self.settings.mode, self.settings.composition, self.settings.declaration)
                for emission in self.emissions
            ],
        )

    def teardown(self) -> None:
        """Closes the client; a document that was refused has none."""
        if self.client is not None:
            self.client.close()

    def refused(self) -> bool:
        """Whether the last event ends it all: after a session's start that is for the host to say."""
        return bool(self.emissions) and self.emissions[-1].decision == "block"

    def hook(self, place: int, interceptor: Interceptor) -> Any:
        """An interceptor as a hook."""

        def ask(event: Event) -> HookResponse | None:
            emission = self.emission(event)
            verdict = read_verdict(interceptor.intercept(emission.context_for(event)))
            emission.verdicts[place] = verdict
            return answer(verdict, emission, event)

        return ask

    def emission(self, event: Event) -> Emission:
        """The emission that an event is, begun when its first hook is called, or without hooks when it is over."""
        if not self.emissions or self.emissions[-1].told:
            point = POINTS[event.event_type]
            self.emissions.append(Emission(point, self.identity, self.bound[point]))
            self.emissions[-1].begin(self.context(event))
        return self.emissions[-1]

    def heard(self, outcome: Outcome[Any]) -> None:
        """Takes what came of each event, in order."""
        if outcome.event.event_type in POINTS:
            self.emission(outcome.event).decided(outcome)
        elif outcome.event.event_type in ANSWERED:
            has_resolver = self.settings.resolver is not None
            self.emissions[-1].answered(outcome.event.event_type == "PermissionGranted", has_resolver)

    def approve(self, question: Question) -> str:
        """Hands a question to the resolver."""
        emission = self.emissions[-1]
        emission.consulted = True
        presented = self.settings.redact(emission.context)
        identity = self.identity.of(presented)
        request = ApprovalRequest(identity, emission.point, emission.asking(), presented)
        resolution = self.settings.resolver.resolve(request)
        verdict = emission.resolution = resolution.verdict
        if resolution.context_identity != identity:
            emission.wrong = HostError.APPROVAL_IDENTITY_MISMATCH
        elif verdict is None:
            emission.wrong = HostError.APPROVAL_UNRESOLVED
        elif verdict.decision.permits != (resolution.outcome is ApprovalOutcome.APPROVE):
            emission.wrong = HostError.VERDICT_INVALID
        # A person says yes or no to what is shown; an approval that would also change it is none.
        elif verdict.decision is Decision.ALLOW:
            return "Allow once"
        return "Deny"

    def model(self, request: Any) -> Any:
        """The scripted model."""
        self.response = next(self.responses)
        return {"text": self.response.content or "", "tool_calls": [dict(call) for call in self.response.tool_calls]}

    def tool(self, name: str) -> Any:
        """A scripted tool."""

        def run(args: dict[str, Any]) -> ToolResult:
            output, failed = self.scenario.tools[name].invoke(args)
            self.invocations.append({"name": name, "args": args})
            return ToolResult(output, success=not failed)

        return run

    def context(self, event: Any) -> dict[str, Any]:
        """What agent-hooks calls the context of a point."""
        match POINTS[event.event_type]:
            case InterceptionPoint.AGENT_STARTUP:
                return self.builder.agent_startup(tools_registered=sorted(self.scenario.tools))
            case InterceptionPoint.INPUT:
                return self.builder.input(content=event.prompt, role=self.scenario.input["role"])
            case InterceptionPoint.PRE_MODEL_CALL:
                messages = [
                    {"role": said.role, "content": plain(said.content)} for said in self.session.context.messages
                ]
                return self.builder.pre_model_call(model_id="mock", messages=messages)
            case InterceptionPoint.POST_MODEL_CALL:
                calls = [dict(call) for call in self.response.tool_calls]
                return self.builder.post_model_call(
                    model_id="mock",
                    content=self.response.content,
                    tool_calls=calls,
                    finish_reason=self.response.finish_reason,
                )
            case InterceptionPoint.PRE_TOOL_CALL:
                return self.builder.pre_tool_call(call_id=event.tool_use_id, name=event.tool, args=plain(event.args))
            case InterceptionPoint.POST_TOOL_CALL:
                failed = event.event_type == "PostToolUseFailure"
                return self.builder.post_tool_call(
                    call_id=event.tool_use_id,
                    name=event.tool,
                    args=plain(event.args),
                    value=plain(event.error if failed else event.result["output"]),
                    is_error=failed,
                )
            case InterceptionPoint.OUTPUT:
                return self.builder.output(content=plain(event.content))
        return self.builder.agent_shutdown(reason=event.reason)
