"""OpenAI Agents SDK: ``HookweaveRunner(client).run(agent, "hi")`` in place of ``Runner.run(agent, "hi")``."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import json
from collections import defaultdict
from typing import Any

from ..approval import Answer, ApprovalPending, Approver, ApproverName
from ..client import HookClient
from ..open_tool_call import OpenToolCall
from ._shared import Closing, Conversation, Conversations, Placed, PromptRefusedError, as_json, as_text, missing

try:
    from agents import Agent, FunctionTool, Handoff, RunConfig, Runner, RunState, ToolsToFinalOutputResult, UserError
    from agents.run_config import CallModelData, ModelInputData
    from agents.tool import (
        maybe_invoke_function_tool_failure_error_function,
        resolve_function_tool_failure_error_function,
        set_function_tool_failure_error_function,
    )
except ImportError as _error:
    raise missing("openai_agents", _error) from _error

__all__ = ["HookweaveRunner", "PromptRefusedError"]

_RUNS_HERE = ("executor", "computer", "editor", "on_invoke_tool")
"""What the SDK's tools have that this process runs, and that are no functions."""


class HookweaveRunner(Closing):
    """Runs agents with hooks around their prompts, tools and ends.

    ``approval="interrupt"`` asks by the SDK's ``result.interruptions``; call :meth:`hooked` with the agent before you
    read a stored ``RunState``. Other values, and all other options, are those of :meth:`HookClient.session`. The SDK's
    session, its conversation or the run's ``group_id`` is a session. Whoever an agent hands off to gets the hooks too;
    an agent in ``as_tool`` runs only if it went through :meth:`hooked`, and is a subagent.
    """

    def __init__(self, client: HookClient, *, approval: ApproverName | Approver | str | None = None, **options: Any):
        self._interrupts = approval == "interrupt"
        self._conversations = Conversations(client, approval, options, asks="interrupt")
        self._running: contextvars.ContextVar[Conversation | None] = contextvars.ContextVar("running", default=None)
        self._plain: Conversation | None = None

    async def run(self, agent: Agent[Any], input: Any, **options: Any) -> Any:
        """``Runner.run`` with hooks; raises :class:`PromptRefusedError` where a hook refuses the prompt."""
        conversation, input, options = await self._begin(agent, input, options)
        token = self._running.set(conversation)
        try:
            return await self._to_the_end(conversation, agent, input, options)
        finally:
            self._running.reset(token)

    async def _to_the_end(self, conversation: Conversation, agent: Any, input: Any, options: dict[str, Any]) -> Any:
        while True:
            result = await Runner.run(agent, input, **options)
            last = result.final_output if isinstance(result.final_output, str) else None
            if result.interruptions or (reason := await conversation.next_prompt(last)) is None:
                return result
            told = {"role": "user", "content": reason}
            if options.get("previous_response_id"):
                options["previous_response_id"] = result.last_response_id
            kept = any(options.get(name) for name in ("session", "conversation_id", "previous_response_id"))
            input = [told] if kept else [*result.to_input_list(), told]

    async def run_streamed(self, agent: Agent[Any], input: Any, **options: Any) -> Any:
        """``Runner.run_streamed`` with hooks, but for ``Stop``: the SDK's stream ends with the run."""
        conversation, input, options = await self._begin(agent, input, options)
        token = self._running.set(conversation)
        try:
            return Runner.run_streamed(agent, input, **options)
        finally:
            self._running.reset(token)

    def run_sync(self, agent: Agent[Any], input: Any, **options: Any) -> Any:
        """:meth:`run` for code that is not async."""
        return asyncio.run(self.run(agent, input, **options))

    async def _begin(self, agent: Agent[Any], input: Any, options: dict[str, Any]) -> tuple[Conversation, Any, Any]:
        self.hooked(agent)
        config = copy.copy(options.get("run_config") or RunConfig())
        stored = getattr(options.get("session"), "session_id", None) or options.get("conversation_id")
        conversation = self._conversations.of(stored or config.group_id, agent.name)
        conversation.stopped = None
        resumed = isinstance(input, RunState)
        await conversation.start("resume" if resumed else "startup")
        if resumed:
            for item in input.get_interruptions():
                self.hooked(item.agent)
        elif not conversation.is_subagent:
            input = await self._submit(conversation, input)
        config.call_model_input_filter = self._filter(config.call_model_input_filter)
        return conversation, input, {**options, "run_config": config}

    async def _submit(self, conversation: Conversation, input: Any) -> Any:
        items = [{"role": "user", "content": input}] if isinstance(input, str) else list(input)
        last = items[-1] if items and isinstance(items[-1], dict) else {}
        if last.get("role") != "user" or not isinstance(last.get("content"), str):
            return input
        submitted = await conversation.submit(last["content"])
        if not submitted.accepted:
            raise PromptRefusedError(submitted.reason or "a hook refused the prompt")
        return submitted.prompt if isinstance(input, str) else [*items[:-1], {**last, "content": submitted.prompt}]

    async def _current(self, agent: Any) -> Conversation:
        """The conversation whose agent this is."""
        running, outer = self._running.get(), self._conversations.inside()
        if outer is not None and (running is None or running is outer):
            running = self._conversations.of(None, agent.name)
        elif running is None:
            # A hooked agent in the SDK's own `Runner`.
            running = self._plain = self._plain or self._conversations.of(None)
        await running.start("startup")
        return running

    def _filter(self, then: Any) -> Any:
        """Adds what hooks tell the model; the SDK forgets it after each call, so it is put at its place again."""
        placed: defaultdict[Conversation, Placed] = defaultdict(Placed)

        async def tell(data: CallModelData[Any]) -> ModelInputData:
            if not isinstance(data.agent, Agent) or not getattr(data.agent, "_hookweave", False):
                raise UserError(
                    f"the agent {data.agent.name} has no hooks, and is refused; call `hooked` with it first"
                )
            conversation = await self._current(data.agent)
            if then is not None:
                made = then(data)
                data = CallModelData(await made if hasattr(made, "__await__") else made, data.agent, data.context)
            items: list[Any] = list(data.model_data.input)
            for place, text in placed[conversation].told(conversation.notes.take(), len(items)):
                items.insert(place, {"role": "user", "content": text})
            return ModelInputData(items, data.model_data.instructions)

        return tell

    def hooked(self, agent: Agent[Any]) -> Agent[Any]:
        """Puts hooks around the tools of an agent and of those that it hands off to, for good; gives the agent."""
        if getattr(agent, "_hookweave", False):
            return agent
        base, runner, own = type(agent), self, agent.tool_use_behavior

        async def get_all_tools(agent: Any, context: Any) -> list[Any]:
            return [runner._hooked_tool(tool, agent) for tool in await base.get_all_tools(agent, context)]

        async def ends(context: Any, results: Any) -> Any:
            if (stopped := (await runner._current(agent)).stopped) is not None:
                return ToolsToFinalOutputResult(is_final_output=True, final_output=stopped)
            if callable(own):
                made = own(context, results)
                return await made if hasattr(made, "__await__") else made
            names = own.get("stop_at_tool_names", ()) if isinstance(own, dict) else ()
            final = next((one for one in results if own == "stop_on_first_tool" or one.tool.name in names), None)
            return ToolsToFinalOutputResult(final is not None, final and final.output)

        agent.__class__ = type(base.__name__, (base,), {"_hookweave": True, "get_all_tools": get_all_tools})
        agent.tool_use_behavior = ends
        for handoff in agent.handoffs:
            if isinstance(handoff, Handoff):
                handoff.on_invoke_handoff = self._hooked_handoff(handoff.on_invoke_handoff)
            else:
                self.hooked(handoff)
        return agent

    def _hooked_handoff(self, invoke: Any) -> Any:
        async def hand_off(context: Any, given: str) -> Any:
            return self.hooked(await invoke(context, given))

        return hand_off

    def _hooked_tool(self, tool: Any, agent: Any) -> Any:
        if not isinstance(tool, FunctionTool):
            if any(getattr(tool, part, None) is not None for part in _RUNS_HERE):
                raise UserError(
                    f"the tool {tool.name} of {agent.name} is no function, so no hook can judge it; remove it"
                )
            return tool
        return _HookedTool(self, tool, agent).made()


class _HookedTool:
    """A function with hooks around it, for one turn."""

    def __init__(self, runner: HookweaveRunner, tool: FunctionTool, agent: Any) -> None:
        self._runner, self._tool, self._agent = runner, tool, agent
        self._judged: dict[str, OpenToolCall] = {}
        self._errors: dict[str, Exception] = {}
        # The SDK makes texts of what tools raise before anyone sees it.
        self._inner = set_function_tool_failure_error_function(copy.copy(tool), self._failed)

    def made(self) -> FunctionTool:
        made = copy.copy(self._tool)
        made.on_invoke_tool = self._invoke
        if self._runner._interrupts:
            made.needs_approval = self._needs_approval
        return made

    async def _failed(self, context: Any, error: Exception) -> Any:
        self._errors[context.tool_call_id] = error
        return await maybe_invoke_function_tool_failure_error_function(
            function_tool=self._tool, context=context, error=error
        )

    async def _needs_approval(self, context: Any, args: dict[str, Any], id: str) -> bool:
        own = self._tool.needs_approval
        if own is True or (callable(own) and await own(context, args, id)):
            return True
        conversation = await self._runner._current(self._agent)
        try:
            self._judged[id] = await conversation.judge(self._tool.name, as_json(args), id)
        except ApprovalPending:
            return True
        return False

    async def _begun(self, conversation: Conversation, context: Any, args: dict[str, Any]) -> OpenToolCall:
        """A call as it was judged; the SDK keeps no questions, so a person who approved it has answered all of it."""
        id, answers = context.tool_call_id, dict[str, Answer]()
        if (judged := self._judged.pop(id, None)) is not None:
            return judged
        while True:
            try:
                return await conversation.judge(self._tool.name, args, id, answers=answers)
            except ApprovalPending as pending:
                if not context.is_tool_approved(self._tool.name, id) or pending.request.id in answers:
                    raise
                answers[pending.request.id] = pending.request.granting[0]

    async def _invoke(self, context: Any, given: str) -> Any:
        id, args = context.tool_call_id, _parsed(given)
        inner = self._inner if resolve_function_tool_failure_error_function(self._tool, context) else self._tool

        async def run(changed: dict[str, Any] | None) -> Any:
            output = await inner.on_invoke_tool(context, given if changed is None else json.dumps(changed))
            if (error := self._errors.pop(id, None)) is not None:
                raise _ToldError(str(error) or type(error).__name__, output) from error
            return output

        conversation = await self._runner._current(self._agent)
        begun = await self._begun(conversation, context, args)
        ran = await conversation.run_tool(self._tool.name, args, id, run, begun=begun)
        try:
            return ran.result(lambda output, failed: as_text(output))
        except _ToldError as told:
            return told.output


class _ToldError(Exception):
    """A tool failed, and the SDK has made a text for the model of it."""

    def __init__(self, why: str, output: Any) -> None:
        super().__init__(why)
        self.output = output


def _parsed(given: str) -> dict[str, Any]:
    """The model's arguments; what is no object is one argument."""
    try:
        args = json.loads(given or "{}")
    except ValueError:
        args = given
    return args if isinstance(args, dict) else {"input": args}
