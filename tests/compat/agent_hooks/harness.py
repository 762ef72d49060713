"""An agent on hookweave as the host of agent-hooks' interceptors, for its conformance test kit.

The agent is hookweave's own: a session whose `generate` runs over the kit's scripted model and tools. Each interceptor
is a hook of every event that is one of agent-hooks' points. Order, folding, failure and approvals are the engine's;
what stands here and in `emissions.py` translates between the two vocabularies.
"""

from __future__ import annotations

from typing import Any

from agent_hooks import AgentContextBuilder, CompositionConfig, Decision, EnforcementMode, HostError, InterceptionPoint
from agent_hooks.approval import ApprovalOutcome, ApprovalRequest, ApprovalResolver
from agent_hooks.ctk import Capability, RunOutcome, RunRecord, Scenario
from agent_hooks.ctk.scripted import redact_paths
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


class Harness:
    """Hosts one vector."""

    name = "hookweave"
    # Not among them: a model's text is judged when it is complete, and hooks are configured in hookweave's own files.
    capabilities = frozenset(
        {Capability.MODEL_CALLS, Capability.TOOL_CALLS, Capability.INT64_JSON, Capability.BIGINT_JSON}
    )
    tool_seam_host_error = "continue"

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
        self.scenario, self.resolver, self.redacted = scenario, resolver, redact_for_approval or []
        self.composition, self.mode = composition, mode
        self.identity = Identity(identity_provider)
        self.builder = AgentContextBuilder(agent_id="agent", framework=self.name, session_id="s1")
        self.emissions: list[Emission] = []
        self.invocations: list[dict[str, Any]] = []
        self.responses = iter(scenario.model_script)
        self.count = len(interceptors)
        # The client's rule, not each hook's own: that would have it judge again what a later one changed.
        parallel = composition.profile.value.startswith("parallel")
        self.client = HookClient(mode="parallel" if parallel else "sequential", fail_behavior="block")
        for index, interceptor in enumerate(interceptors):
            for event in POINTS:
                hook = self.hook(index, interceptor)
                self.client.register_hook(event, hook, name=f"interceptor {index}")
        for name in scenario.tools:
            self.client.register_tool(name, self.tool(name))
        self.client.register_model(self.model)
        self.session: Session = self.client.session(
            on_outcome=self.heard, approval="deny" if resolver is None else self.approve
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
            records=[emission.record(self.mode, self.composition, self.count) for emission in self.emissions],
        )

    def teardown(self) -> None:
        """Closes the client."""
        self.client.close()

    def refused(self) -> bool:
        """Whether the last event ends it all: after a session's start that is for the host to say."""
        return bool(self.emissions) and self.emissions[-1].decision == "block"

    def hook(self, index: int, interceptor: Interceptor) -> Any:
        """An interceptor as a hook."""

        def ask(event: Event) -> HookResponse | None:
            emission = self.emission(event)
            emission.latest = index
            emission.ran.add(index)
            verdict = read_verdict(interceptor.intercept(emission.context_for(event)))
            emission.verdicts[index] = verdict
            return answer(verdict, emission, event)

        return ask

    def emission(self, event: Event) -> Emission:
        """The emission that an event is, begun when its first hook is called."""
        if not self.emissions or self.emissions[-1].told:
            self.emissions.append(Emission(POINTS[event.event_type], self.identity))
            self.emissions[-1].begin(self.context(event))
        return self.emissions[-1]

    def heard(self, outcome: Outcome[Any]) -> None:
        """Takes what came of each event, in order."""
        if outcome.event.event_type in POINTS and self.emissions and not self.emissions[-1].told:
            self.emissions[-1].decided(outcome)
        elif outcome.event.event_type in ANSWERED:
            self.emissions[-1].answered(outcome.event.event_type == "PermissionGranted", self.resolver is not None)

    def approve(self, question: Question) -> str:
        """Hands a question to the resolver."""
        emission = self.emissions[-1]
        emission.consulted = True
        presented = redact_paths(emission.context, self.redacted)
        identity = self.identity.of(presented)
        resolution = self.resolver.resolve(ApprovalRequest(identity, emission.point, emission.asking(), presented))
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
