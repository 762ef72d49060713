"""A client of the first version of the service, generated from that version's own text, as a program.

It registers a hook, answers what comes, and does what it reads: ``list``, ``unregister``, ``leave``.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import grpc.aio

from remote_messages import compiled

TEXT = """
syntax = "proto3";

service HookService {
  rpc RegisterHook(RegisterHookRequest) returns (RegisterHookResponse);
  rpc UnregisterHook(UnregisterHookRequest) returns (UnregisterHookResponse);
  rpc ListHooks(ListHooksRequest) returns (ListHooksResponse);
  rpc HookStream(stream HookResponse) returns (stream HookEvent);
}

message RegisterHookRequest {
  string event_type = 1;
  HookMatcher matcher = 2;
  HookConfig config = 3;
}

message HookMatcher {
  optional string tool = 1;
  optional string path_pattern = 2;
  optional string command_pattern = 3;
}

message HookConfig {
  int32 priority = 1;
  int32 timeout_ms = 2;
  bool async = 3;
}

message HookEvent {
  string hook_id = 1;
  string event_type = 2;
  string session_id = 3;
  int64 timestamp = 4;
  bytes payload = 5;
}

message HookResponse {
  string hook_id = 1;
  HookAction action = 2;
  optional string reason = 3;
  optional bytes modified = 4;
}

enum HookAction {
  CONTINUE = 0;
  BLOCK = 1;
  RETRY = 2;
  SKIP = 3;
}

message RegisterHookResponse { string hook_id = 1; }
message UnregisterHookRequest { string hook_id = 1; }
message UnregisterHookResponse { string hook_id = 1; }
message ListHooksRequest {}
message ListHooksResponse { repeated ListedHook hooks = 1; }
message ListedHook { string hook_id = 1; string event_type = 2; }
"""

wire, service = compiled(TEXT, "first")


def answer(event: Any) -> Any:
    """What the client thinks of an event."""
    command = json.loads(event.payload)["args"]["command"]
    if command.startswith("rm"):
        return wire.HookResponse(hook_id=event.hook_id, action=wire.BLOCK, reason="no rm")
    if command.startswith("cat"):
        modified = json.dumps({"args": {"command": "ls"}}).encode()
        return wire.HookResponse(hook_id=event.hook_id, modified=modified)
    return wire.HookResponse(hook_id=event.hook_id)


async def main(address: str, token: str) -> None:
    """Registers, answers, and does what it reads."""
    metadata = (("authorization", f"Bearer {token}"),)
    answers: asyncio.Queue[Any] = asyncio.Queue()

    async def given() -> AsyncIterator[Any]:
        while (response := await answers.get()) is not None:
            yield response

    async with grpc.aio.insecure_channel(address.removeprefix("grpc://")) as channel:
        stub = service.HookServiceStub(channel)
        request = wire.RegisterHookRequest(
            event_type="PreToolUse", matcher=wire.HookMatcher(tool="Bash"), config=wire.HookConfig(priority=5)
        )
        try:
            hook = (await stub.RegisterHook(request, metadata=metadata)).hook_id
        except grpc.aio.AioRpcError as error:
            print("refused:", error.details(), flush=True)
            return
        stream = stub.HookStream(given())

        async def stream_events() -> None:
            print("ready", flush=True)
            async for event in stream:
                assert event.hook_id == hook and event.event_type == "PreToolUse", event
                await answers.put(answer(event))

        streaming = asyncio.create_task(stream_events())
        while (line := (await asyncio.to_thread(sys.stdin.readline)).strip()) not in ("", "leave"):
            if line == "list":
                listed = await stub.ListHooks(wire.ListHooksRequest(), metadata=metadata)
                print("hooks", *(known.hook_id == hook for known in listed.hooks), flush=True)
            else:
                removed = await stub.UnregisterHook(wire.UnregisterHookRequest(hook_id=hook), metadata=metadata)
                print("unregistered", removed.hook_id == hook, flush=True)
        streaming.cancel()
        await answers.put(None)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
