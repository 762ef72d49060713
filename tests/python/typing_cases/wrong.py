"""Code that type checkers must refuse, at exactly the lines that say WRONG."""

from __future__ import annotations

from hookweave import HookClient, HookResponse, PostToolUseEvent, PreToolUseEvent

client = HookClient()


def pre(event: PreToolUseEvent) -> None: ...


def post(event: PostToolUseEvent) -> None: ...


def truthy(event: PreToolUseEvent) -> bool:
    return True


async def text(event: PreToolUseEvent) -> str:
    return "no"


def no_event() -> None: ...


client.register_hook("PreToolUse", pre)
client.register_hook("PreToolUse", post)  # WRONG
client.register_hook("PreToolUse", truthy)  # WRONG
client.register_hook("PreToolUse", text)  # WRONG
client.register_hook("PreToolUse", no_event)  # WRONG
client.register_hook("PreToolUs", pre)  # WRONG
client.register_hook("PreToolUse", pre, timeot=3)  # WRONG
client.register_hook("PreToolUse", pre, scope="global")  # WRONG
client.hook("PreToolUse")(post)  # WRONG
client.hook("PreToolUse")(truthy)  # WRONG
client.hook("Unknown")  # WRONG
client.hook(PreToolUseEvent)(post)  # WRONG
client.hook(PreToolUseEvent)(truthy)  # WRONG
client.hook("PreToolUse", matcher={"tol": "x"})  # WRONG
client.hook(PreToolUseEvent, matcher={"args": {"path": {"regexp": "x"}}})  # WRONG
client.hook(pre)  # WRONG
client.register_hook(PreToolUseEvent, post)  # WRONG
client.register_hook("PreToolUse", pre, matcher={"tool": 3})  # WRONG
client.temporary_hook("PreToolUse", post)  # WRONG
client.dispatch("PreToolUs", tool="x")  # WRONG
client.dispatch("PreToolUse", tool=3)  # WRONG
client.dispatch_sync("Stop", "payload")  # WRONG
HookResponse.block(3)  # WRONG
HookResponse("deny")  # WRONG
HookResponse.allow().message("text", "loud")  # WRONG
HookClient(profile="other")  # WRONG
HookClient(default_timeout="3s")  # WRONG
client.load("settings.json", scope="global")  # WRONG
client.discover(".", trust="some")  # WRONG
client.set_judge(lambda: None)  # WRONG
client.on_late_answer(lambda event, hook: None)  # WRONG
client.watch(3)  # WRONG
client.dispatch_sync("Stop").to_wire(3)  # WRONG
client.session(approval="maybe")  # WRONG
client.session(approval=lambda request: True)  # WRONG
client.session(permissions={"Bash": "sometimes"})  # WRONG
client.session(context=3)  # WRONG
client.register_tool("Bash", "ls")  # WRONG
client.register_tool("Bash", print, permission="maybe")  # WRONG
client.register_model(lambda request: 3)  # WRONG
client.execute_tool("s1", "Bash", "ls")  # WRONG
client.session().compact(lambda messages, custom: 3)  # WRONG


def changes(event: PreToolUseEvent) -> None:
    event.tool = "other"  # WRONG
    event.tol  # noqa: B018  # WRONG


def reads(event: PreToolUseEvent) -> int:
    return event.tool  # WRONG


def result(event: PostToolUseEvent) -> int:
    return event.result.duration  # WRONG
