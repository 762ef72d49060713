"""When the agent says that it is done, the build server has the last word: it may send the agent back to work."""

import asyncio
import json
import os
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from hookweave import HookClient, ModelRequest

tests = {"test_login": "fails", "test_logout": "passes"}


class BuildServer(BaseHTTPRequestHandler):
    """Stands for a build server: it answers as hooks do, and refuses while a test fails."""

    def do_POST(self) -> None:
        """Reads the event and answers."""
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        print(f"build server: {event['event_type']} at {self.path}, {self.headers['Authorization']}")
        failing = [test for test, state in tests.items() if state == "fails"]
        answer = json.dumps({"action": "block", "reason": f"{failing[0]} fails"} if failing else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *values: object) -> None:
        """Says nothing else."""


def hooks(server: str) -> dict[str, Any]:
    """What stands in the project's hookweave.json: its build server, and a place where events have no business."""
    build = {"url": f"{server}/stop", "headers": {"Authorization": "Bearer ${CI_TOKEN}"}, "allowed_env": ["CI_TOKEN"]}
    return {
        "hookweave": 1,
        "hooks": [
            {"name": "build", "event": "Stop", "timeout": 60, "webhook": build},
            {"name": "elsewhere", "event": "Stop", "timeout": 60, "webhook": {"url": "http://collector.example/stop"}},
        ],
    }


def model(request: ModelRequest) -> dict[str, Any]:
    """Stands for a model: says that it is done, until it is told what is not."""
    last = request.messages[-1]
    heard = last.content["output"] if last.role == "tool" else last.content
    print(f"the model hears: {heard}")
    if heard.endswith("fails"):
        return {"tool_calls": [{"id": "1", "name": "Edit", "args": {"file_path": "login.py"}}]}
    return {"text": "The login works."}


def edit(args: dict[str, Any]) -> str:
    """Mends the login."""
    tests["test_login"] = "passes"
    return f"changed {args['file_path']}"


async def main(server: str) -> None:
    """Answers one prompt with the project's hooks, which may post to the build server and nowhere else."""
    os.environ["CI_TOKEN"] = "token-of-this-run"
    async with HookClient(webhooks={"allowed_urls": [f"{server}/*"]}) as client:
        with tempfile.TemporaryDirectory() as project:
            file = Path(project, "hookweave.json")
            file.write_text(json.dumps(hooks(server)))
            client.load(file)
        client.register_tool("Edit", edit)
        client.register_model(model)
        answer = await client.session().generate("Make the login work.")
        print(f"{answer.status}: {answer.text}")
        for entry in answer.trace[-2:]:
            print(f"{entry.hook}: {entry.failure.message if entry.failure else entry.action}")


with HTTPServer(("127.0.0.1", 0), BuildServer) as http:
    threading.Thread(target=http.serve_forever, daemon=True).start()
    asyncio.run(main(f"http://127.0.0.1:{http.server_port}"))
    http.shutdown()
