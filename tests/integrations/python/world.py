"""One scripted agent and one policy, the same for every framework."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hookweave import HookClient, HookResponse

SECRET = "sk-live-4242"
REDACTED = "[redacted]"
RULES = "House rules: be careful."
DONE = "all done"
LIMIT = 120
HEARD = (
    "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop",
    "PermissionGranted", "PermissionDenied", "SubagentStart", "SubagentStop",
)  # fmt: skip


@dataclass
class Call:
    """A tool call of the scripted model."""

    name: str
    args: dict[str, Any]
    id: str


def turn(*calls: tuple[str, dict[str, Any]], id: str = "c") -> list[Call]:
    """One answer of the model, with tool calls."""
    return [Call(name, args, f"{id}{number}") for number, (name, args) in enumerate(calls)]


@dataclass
class How:
    """How an agent is run."""

    prompt: str = "hi"
    approval: Any = None
    asks: bool = False
    """By the framework's own way to ask."""
    state: Path | None = None
    """Where a framework may keep what it needs to go on elsewhere."""
    resume: tuple[Any, dict[str, bool]] | None = None
    """What the framework needs to go on, and by call id what a person said."""
    sync: bool = False
    stream: bool = False
    """Whether what comes of the run is told piece by piece."""
    bare: bool = False
    subagent: list[Any] | None = None
    conversation: str = "t1"
    hooks: Any = None
    """An adapter to be used in place of a new one."""


@dataclass
class Seen:
    """What came of a run."""

    requests: list[str] = field(default_factory=list)
    """What the model was given at each call, as text."""
    final: str = ""
    failed: dict[str, bool] = field(default_factory=dict)
    """By call id whether the framework marked the result as an error."""
    streamed: str = ""
    """All that a streamed run told, results of tools too."""
    suspended: Any = None
    """What the framework needs to go on, as JSON."""
    raised: BaseException | None = None


class World:
    """The tools, what they did, and the hooks around them."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.tries = 0
        self.events: list[tuple[str, str, str | None]] = []
        self.sessions: set[str] = set()
        self.active = threading.Event()
        self.client = HookClient(max_hooks_per_event=None, max_total_hooks=None)

    # Tools. Their docstrings are what models read.

    def bash(self, command: str) -> str:
        """Runs a command."""
        self.ran.append(f"bash {command}")
        return f"ran {command}"

    def fetch(self, url: str) -> str:
        """Fetches a page."""
        self.ran.append(f"fetch {url}")
        return f"page {url}"

    def read(self, path: str) -> str:
        """Reads a file."""
        self.ran.append(f"read {path}")
        return f"token {SECRET} in {path}"

    def flaky(self, what: str) -> str:
        """Fails the first time."""
        self.tries += 1
        self.ran.append(f"flaky {self.tries}")
        if self.tries == 1:
            raise ValueError("connection lost")
        return f"got {what}"

    def broken(self, what: str) -> str:
        """Always fails."""
        self.ran.append("broken")
        raise ValueError(f"no {what} here")

    async def slow(self, n: int) -> str:
        """Waits to be cancelled."""
        self.active.set()
        await asyncio.sleep(LIMIT)
        self.ran.append(f"slow {n}")
        return f"slow {n}"

    def policy(self) -> World:
        """Registers the hooks that all checks share."""
        on = self.client.register_hook
        for event in HEARD:
            on(event, self._log, name=f"log-{event}", priority=-1000)
        on("PreToolUse", self._bash, matcher={"tool": "bash"})
        on("PreToolUse", lambda e: HookResponse.ask(f"fetch {e.args['url']}?"), matcher={"tool": "fetch"}, name="asker")
        on("PostToolUse", self._redact, name="redact")
        on("PostToolUse", lambda e: HookResponse.block("lint: 3 errors") if e.args.get("command") == "lint" else None)
        on("PostToolUseFailure", lambda e: HookResponse.retry() if e.tool == "flaky" else None, name="again")
        on("SessionStart", lambda e: {"inject": RULES}, name="rules")
        on("UserPromptSubmit", self._prompt)
        return self

    def asks_once(self) -> World:
        """One question about each world's first call."""
        self.client.register_hook("PreToolUse", lambda e: HookResponse.ask("sure?"), once=True)
        return self

    def no_policy(self) -> World:
        """No hooks."""
        return self

    def guards_the_model(self) -> World:
        """Hides a word from the model, refuses a word, changes what it answers, and has a failed call repeated."""

        def start(event: Any) -> Any:
            if "forbidden" in event.prompt:
                return HookResponse.block("not to this model")
            return HookResponse.continue_(modified={"prompt": event.prompt.replace("4242", "[hidden]")})

        def end(event: Any) -> Any:
            text = event.response["text"].replace("done", "[finished]")
            return HookResponse.continue_(modified={"response": {**event.response, "text": text}})

        self.client.register_hook("GenerateStart", start)
        self.client.register_hook("GenerateEnd", end)
        self.client.register_hook("GenerateError", lambda event: HookResponse.retry())
        return self

    def keeps_at_work(self) -> World:
        """The first end of the agent's turn is none."""
        told: list[int] = []

        def stop(event: Any) -> Any:
            told.append(1)
            return HookResponse.block("run the tests first") if len(told) == 1 else None

        self.client.register_hook("Stop", stop)
        return self

    def count(self, event: str, about: str | None = None) -> int:
        """How often an event was raised, perhaps about a tool."""
        return sum(1 for name, what, _ in self.events if name == event and about in (None, what))

    @staticmethod
    def _bash(event: Any) -> Any:
        command = event.args["command"]
        if "rm -rf" in command:
            return HookResponse.block("no mass deletion")
        if command == "halt":
            return HookResponse.stop("maintenance")
        if command == "ls":
            return {"modified": {"args": {**event.args, "command": "ls --safe"}}}
        return None

    @staticmethod
    def _redact(event: Any) -> Any:
        shown = json.dumps(event.result.output)
        if SECRET not in shown:
            return None
        output = json.loads(shown.replace(SECRET, REDACTED))
        return {"modified": {"result": {**event.result, "output": output}}, "inject": "a secret was removed"}

    @staticmethod
    def _prompt(event: Any) -> Any:
        if "evil" in event.prompt:
            return HookResponse.block("not such prompts")
        if "draft" in event.prompt:
            return {"modified": {"prompt": event.prompt.replace("draft", "final")}}
        return None

    def _log(self, event: Any) -> None:
        said = event.to_dict()
        about = said.get("tool") or said.get("prompt") or ""
        self.events.append((said.get("event_type", type(event).__name__), about, said.get("agent_id")))
        self.sessions.add(said.get("session_id"))


class BrokenClient(HookClient):
    """A client whose own code fails."""

    __slots__ = ()

    def dispatch(self, *given: Any, **fields: Any) -> Any:
        """Fails where a tool call is judged."""
        if given and given[0] == "PreToolUse":
            raise RuntimeError("bug in hookweave")
        return super().dispatch(*given, **fields)

    def dispatch_sync(self, *given: Any, **fields: Any) -> Any:
        """Fails there too."""
        if given and given[0] == "PreToolUse":
            raise RuntimeError("bug in hookweave")
        return super().dispatch_sync(*given, **fields)
