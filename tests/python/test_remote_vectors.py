"""Runs `tests/vectors/remote` on the machines as the transports use them.

The agent's end is given its calls by dispatches, with payloads and limits of their own, so that cases with calls run in
Rust alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hookweave import HookClient, _native
from hookweave._outside_hooks import OutsideHookError

from remote_messages import PROTO, compiled, fields, message

FOLDER = Path(__file__).resolve().parents[1] / "vectors" / "remote"
CASES = [case for path in sorted(FOLDER.glob("*.json")) for case in json.loads(path.read_text("utf-8"))["cases"]]
WARNING = 30
LEVELS = {30: "warning", 40: "error"}
DISPATCHES = {"call", "cancel"}
METHODS = {"register": "RegisterHook", "unregister": "UnregisterHook", "list": "ListHooks"}

wire, _ = compiled(PROTO.read_text(encoding="utf-8"), "hookweave_vectors")


def settings(given: dict[str, Any]) -> dict[str, Any]:
    """What an agent is set to unless a case says otherwise."""
    grants = {
        "events": None,
        "earliest_priority": -(2**31),
        "allow": False,
        "modify": True,
        "ask": True,
        "mandatory": False,
        "managed": False,
    }
    own = {
        "token": None,
        "in_flight": 64,
        "max_message": 4 * 1024 * 1024,
        "keepalive_ms": 15_000,
        "queue": 1024,
        "max_hooks": 1000,
        "max_workers": 1000,
        "max_unasked": 5000,
    }
    return {**own, **given, "grants": {**grants, **given.get("grants", {})}}


def sent(kind: Any, step: dict[str, Any]) -> bytes:
    """The bytes of a step."""
    if "hex" in step:
        return bytes.fromhex(step["hex"])
    if "zeros" in step:
        return bytes(step["zeros"])
    return bytes(message(kind, step["message"]).SerializeToString())


def shown(kind: Any, data: bytes) -> dict[str, Any]:
    """A message as the vectors show it."""
    return fields(kind.FromString(data))


class Agent:
    """The agent's end."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.client = HookClient()
        self.clock = _native.RemoteClock(0)
        self.queue = _native.CompletionQueue()
        self.agent = _native.RemoteAgent(self.client, settings(given), self.clock, self.queue)

    def do(self, step: dict[str, Any]) -> list[Any]:
        """Does a step."""
        agent = self.agent
        match step["do"]:
            case "open":
                return agent.opened(step.get("from"))[1]
            case "ask":
                self.called = METHODS[step["method"]]
                request = sent(getattr(wire, f"{self.called}Request"), step)
                return agent.asked(step["from"], step.get("token"), self.called, request)[1]
            case "receive":
                return agent.receive(step["on"], sent(wire.HookResponse, step))
            case "lost":
                return agent.lost(step["on"], step["why"])
            case "registered":
                self.called = "RegisterHook"
                return agent.registered(step["registration"], step.get("refusal"))
            case "tick":
                return agent.tick()
            case "close":
                return agent.close()
        raise AssertionError(step)

    def show(self, action: tuple[Any, ...]) -> Any:
        """An action as the vectors show it; of a hook what the transports get to see."""
        match action:
            case "send", connection, data:
                return {"send": shown(wire.HookEvent, data), "on": connection}
            case "close", connection, reason:
                return {"close": connection, "reason": reason}
            case "register", registration, worker, name, event:
                return {"register": registration, "worker": worker, "hook": {"name": name, "event": event}}
            case "unregister", registration:
                return {"unregister": registration}
            case "reply", ask, None, refusal:
                return {"reply": ask, "refused": refusal}
            case "reply", ask, data, None:
                empty = {"hooks": []} if self.called == "ListHooks" else {}
                return {"reply": ask, "message": empty | shown(getattr(wire, f"{self.called}Response"), data)}
        raise AssertionError(action)


class Worker:
    """The worker's end."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.now = 0
        own = {"name": "guard", "instance": "one", "token": None, "first_ms": 50, "most_ms": 1000}
        limits = {"in_flight": 64, "max_message": 4 * 1024 * 1024, "keepalive_ms": 15_000}
        self.end = _native.RemoteWorker({**own, **limits, **given})

    def do(self, step: dict[str, Any]) -> list[Any]:
        """Does a step."""
        end, now, random = self.end, self.now, step.get("random", 0)
        match step["do"]:
            case "start":
                return end.begin()
            case "offer":
                offers = [message(wire.RegisterHookRequest, hook).SerializeToString() for hook in step["hooks"]]
                return end.offer(offers, now)
            case "opened":
                return end.opened(now)
            case "receive":
                return end.receive(sent(wire.HookEvent, step), now, random)
            case "lost":
                return end.lost(step["why"], now, random)
            case "answered":
                if "failed" in step:
                    raised = OutsideHookError("raised", step["failed"], False)
                    return end.answered(step["dispatch"], "raised", raised, None)
                return end.answered(step["dispatch"], "answer", step.get("answer"), None)
            case "tick":
                return end.tick(now, random)
            case "leave":
                return end.leave()
        raise AssertionError(step)

    def show(self, action: tuple[Any, ...]) -> Any:
        """An action as the vectors show it; of a run what the transports get to see."""
        match action:
            case ("connect",):
                return "connect"
            case "send", data:
                return {"send": shown(wire.HookResponse, data)}
            case "close", reason:
                return {"close": reason}
            case "run", dispatch, hook, event, payload, _:
                return {"run": dispatch, "hook": hook, "event": event, "payload": json.loads(payload)}
            case "cancel", dispatch:
                return {"cancel": dispatch}
            case "state", state, until, reason:
                more = {"until": until, "reason": reason}
                return {"state": state} | {name: value for name, value in more.items() if value is not None}
        raise AssertionError(action)


class Fleet:
    """One end of a fleet: which messages are delivered to it, and which it publishes."""

    def __init__(self, delivered: Any, published: Any) -> None:
        self.now = 0
        self._delivered = delivered
        self._published = published

    def show(self, action: tuple[Any, ...]) -> Any:
        """An action as the vectors show it."""
        match action:
            case ("connect",) | ("drain",):
                return action[0]
            case "open", group:
                return {"open": group}
            case "deliver", group, data:
                return {"deliver": shown(self._delivered, data), "group": group}
            case "lost", group, why:
                return {"lost": group, "why": why}
            case "subscribe", subject, shared:
                return {"subscribe": subject, "shared": shared}
            case "unsubscribe", subject:
                return {"unsubscribe": subject}
            case "publish", subject, reply, data:
                more = {} if reply is None else {"reply": reply}
                return {"publish": shown(self._published, data), "to": subject, **more}
            case "put", key, data:
                return {"put": shown(wire.FleetEntry, data), "at": key}
            case "delete", key:
                return {"delete": key}
        raise AssertionError(action)


class FleetAgent(Fleet):
    """The agent's end of a fleet."""

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__(wire.HookResponse, wire.HookEvent)
        own = {"token": None, "keepalive_ms": 15_000, "max_message": 4 * 1024 * 1024}
        self.agent = _native.FleetAgent({**own, **given})

    def do(self, step: dict[str, Any]) -> list[Any]:
        """Does a step."""
        agent, now = self.agent, self.now
        match step["do"]:
            case "start":
                return agent.begin()
            case "connected":
                return agent.connected(step["inbox"], step["max_payload"])
            case "entry":
                is_there = "message" in step or "hex" in step
                return agent.entry(step["key"], sent(wire.FleetEntry, step) if is_there else None, now)
            case "has_all":
                return agent.has_all()
            case "lost":
                return agent.lost(step["why"], now, step.get("random", 0))
            case "sent":
                return agent.sent(step["group"], sent(wire.HookEvent, step), now)
            case "closed":
                return agent.closed(step["group"], now)
            case "replied":
                return agent.replied(step["subject"], sent(wire.HookResponse, step), now)
            case "unanswered":
                return agent.unanswered(step["subject"])
            case "tick":
                return agent.tick(now)
        raise AssertionError(step)


class FleetWorker(Fleet):
    """The worker's end of a fleet."""

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__(wire.HookEvent, wire.HookResponse)
        own = {"group": "guards", "instance": "one", "epoch": 1, "bucket_ttl_ms": 120_000, "max_payload": 1 << 20}
        limits = {"in_flight": 64, "max_message": 4 * 1024 * 1024, "keepalive_ms": 15_000}
        refusal = given.get("refusal")
        self.worker = _native.FleetWorker({**own, **limits, **given}, refusal)

    def do(self, step: dict[str, Any]) -> list[Any]:
        """Does a step."""
        worker, now = self.worker, self.now
        match step["do"]:
            case "sent":
                return worker.sent(sent(wire.HookResponse, step), now)
            case "stored":
                return worker.stored()
            case "called":
                return worker.called(step["reply"], sent(wire.HookEvent, step), now)
            case "cancelled":
                return worker.cancelled(step["reply"])
            case "tick":
                return worker.tick(now)
            case "end":
                return worker.end()
        raise AssertionError(step)


ENDS = {"agent": Agent, "worker": Worker, "fleet_agent": FleetAgent, "fleet_worker": FleetWorker}


def comparable(action: Any) -> Any:
    """A wanted action without what the transports do not get to see."""
    if isinstance(action, dict) and "run" in action:
        return {name: value for name, value in action.items() if name not in ("deadline", "traceparent")}
    if isinstance(action, dict) and "register" in action:
        hook = {name: action["hook"][name] for name in ("name", "event")}
        return {**action, "hook": hook}
    return parsed(action)


def parsed(value: Any) -> Any:
    """With JSON in texts compared as JSON."""
    if isinstance(value, dict):
        return {
            name: json.loads(inner) if name in ("answer", "payload") and isinstance(inner, str) else parsed(inner)
            for name, inner in value.items()
        }
    return value


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case["end"] != "agent" or not DISPATCHES & {step["do"] for step in case["steps"]}],
    ids=lambda case: case["id"],
)
def test_vector(case: dict[str, Any]) -> None:
    end: Any = ENDS[case["end"]](case["settings"])
    for step in case["steps"]:
        if isinstance(end, Agent):
            end.clock.set(step.get("at", end.clock.ms()))
        else:
            end.now = step.get("at", end.now)
        came = []
        for action in end.do(step):
            if action[0] == "log":
                if action[1] >= WARNING:
                    came.append({"log": LEVELS[action[1]], "text": action[2]})
            elif action[0] == "refused":
                _, level, text, worker, code = action
                came.append({"log": LEVELS[level], "text": text, "refused": worker, "code": code})
            else:
                came.append(parsed(end.show(action)))
        assert came == [comparable(action) for action in step["then"]], step
