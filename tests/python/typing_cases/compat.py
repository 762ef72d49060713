"""Code for the compatibility modules that checkers accept, and some that they refuse."""

from typing import Any

from hookweave import HookClient
from hookweave.compat.a3s import A3sClient, HookEvent, HookResponse, PreToolUseEvent
from hookweave.compat.amplifier import (
    AmplifierSession,
    ApprovalSystem,
    HookRegistry,
    HookResult,
    ModuleCoordinator,
    SessionCoordinator,
)

client = A3sClient(config={"hooks": {"maxHooksPerEvent": 20}}, enabled=True)


@client.hook("PreToolUse", matcher={"tool": "Bash", "command_pattern": "rm"}, config={"timeout": 3000, "async": False})
async def guard(event: PreToolUseEvent) -> HookResponse:
    return HookResponse.block(event.tool) if event.args else HookResponse.retry(delay=500)


hook_id: str = client.register_hook("GenerateEnd", lambda event: None, config={"fail_behavior": "block"})
client.register_hook("GenerateEnd", guard, config={"fail_behavior": "perhaps"})  # WRONG
client.register_hook("PreToolUse", guard, matcher={"tool": 3})  # WRONG
client.register_hook("PreToolUse", 3)  # WRONG


async def temporary(event: HookEvent) -> HookResponse:
    async with client.temporary_hook("PreToolUse", guard) as id:
        print(id.upper(), event.session_id)
    return await guard(PreToolUseEvent(tool="Bash"))


async def mount(coordinator: ModuleCoordinator, config: dict[str, Any]) -> None:
    async def handler(event: str, data: dict[str, Any]) -> HookResult:
        return HookResult(action="deny", reason=config["reason"])

    unregister = coordinator.hooks.register(HookRegistry.TOOL_PRE, handler, priority=5, name="guard")
    unregister()
    coordinator.hooks.on("tool:post", handler, "high")  # WRONG


async def main(approval: ApprovalSystem) -> str | None:
    registry = HookRegistry(HookClient(profile="amplifier"))
    coordinator = SessionCoordinator(registry, None, approval, None)
    result = await coordinator.execute_with_hooks("tool:pre", {"tool_name": "Bash"})
    HookResult(action="explode")  # WRONG
    HookResult("deny")  # WRONG
    HookResult(action="deny", severity=3)  # WRONG
    done = await AmplifierSession(coordinator).execute_tool("Bash", {})
    print(done.success, await registry.emit_and_collect("e", {}, timeout=1.0))
    return result.reason
