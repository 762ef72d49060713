"""LangChain, LangGraph and deepagents: ``create_agent(model, tools, middleware=[HookweaveMiddleware(client)])``."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from .._session_driver import run_now
from ..approval import Answer, ApprovalPending, Approver, ApproverName
from ..client import HookClient
from ..errors import PayloadError
from ..models import ModelRequest
from ..tools import ToolResult
from ._shared import ClosingNow, Conversation, Conversations, Ran, answers_of, as_json, as_text, missing

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
    from langchain.agents.middleware.types import PrivateStateAttr
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
    from langgraph.config import get_config
    from langgraph.errors import GraphBubbleUp
    from langgraph.types import Command, interrupt
except ImportError as _error:
    raise missing("langchain", _error) from _error

__all__ = ["HookweaveMiddleware", "hooked_subagents"]

_SUBAGENT_TOOL = "task"
_NOTES = "hooks"
"""Who speaks in a message of what hooks tell the model."""


class _State(AgentState[Any], total=False):  # type: ignore[call-arg]  # a TypedDict, where LangChain is installed
    hookweave_run: Annotated[str, PrivateStateAttr]


class HookweaveMiddleware(ClosingNow, AgentMiddleware[Any, Any, Any]):
    """Hooks around an agent's prompts, tools and end; give it as the last middleware, which is the innermost.

    ``approval="interrupt"`` asks by LangGraph's interrupt: its value is the question, and it is resumed with
    ``Command(resume={"id": question["id"], "option": "Allow once"})``, in another process too. Other values, and all
    other options, are those of :meth:`HookClient.session`. A thread is a session. deepagents' subagents run only if
    they went through :func:`hooked_subagents`.
    """

    state_schema = _State

    def __init__(self, client: HookClient, *, approval: ApproverName | Approver | str | None = None, **options: Any):
        super().__init__()
        self._conversations = Conversations(client, approval, options, asks="interrupt")
        self._subagents: set[str] = set()

    def _conversation(self, state: Any) -> Conversation:
        config = get_config()
        thread = config.get("configurable", {}).get("thread_id") or state.get("hookweave_run")
        return self._conversations.of(thread, config.get("metadata", {}).get("lc_agent_name") or "agent")

    async def _begin(self, state: Any, sync: bool) -> dict[str, Any] | None:
        # A run without a thread is a conversation of its own.
        own = {"hookweave_run": state.get("hookweave_run") or str(uuid.uuid4())}
        conversation, last = self._conversation({**state, **own}), state["messages"][-1]
        conversation.stopped = None
        await conversation.start("resume" if len(state["messages"]) > 1 else "startup", sync=sync)
        if conversation.is_subagent or not isinstance(last, HumanMessage):
            return own
        submitted = await conversation.submit(last.text, sync=sync)
        if not submitted.accepted:
            return {**own, "messages": [AIMessage(submitted.reason or "a hook refused the prompt")], "jump_to": "end"}
        if submitted.prompt == last.text:
            return own
        return {**own, "messages": [_reworded(last, submitted.prompt)]}

    def _tell(self, state: Any) -> dict[str, Any] | None:
        conversation = self._conversation(state)
        notes = conversation.notes.take()
        told: dict[str, Any] = {} if notes is None else {"messages": [HumanMessage(notes, name=_NOTES)]}
        if conversation.stopped is not None:
            told["jump_to"] = "end"
        return told or None

    async def _end(self, state: Any, sync: bool) -> dict[str, Any] | None:
        conversation, last = self._conversation(state), state["messages"][-1]
        if not isinstance(last, AIMessage) or last.tool_calls:
            return None
        return {"jump_to": "model"} if await conversation.goes_on(last.text, sync=sync) else None

    async def _ask(self, request: Any, handler: Any, sync: bool) -> Any:
        conversation, messages = self._conversation(request.state), request.messages
        await conversation.start("resume", sync=sync)
        places = [at for at, one in enumerate(messages) if isinstance(one, HumanMessage) and one.name != _NOTES]
        prompt = messages[places[-1]].text if places else ""
        tools = {_name_of(tool): tool for tool in request.tools}

        def run(left: ModelRequest) -> Any:
            changes: dict[str, Any] = {}
            if left.prompt != prompt:
                if not places:
                    raise PayloadError("a hook changed the prompt, and no message of the conversation is one")
                at = places[-1]
                changes["messages"] = [*messages[:at], _reworded(messages[at], left.prompt), *messages[at + 1 :]]
            if left.system_prompt != request.system_prompt:
                changes["system_message"] = SystemMessage(left.system_prompt or "")
            if left.tools != list(tools):
                changes["tools"] = [tools[name] for name in left.tools if name in tools]
            return handler(request.override(**changes) if changes else request)

        answered = await conversation.call_model((prompt, request.system_prompt, list(tools)), run, _heard, sync=sync)
        return answered.result(lambda text, calls: _answer(answered.native, text, calls))

    async def _around(self, request: Any, handler: Any, sync: bool) -> Any:
        conversation, asked = self._conversation(request.state), request.tool_call
        kind = asked["args"].get("subagent_type") if asked["name"] == _SUBAGENT_TOOL else None
        if kind is not None and kind not in self._subagents:
            said = f"the subagent {kind} has no hooks, and is refused; its program has to name it in hooked_subagents"
            return _message(request, said, failed=True)
        await conversation.start("resume", sync=sync)

        def run(args: dict[str, Any] | None) -> Any:
            return handler(request if args is None else request.override(tool_call={**asked, "args": args}))

        answers: dict[str, Answer] = {}
        while True:
            try:
                options: dict[str, Any] = {"answers": answers, "passes": (GraphBubbleUp,), "seen": _seen, "sync": sync}
                ran = await conversation.run_tool(asked["name"], asked["args"], asked["id"], run, **options)
            except ApprovalPending as pending:
                # LangGraph matches answers by their order: one to another question answers nothing here.
                answers |= answers_of(interrupt(pending.request.to_dict()))
            else:
                return _result(request, ran)

    # LangChain's names for these, async and not.

    @hook_config(can_jump_to=["end"])
    async def abefore_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Submits the prompt."""
        return await self._begin(state, sync=False)

    @hook_config(can_jump_to=["end"])
    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Submits the prompt."""
        return run_now(self._begin(state, sync=True), "invoke", "ainvoke")

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Tells the model what hooks have for it."""
        return self._tell(state)

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Asks whether the agent may stop."""
        return await self._end(state, sync=False)

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Asks whether the agent may stop."""
        return run_now(self._end(state, sync=True), "invoke", "ainvoke")

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        """Calls the model with hooks."""
        return await self._ask(request, handler, sync=False)

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        """Calls the model with hooks."""
        return run_now(self._ask(request, handler, sync=True), "invoke", "ainvoke")

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Makes a tool call with hooks."""
        return await self._around(request, handler, sync=False)

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Makes a tool call with hooks."""
        return run_now(self._around(request, handler, sync=True), "invoke", "ainvoke")


def hooked_subagents(hooks: HookweaveMiddleware, subagents: Iterable[Mapping[str, Any]]) -> list[Any]:
    """deepagents' subagents with hooks around their tools; any other subagent is refused.

    deepagents does not give the main agent's middleware to them, nor to its own ``general-purpose``: name one of that
    name here to have it.
    """
    hooked = []
    for subagent in subagents:
        if "runnable" in subagent:
            raise TypeError(
                f"the subagent {subagent['name']} is compiled; give its agent the middleware where it is made"
            )
        hooks._subagents.add(subagent["name"])
        hooked.append({**subagent, "middleware": [*subagent.get("middleware", ()), hooks]})
    return hooked


def _reworded(message: Any, text: str) -> HumanMessage:
    """A user's message with another text; its images stay."""
    content: Any = text
    if isinstance(message.content, list):
        others = [part for part in message.content if isinstance(part, dict) and part.get("type") != "text"]
        content = [*others, {"type": "text", "text": text}]
    return HumanMessage(content, id=message.id, name=message.name)


def _name_of(tool: Any) -> str:
    """A tool's name; providers have tools of their own, which are mappings."""
    if not isinstance(tool, Mapping):
        return str(tool.name)
    return str(tool.get("name") or tool.get("function", {}).get("name") or tool.get("type"))


def _heard(response: Any) -> dict[str, Any]:
    """A model's response as hooks see it."""
    message = _of_model(response)
    calls = [{"id": call["id"], "name": call["name"], "args": call["args"]} for call in message.tool_calls]
    return {"text": message.text, "tool_calls": calls, "usage": message.usage_metadata}


def _of_model(response: Any) -> AIMessage:
    result = [response] if isinstance(response, AIMessage) else response.result
    return next(message for message in result if isinstance(message, AIMessage))


def _answer(response: Any, text: str, calls: Iterable[Mapping[str, Any]]) -> AIMessage:
    """A response as hooks left it: anything else of the old one may hold what they took out."""
    old = None if response is None else _of_model(response)
    made = [{"name": call["name"], "args": call["args"], "id": call.get("id") or str(uuid.uuid4())} for call in calls]
    return AIMessage(
        text, tool_calls=made, **({} if old is None else {"id": old.id, "usage_metadata": old.usage_metadata})
    )


def _seen(result: Any) -> Any:
    """A tool's message as hooks see it."""
    if isinstance(result, Command):
        update = result.update if isinstance(result.update, dict) else {}
        return "\n".join(message.text for message in update.get("messages", ()))
    if isinstance(result, ToolMessage):
        return ToolResult(as_json(result.content), success=result.status != "error")
    return as_json(result)


def _message(request: Any, output: Any, *, failed: bool) -> ToolMessage:
    content = output if isinstance(output, list) else as_text(output)
    asked, status = request.tool_call, "error" if failed else "success"
    return ToolMessage(content, tool_call_id=asked["id"], name=asked["name"], status=status)


def _result(request: Any, ran: Ran) -> Any:
    # Anything else of the old result may hold what hooks took out of the text.
    def made(output: Any, failed: bool) -> Any:
        message = _message(request, output, failed=failed)
        if isinstance(ran.native, Command):
            return Command(graph=ran.native.graph, goto=ran.native.goto, update={"messages": [message]})
        return message

    return ran.result(made)
