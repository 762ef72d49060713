"""MCP servers: ``MCPServer("name", middleware=[HookweaveMiddleware(client)])``, hooks around the server's tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..approval import Answer, ApprovalPending, ApprovalRequest, Approver, ApproverName
from ..client import HookClient
from ..tools import ToolResult
from ._shared import Closing, Conversations, Ran, as_json, as_text, missing

try:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolResult, InputRequiredResult
except ImportError as _error:
    raise missing("mcp", _error) from _error

__all__ = ["HookweaveMiddleware"]

_ASKS_BY_RESULT = "2026-07-28"
"""Since this version of the protocol a result can ask, and the call is made again with the answer."""
_OWN = "hookweave-"


class _InputRequiredError(Exception):
    """The tool itself asks the client for something, and the call is made again with the answer."""

    def __init__(self, result: dict[str, Any]) -> None:
        super().__init__("the tool asks the client")
        self.result = result


def _session_of(ctx: ServerRequestContext[Any, Any]) -> str | None:
    """The transport's session; a server on standard streams has one client, and any other call is on its own."""
    if ctx.request is None:
        return "mcp"
    headers = getattr(ctx.request, "headers", {})
    session: str | None = headers.get("mcp-session-id")
    return session


class HookweaveMiddleware(Closing):
    """Judges each call of a tool, and looks at its result; what hooks tell the model stands behind the result.

    ``approval="client"`` asks the client's user, by the protocol. Other values, and all other options, are those of
    :meth:`HookClient.session`. ``session_of`` says by a request's context to which session it belongs.
    """

    def __init__(
        self,
        client: HookClient,
        *,
        approval: ApproverName | Approver | str | None = None,
        session_of: Callable[[Any], str | None] = _session_of,
        **options: Any,
    ) -> None:
        self._conversations = Conversations(client, approval, options, asks="client")
        self._session_of = session_of

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: Callable[[Any], Any]) -> Any:
        """What the server calls for each request."""
        if ctx.method != "tools/call":
            return await call_next(ctx)
        params, state = _unpacked(dict(ctx.params or {}))
        conversation = self._conversations.of(state.get("session") or self._session_of(ctx))
        await conversation.start("startup")
        name, id = params["name"], state.get("call") or str(ctx.request_id)
        answers: dict[str, Answer] = dict(state.get("answers", {}))
        kept = {"session": conversation.session.id, "call": id, "answers": answers}

        async def run(changed: dict[str, Any] | None) -> Any:
            arguments = params.get("arguments") or {} if changed is None else changed
            result = _plain(await call_next(replace(ctx, params={**params, "arguments": arguments})))
            if result.get("resultType") == "input_required":
                raise _InputRequiredError(result)
            return result

        options: dict[str, Any] = {"seen": _seen, "answers": answers, "passes": (_InputRequiredError,)}
        while True:
            try:
                ran = await conversation.run_tool(name, params.get("arguments") or {}, id, run, **options)
            except _InputRequiredError as asked:
                theirs = asked.result.get("requestState")
                return InputRequiredResult.model_validate({**asked.result, "requestState": _packed(kept, theirs)})
            except ApprovalPending as pending:
                message, schema = _form(pending.request)
                if ctx.protocol_version >= _ASKS_BY_RESULT:
                    asks = {"mode": "form", "message": message, "requestedSchema": schema}
                    key = _OWN + pending.request.id
                    requests = {key: {"method": "elicitation/create", "params": asks}}
                    asked_for = {"inputRequests": requests, "requestState": _packed(kept, params.get("requestState"))}
                    return InputRequiredResult.model_validate(asked_for)
                said = await ctx.session.elicit_form(message, schema, ctx.request_id)
                answers[pending.request.id] = _option(_plain(said))
            else:
                return _result(ran, conversation.notes.take())


def _plain(result: Any) -> dict[str, Any]:
    """A result as the protocol has it."""
    dump = getattr(result, "model_dump", None)
    plain = result if dump is None else dump(by_alias=True, exclude_none=True, mode="json")
    return plain if isinstance(plain, dict) else {}


def _form(request: ApprovalRequest) -> tuple[str, dict[str, Any]]:
    field = {"type": "string", "enum": list(request.options), "title": "Decision"}
    schema = {"type": "object", "properties": {"decision": field}, "required": ["decision"]}
    asker = None if request.hook is None else f"hook {request.hook}"
    asked = ": ".join(part for part in (asker, request.why) if part)
    met = [f"for the sake of: {part.text}" for part in request.command if part.met]
    lines = [request.prompt, f"{request.tool} {request.shown}", *met, f"asked by {asked or 'the host'}", request.reason]
    return "\n".join(line for line in lines if line), schema


def _option(said: Any) -> str:
    """What the client's user chose; anything but a choice denies."""
    content = said.get("content") if isinstance(said, Mapping) and said.get("action") == "accept" else None
    decision = content.get("decision") if isinstance(content, Mapping) else None
    return decision if isinstance(decision, str) else "Deny"


def _packed(kept: dict[str, Any], theirs: str | None) -> str:
    return json.dumps({"hookweave": kept, "theirs": theirs})


def _unpacked(params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A call as the server's tools are to see it, and what was kept of it when it was made before."""
    try:
        state = json.loads(params.get("requestState") or "{}")
    except ValueError:
        state = {}
    if not isinstance(state, dict) or "hookweave" not in state:
        return params, {}
    responses = params.pop("inputResponses", None) or {}
    kept = {**state["hookweave"], "answers": dict(state["hookweave"]["answers"])}
    kept["answers"] |= {
        key.removeprefix(_OWN): _option(said) for key, said in responses.items() if key.startswith(_OWN)
    }
    if theirs := {key: said for key, said in responses.items() if not key.startswith(_OWN)}:
        params["inputResponses"] = theirs
    del params["requestState"]
    if state["theirs"] is not None:
        params["requestState"] = state["theirs"]
    return params, kept


def _seen(result: dict[str, Any]) -> ToolResult:
    """A result as hooks see it: its text where there is one and no more, else all that the client gets."""
    content, structured = result.get("content", []), result.get("structuredContent")
    text = content[0].get("text") if len(content) == 1 and content[0].get("type") == "text" else None
    alone = text is not None and structured in (None, {"result": text})
    shown = text if alone else as_json({"content": content, "structuredContent": structured})
    return ToolResult(shown, success=not result.get("isError"))


def _result(ran: Ran, notes: str | None) -> CallToolResult:
    # Anything else of the old result may hold what hooks took out of the text.
    def made(output: Any, failed: bool) -> dict[str, Any]:
        if isinstance(output, dict) and isinstance(output.get("content"), list):
            given = {name: output[name] for name in ("content", "structuredContent") if output.get(name) is not None}
        else:
            text = as_text(output)
            structured = {"structuredContent": {"result": text}} if "structuredContent" in (ran.native or {}) else {}
            given = {"content": [{"type": "text", "text": text}], **structured}
        return {**given, "isError": failed}

    given = ran.result(made)
    behind = [] if notes is None else [{"type": "text", "text": notes}]
    return CallToolResult.model_validate({**given, "content": [*given.get("content", []), *behind]})
