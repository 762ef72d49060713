"""A Messages API on this machine whose model is a script, for the real Claude Code."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from world import Seen


class MessagesApi:
    """Answers what has tools from the script, a subagent's from its own, and anything else with a word."""

    def __init__(self, turns: list[Any], seen: Seen, prefix: str, subagent: list[Any] | None) -> None:
        self._turns, self._seen, self._prefix, self._subagent = turns, seen, prefix, subagent
        self._lock = threading.Lock()
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *given: Any) -> None:
                pass

            def do_GET(self) -> None:
                self._send(404, "application/json", "{}")

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")
                if "/v1/messages" not in self.path:
                    self._send(404, "application/json", "{}")
                elif "count_tokens" in self.path:
                    self._send(200, "application/json", '{"input_tokens": 10}')
                else:
                    with api._lock:
                        message = api._message(request)
                    if request.get("stream"):
                        self._send(200, "text/event-stream", _events(message))
                    else:
                        self._send(200, "application/json", json.dumps(message))

            def _send(self, status: int, kind: str, text: str) -> None:
                body = text.encode()
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Answers no more."""
        self._server.shutdown()
        self._server.server_close()

    def _message(self, request: dict[str, Any]) -> dict[str, Any]:
        content = self._content(request) if request.get("tools") else [{"type": "text", "text": "ok"}]
        reason = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
        usage = {"input_tokens": 1, "output_tokens": 1}
        made = {"id": "msg_1", "type": "message", "role": "assistant", "model": request["model"], "usage": usage}
        return {**made, "content": content, "stop_reason": reason, "stop_sequence": None}

    def _content(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        lines = []
        for message in request["messages"]:
            said = message["content"]
            for block in [{"type": "text", "text": said}] if isinstance(said, str) else said:
                text = block.get("text") or block.get("content") or json.dumps(block.get("input", ""))
                if isinstance(text, list):
                    text = "".join(part.get("text", "") for part in text)
                lines.append(f"[{message['role']}:{block['type']}] {text}")
                if block["type"] == "tool_result":
                    self._seen.failed[block["tool_use_id"]] = bool(block.get("is_error"))
        turns = self._turns
        if self._subagent is not None and any(line.startswith("[user:text] SUBAGENT") for line in lines):
            turns = self._subagent
        else:
            # Each run has a home of its own.
            self._seen.requests.append(re.sub(r"claude-home-\w+", "claude-home", "\n".join(lines)))
        turn = turns.pop(0) if turns else "out of script"
        if isinstance(turn, str):
            return [{"type": "text", "text": turn}]
        content = []
        for call in turn:
            name = call.name if call.name == "Agent" else self._prefix + call.name
            content.append({"type": "tool_use", "id": call.id, "name": name, "input": call.args})
        return content


def _events(message: dict[str, Any]) -> str:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    ]
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            begun, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            begun = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append({"type": "content_block_start", "index": index, "content_block": begun})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}})
    events.append({"type": "message_stop"})
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
