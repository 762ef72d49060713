"""The ratios and the times that the project holds itself to, by the series they are taken from."""

from __future__ import annotations

from dataclasses import dataclass

# One series: the program and the variant of it.
Series = tuple[str, str]


@dataclass(frozen=True)
class Bar:
    """A ratio of two series. `at_most` bars bound a cost, the others how many times faster something is.

    `bar` must be met, or ARCHITECTURE.md argues why it is missed; `goal` is what the design has been shown to allow.
    """

    label: str
    of: Series
    to: Series
    bar: float
    goal: float
    at_most: bool = True

    def meets(self, ratio: float, limit: float) -> bool:
        """Whether a measured ratio is within a limit."""
        return ratio <= limit if self.at_most else ratio >= limit


@dataclass(frozen=True)
class Ceiling:
    """A time that a series must stay under, in nanoseconds, regardless of what others take for the same."""

    label: str
    of: Series
    bar: float
    goal: float


def cost(label: str, of: Series, to: Series, bar: float, goal: float) -> Bar:
    """A bar on what `of` costs compared with `to`."""
    return Bar(label, of, to, bar, goal)


def faster(label: str, than: Series, ours: Series, bar: float, goal: float) -> Bar:
    """A bar on how many times faster than a peer we are."""
    return Bar(label, than, ours, bar, goal, at_most=False)


def python(program: str, variant: str) -> Series:
    """A series of a Python program."""
    return f"python/{program}", variant


def node(program: str, variant: str) -> Series:
    """A series of a Node program."""
    return f"node/{program}", variant


def rust(variant: str, program: str = "rust") -> Series:
    """A series of the Rust program."""
    return program, variant


CALLS, SDK, AMPLIFIER, COMMANDS, SESSIONS = "callbacks", "claude_sdk", "amplifier", "commands", "sessions"
AGENT_HOOKS, RELAY, TOOL_CALLS, IMPORTS = "agent_hooks_sdk", "relay", "tool_calls", "imports"
AUDIT, BY_A_LOG = "audit", "added to a dispatch by an audit log"
ALONE, IN_A_SESSION = "tool of 1 ms", "tool of 1 ms in a session with 10 hooks"
RUST_COMMANDS, RUST_LARGE = "rust/commands", "rust/commands in 2 GiB"
NODE_LARGE = "commands in 2 GiB"
HOOKWEAVE = {
    0: python(CALLS, "hookweave, 0 of 1 hooks match"),
    1: python(CALLS, "hookweave, 1 async hook"),
    10: python(CALLS, "hookweave, 10 async hooks"),
}
NODE_HOOKWEAVE = {
    0: node(CALLS, "hookweave, 0 of 1 hooks match"),
    1: node(CALLS, "hookweave, 1 async hook"),
    10: node(CALLS, "hookweave, 10 async hooks"),
}

BARS = [
    cost("Python, 0 matching hooks / bare loop", HOOKWEAVE[0], python(CALLS, "floor, 0 hooks"), 1.3, 1.0),
    cost("Python, 1 async hook / bare loop", HOOKWEAVE[1], python(CALLS, "floor, 1 async hook"), 2.2, 1.8),
    cost("Python, 10 async hooks / bare loop", HOOKWEAVE[10], python(CALLS, "floor, 10 async hooks"), 2.0, 1.6),
    cost(
        "Python, 10 sync hooks / bare loop of 10 async ones",
        python(CALLS, "hookweave, 10 sync hooks"),
        python(CALLS, "floor, 10 async hooks"),
        0.9,
        0.9,
    ),
    cost(
        "Python, suspending hook with timeout / bare loop",
        python(CALLS, "hookweave, suspending hook with timeout"),
        python(CALLS, "floor, suspending hook"),
        1.4,
        1.4,
    ),
    faster(
        "Python, faster than amplifier-core, 0 hooks",
        python(AMPLIFIER, "amplifier-core, 0 hooks"),
        HOOKWEAVE[0],
        300,
        1_000,
    ),
    faster(
        "Python, faster than amplifier-core, 1 hook",
        python(AMPLIFIER, "amplifier-core, 1 hooks"),
        HOOKWEAVE[1],
        300,
        500,
    ),
    faster(
        "Python, faster than amplifier-core, 10 hooks",
        python(AMPLIFIER, "amplifier-core, 10 hooks"),
        HOOKWEAVE[10],
        300,
        500,
    ),
    faster(
        "Python, faster than agent-hooks-sdk, 1 hook",
        python(AGENT_HOOKS, "agent-hooks-sdk, 1 hooks"),
        HOOKWEAVE[1],
        150,
        300,
    ),
    faster(
        "Python, faster than agent-hooks-sdk, 10 hooks",
        python(AGENT_HOOKS, "agent-hooks-sdk, 10 hooks"),
        HOOKWEAVE[10],
        120,
        200,
    ),
    faster(
        "Python, tool call faster than with agent-hooks-sdk, 1 hook before and after",
        python(AGENT_HOOKS, "agent-hooks-sdk, tool call, 1 hooks before and after"),
        python(TOOL_CALLS, "hookweave, tool call, 1 hooks before and after"),
        8,
        15,
    ),
    faster(
        "Python, faster than nemo-relay, 1 hook",
        python(RELAY, "nemo-relay, 1 hooks"),
        HOOKWEAVE[1],
        200,
        500,
    ),
    faster(
        "Python, faster than nemo-relay, 10 hooks",
        python(RELAY, "nemo-relay, 10 hooks"),
        HOOKWEAVE[10],
        250,
        400,
    ),
    faster(
        "Python, tool call faster than with nemo-relay, 1 hook",
        python(RELAY, "nemo-relay, tool call, 1 hooks"),
        python(TOOL_CALLS, "hookweave, tool call, 1 hooks"),
        8,
        20,
    ),
    faster(
        "Python, faster than blinker, 1 async hook",
        python(CALLS, "blinker send_async, 1 async receiver"),
        HOOKWEAVE[1],
        3,
        3,
    ),
    faster(
        "Python, faster than pluggy, 1 sync hook",
        python(CALLS, "pluggy, 1 sync hook"),
        python(CALLS, "hookweave, dispatch_sync, 1 sync hook"),
        4,
        4,
    ),
    cost(
        "Python, 100 KB string read / small payload",
        python("payload", "100 KB string, read"),
        python("payload", "small, read"),
        1.2,
        1.1,
    ),
    cost(
        "Python, 1,500 objects untouched / small payload",
        python("payload", "1,500 objects, untouched"),
        python("payload", "small, untouched"),
        1.2,
        1.1,
    ),
    cost(
        "Python, 10,000 hooks / 50 hooks",
        python("matching", "10,000 hooks, other tools"),
        python("matching", "50 hooks, other tools"),
        2.0,
        1.5,
    ),
    cost("Node, 0 matching hooks / bare loop", NODE_HOOKWEAVE[0], node(CALLS, "floor, 0 hooks"), 1.3, 1.2),
    cost("Node, 1 async hook / bare loop", NODE_HOOKWEAVE[1], node(CALLS, "floor, 1 async hook"), 3.0, 2.3),
    cost("Node, 10 async hooks / bare loop", NODE_HOOKWEAVE[10], node(CALLS, "floor, 10 async hooks"), 2.0, 1.1),
    faster(
        "Node, faster than plain JavaScript, 1 hook",
        node(CALLS, "plain JavaScript, 1 async hook"),
        NODE_HOOKWEAVE[1],
        2,
        2,
    ),
    faster(
        "Node, faster than plain JavaScript, 10 hooks",
        node(CALLS, "plain JavaScript, 10 async hooks"),
        NODE_HOOKWEAVE[10],
        6,
        6,
    ),
    faster(
        "Node 24, faster than nemo-relay, 1 hook",
        node(RELAY, "nemo-relay, 1 hooks"),
        node(RELAY, "hookweave, 1 hooks"),
        50,
        100,
    ),
    faster(
        "Node 24, faster than nemo-relay, 10 hooks",
        node(RELAY, "nemo-relay, 10 hooks"),
        node(RELAY, "hookweave, 10 hooks"),
        80,
        150,
    ),
    faster(
        "Node 24, tool call faster than with nemo-relay, 1 hook",
        node(RELAY, "nemo-relay, tool call, 1 hooks"),
        node(RELAY, "hookweave, tool call, 1 hooks"),
        3,
        6,
    ),
    cost(
        "Node, 100 KB string read / small payload",
        node("payload", "100 KB string, read"),
        node("payload", "small, read"),
        1.2,
        1.1,
    ),
    cost(
        "Node, 1,500 objects untouched / small payload",
        node("payload", "1,500 objects, untouched"),
        node("payload", "small, untouched"),
        1.2,
        1.1,
    ),
    cost(
        "Node, 10,000 hooks / 50 hooks",
        node("matching", "10,000 hooks, other tools"),
        node("matching", "50 hooks, other tools"),
        2.0,
        1.5,
    ),
    cost(
        "Rust, 10 async hooks with timeouts / boxed functions with tokio timeouts",
        rust("hookweave, 10 async hooks"),
        rust("boxed functions with tokio timeouts, 10"),
        2.0,
        2.0,
    ),
    cost(
        "Rust, 10,000 hooks / 50 hooks",
        rust("10,000 hooks, other tools"),
        rust("50 hooks, other tools"),
        2.0,
        1.5,
    ),
    cost(
        "Rust, 10,000 argument patterns / 10,000 command patterns",
        rust("10,000 hooks, argument patterns"),
        rust("10,000 hooks, command patterns"),
        2.0,
        1.2,
    ),
    cost(
        "Rust, 10,000 session globs / 10,000 command patterns",
        rust("10,000 hooks, session globs"),
        rust("10,000 hooks, command patterns"),
        2.0,
        1.2,
    ),
    cost(
        "Rust, 10,000 rules / 10,000 command patterns",
        rust("10,000 hooks, rules"),
        rust("10,000 hooks, command patterns"),
        2.0,
        1.2,
    ),
    cost(
        "Rust, all policies on lines that pass / 0 of 1 hooks match",
        rust("all policies, lines that pass"),
        rust("hookweave, 0 of 1 hooks match"),
        200,
        100,
    ),
    cost(
        "Rust, all policies on lines that are stopped / on lines that pass",
        rust("all policies, lines that are stopped"),
        rust("all policies, lines that pass"),
        1.5,
        1.0,
    ),
    cost(
        f"Python, {IN_A_SESSION} / the tool alone",
        python(SESSIONS, IN_A_SESSION),
        python(SESSIONS, ALONE),
        1.05,
        1.02,
    ),
    cost(f"Node, {IN_A_SESSION} / the tool alone", node(SESSIONS, IN_A_SESSION), node(SESSIONS, ALONE), 1.05, 1.02),
    cost(f"Rust, {IN_A_SESSION} / the tool alone", rust(IN_A_SESSION), rust(ALONE), 1.05, 1.02),
    cost(
        "command `true` / posix_spawn of it",
        rust("command true", RUST_COMMANDS),
        rust("posix_spawn of true", RUST_COMMANDS),
        1.35,
        1.2,
    ),
    cost(
        "bash hook / posix_spawn of it",
        rust("bash hook", RUST_COMMANDS),
        rust("posix_spawn of a bash hook", RUST_COMMANDS),
        1.1,
        1.06,
    ),
    cost(
        "command `true`, parent of 2 GiB / small parent",
        rust("command true", RUST_LARGE),
        rust("command true", RUST_COMMANDS),
        1.3,
        1.0,
    ),
    cost(
        "Python, dispatch with command `true` / asyncio.create_subprocess_exec",
        python(COMMANDS, "hookweave, command true"),
        python(COMMANDS, "asyncio.create_subprocess_exec, true"),
        1.35,
        1.0,
    ),
    cost(
        "Node, dispatch with command `true` / child_process.spawn",
        node(COMMANDS, "hookweave, command true"),
        node(COMMANDS, "child_process.spawn, true"),
        1.35,
        1.0,
    ),
    cost(
        "Node, main thread busy with command `true` / with child_process.spawn",
        node(COMMANDS, "hookweave, command true, main thread"),
        node(COMMANDS, "child_process.spawn, true, main thread"),
        0.5,
        0.2,
    ),
]

CEILINGS = [
    Ceiling(
        "Rust, one more hook among 10,000, and the next dispatch",
        rust("10,000 hooks, one more registered before each"),
        1e6,
        0.2e6,
    ),
    Ceiling("Rust, all policies on a line that passes", rust("all policies, lines that pass"), 20e3, 10e3),
    Ceiling("Rust, a client that uses all policies", rust("use of all policies"), 10e6, 2e6),
    Ceiling("Node, main thread per command", node(COMMANDS, "hookweave, command true, main thread"), 0.2e6, 0.1e6),
    Ceiling(
        "Node, main thread per command, parent of 2 GiB",
        node(NODE_LARGE, "hookweave, command true, main thread"),
        0.2e6,
        0.1e6,
    ),
    Ceiling(f"Python, {BY_A_LOG}", python(AUDIT, BY_A_LOG), 500, 300),
    Ceiling(f"Node, {BY_A_LOG}", node(AUDIT, BY_A_LOG), 3000, 1500),
    Ceiling(f"Rust, {BY_A_LOG}", rust(BY_A_LOG), 500, 300),
    Ceiling(
        "`hookweave hook`, one event, process start to answer",
        rust("hookweave hook, an event that passes", RUST_COMMANDS),
        5e6,
        3e6,
    ),
    Ceiling("Rust, loading 50 hooks", rust("loading 50 hooks", RUST_COMMANDS), 10e6, 10e6),
    Ceiling("Python, loading 50 hooks", python(COMMANDS, "loading 50 hooks"), 10e6, 10e6),
    Ceiling("Python, import, added to `import asyncio`", python(IMPORTS, "added to import asyncio"), 25e6, 10e6),
    Ceiling("Node, import", node(IMPORTS, "added to a program"), 25e6, 10e6),
    Ceiling("Node, loading 50 hooks", node(COMMANDS, "loading 50 hooks"), 10e6, 10e6),
]
