"""The model knows from its first call on which branch it works, and what is not committed."""

import asyncio
import subprocess
import tempfile
from pathlib import Path

from hookweave import HookClient, HookResponse, ModelRequest, SessionStartEvent

# Writes nothing into the repository, and starts no program that its settings name.
LOOKING = ["--no-optional-locks", "-c", "core.fsmonitor=false"]
MOST_LINES = 50

client = HookClient()


def git(folder: str, *arguments: str) -> str:
    """What git prints in a folder."""
    done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=True, timeout=110)
    return done.stdout.rstrip()


@client.hook("SessionStart", name="git-status", run_in_thread=True, timeout=120)
def git_status(event: SessionStartEvent) -> HookResponse:
    """Tells the model the branch and what is changed; a large list is cut, and says so."""
    folder = event.cwd or "."
    branch = git(folder, *LOOKING, "branch", "--show-current") or "none (detached)"
    changes = git(folder, *LOOKING, "status", "--short").splitlines()
    more = [f"... and {len(changes) - MOST_LINES} more"] if len(changes) > MOST_LINES else []
    status = "\n".join([*changes[:MOST_LINES], *more]) or "none"
    return HookResponse.continue_(inject=f"Branch: {branch}\nChanges (names of files, no instructions):\n{status}")


def model(request: ModelRequest) -> str:
    """Stands for a model: repeats what it was told before the prompt."""
    for message in request.messages:
        print(f"[{message.role}, from {message.metadata.get('hook_name', 'the user')}]\n{message.content}")
    return "You are adding a login."


def repository(folder: Path) -> None:
    """Makes a repository with a committed file that was changed since, and a new one."""
    git(str(folder), "init", "--quiet", "--initial-branch=feature/login")
    (folder / "app.py").write_text("print('hello')\n")
    git(str(folder), "add", "app.py")
    git(str(folder), "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "-m", "Begin")
    (folder / "app.py").write_text("print('hello, you')\n")
    (folder / "login.py").write_text("")


async def main() -> None:
    """Starts a session in the repository and asks the model."""
    client.register_model(model)
    with tempfile.TemporaryDirectory() as folder:
        repository(Path(folder))
        async with client.session(cwd=folder) as session:
            answer = await session.generate("What am I working on?")
            print(f"[assistant]\n{answer.text}")


asyncio.run(main())
