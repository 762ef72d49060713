"""The `hookweave` command as users get it: from the wheel, from a source distribution, and from the npm packages.

Slow are the builds, none of the tests. They share `target/` with all others, so that only what changed is compiled; but
what comes from a source distribution is compiled at a place of its own, core, extension and command: two to three
minutes on two cores after each change of the core, seconds after none.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PROJECT = ROOT / "cli" / "tests" / "projects" / "guarded"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
LIMIT_SECONDS = 1_200
# What this system is called among the npm packages.
PLATFORM = "import { platformName } from './bin/platform.mjs'; console.log(platformName())"

Command = list[str]


def run(command: Command, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HOME": str(cwd), "NO_COLOR": "1"}
    return subprocess.run(
        command,
        cwd=cwd,
        input=stdin,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LIMIT_SECONDS,
        check=False,
    )


def build(command: Command, cwd: Path, **env: str) -> str:
    # Without a limit: how long a compiler takes says nothing about the package, and a suite that is silent ends.
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir"]
    build([*pip, str(folder), str(ROOT / "bindings-python")], ROOT, PATH=path)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source distribution, as a frontend asks the backend for it."""
    folder = tmp_path_factory.mktemp("sdist")
    package = ROOT / "bindings-python"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    asked = "import hookweave_build, sys; hookweave_build.build_sdist(sys.argv[1])"
    build([sys.executable, "-c", asked, str(folder)], package, PATH=path, PYTHONPATH=str(package / "backend"))
    (built,) = folder.glob("*.tar.gz")
    return built


@pytest.fixture(scope="module")
def installed_from_source(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of a fresh environment that has what is built from a source distribution."""
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data")
    (sources,) = unpacked.iterdir()
    place = TARGET / "sdist"
    manifest = sources / "Cargo.toml"
    manifest.write_text(quick_to_build(manifest.read_text("utf-8")), "utf-8")
    bring_up_to_date(place, sources)
    wheels = tmp_path_factory.mktemp("wheel-from-source")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir"]
    build([*pip, str(wheels), str(place)], place, PATH=path, CARGO_TARGET_DIR=str(TARGET / "sdist-build"))
    (built,) = wheels.glob("*.whl")
    return scripts_with(built, tmp_path_factory.mktemp("environment-from-source"))


def quick_to_build(manifest: str) -> str:
    """A workspace without its settings for releases: whether its sources are complete shows at any speed."""
    kept, _, _ = manifest.partition("[profile.release]")
    return f"{kept}[profile.release]\nopt-level = 0\n"


def bring_up_to_date(place: Path, sources: Path) -> None:
    """Makes a folder hold the same files; those that do not change keep their times, by which cargo tells what did."""
    wanted = {path.relative_to(sources) for path in sources.rglob("*") if path.is_file()}
    for path in [path for path in place.rglob("*") if path.is_file()]:
        if path.relative_to(place) not in wanted:
            path.unlink()
    for name in wanted:
        content = (sources / name).read_bytes()
        if not (place / name).is_file() or (place / name).read_bytes() != content:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(content)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of a fresh environment that has the wheel and nothing else."""
    return scripts_with(wheel, tmp_path_factory.mktemp("environment"))


def scripts_with(wheel: Path, folder: Path) -> Path:
    """The scripts of a fresh environment that has a wheel and nothing else."""
    venv.create(folder, with_pip=False)
    scripts = folder / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(scripts / "python"),
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
    ]
    build([*pip, str(wheel)], ROOT)
    return scripts


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packed npm package in it and nothing else."""
    npm = shutil.which("npm")
    assert npm is not None, "npm is not there"
    folder = tmp_path_factory.mktemp("package")
    packed = build([npm, "pack", "--json", "--pack-destination", str(folder)], ROOT / "bindings-node")
    name = json.loads(packed[packed.index("[") :])[0]["filename"]
    (folder / "package.json").write_text('{"private": true}')
    build([npm, "install", "--offline", "--no-audit", "--no-fund", str(folder / name)], folder)
    return folder


@pytest.fixture(scope="module")
def released(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages of a release: the main one, which holds nothing native, and the one of this system."""
    folder = tmp_path_factory.mktemp("released")
    # What is packed has brought the addon and the command of this system into `native`.
    assert package.is_dir()
    name = build(["node", "--input-type=module", "-e", PLATFORM], ROOT / "bindings-node").strip()
    stage = ["node", "scripts/stage-release.mjs", "native", "--out", str(folder / "npm"), "--only", name]
    packages = build(stage, ROOT / "bindings-node").split()
    npm = shutil.which("npm")
    assert npm is not None, "npm is not there"
    packed = [json.loads(build([npm, "pack", "--json", staged], folder))[0] for staged in packages]
    (folder / "package.json").write_text('{"private": true}')
    archives = [str(folder / each["filename"]) for each in packed]
    build([npm, "install", "--offline", "--no-audit", "--no-fund", *archives], folder)
    return folder


@pytest.fixture(scope="module", params=["wheel", "module", "npm", "released"])
def hookweave(request: pytest.FixtureRequest) -> Command:
    """Each way in which users start it."""
    if request.param in ("npm", "released"):
        package: Path = request.getfixturevalue("package" if request.param == "npm" else "released")
        return [str(package / "node_modules" / ".bin" / "hookweave")]
    scripts: Path = request.getfixturevalue("installed")
    if request.param == "module":
        return [str(scripts / "python"), "-m", "hookweave"]
    return [str(scripts / "hookweave")]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "project"
    shutil.copytree(PROJECT, folder)
    (folder / ".git").mkdir()
    yield folder


def version() -> str:
    line = next(line for line in (ROOT / "Cargo.toml").read_text().splitlines() if line.startswith("version = "))
    number: str = json.loads(line.removeprefix("version = "))
    return f"hookweave {number}"


def test_it_says_its_version(hookweave: Command, project: Path) -> None:
    done = run([*hookweave, "--version"], project)
    assert (done.returncode, done.stdout.strip()) == (0, version())


@pytest.mark.repeats
def test_a_source_distribution_gives_the_command_too(installed_from_source: Path, project: Path) -> None:
    native = str(installed_from_source / "hookweave")
    for command in ([native], [str(installed_from_source / "python"), "-m", "hookweave"]):
        done = run([*command, "--version"], project)
        assert (done.returncode, done.stdout.strip()) == (0, version()), done.stderr
    assert run([native, "test"], project).returncode == 0


def test_a_source_distribution_is_one_workspace_with_its_licences(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
        root = names[0].partition("/")[0]
        manifest = archive.extractfile(f"{root}/Cargo.toml")
        assert manifest is not None
        members = next(line for line in manifest.read().decode().splitlines() if line.startswith("members = "))
    crates = ("command", "machine", "clock", "dialects", "session", "spawn", "exec", "files", "audit", "remote", "host")
    assert members == f"members = {json.dumps([*(f'core/{name}' for name in crates), 'bindings-python', 'cli'])}"
    inside = {name.partition("/")[2] for name in names}
    assert len(inside) == len(names)
    assert {"LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt", "cli/Cargo.toml", "cli/src/main.rs"} <= inside
    assert "cli/schemas/event.schema.json" in inside and not any(name.startswith("cli/tests") for name in inside)


def test_npm_packages_have_the_licences_of_what_they_hold(package: Path, released: Path) -> None:
    native = next((released / "node_modules" / "@hookweave").iterdir())
    folders = [package / "node_modules" / "hookweave", released / "node_modules" / "hookweave", native]
    held = [{path.name for path in folder.glob("*") if path.suffix in ("", ".txt")} for folder in folders]
    assert all({"LICENSE-APACHE", "LICENSE-MIT"} < names for names in held)
    # Nothing is compiled into the main one of a release.
    assert ["THIRD-PARTY.txt" in names for names in held] == [True, False, True]


@pytest.mark.parametrize("there", [True, False])
def test_a_program_that_was_built_before_is_taken_as_it_is(there: bool, tmp_path: Path) -> None:
    given = tmp_path / "hookweave"
    if there:
        given.touch()
    backend = ROOT / "bindings-python" / "backend"
    env = {**os.environ, "PYTHONPATH": str(backend), "HOOKWEAVE_COMMAND": str(given), "CARGO": "no-cargo"}
    command = [sys.executable, "-c", "import hookweave_build; print(hookweave_build.build_command())"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
    assert (done.returncode == 0, done.stdout.strip()) == (there, str(given) if there else "")
    assert there or f"HOOKWEAVE_COMMAND names {given}, and there is no such file" in done.stderr


RECORDINGS = ROOT / "tests" / "recordings"


@pytest.mark.parametrize("language", ["python", "node"])
def test_an_agent_is_recorded_and_replayed(language: str, installed: Path, released: Path, project: Path) -> None:
    """It leaves what the same agent leaves in Rust: `core/tests/it/recording.rs` compares with the same file."""
    shutil.copy(RECORDINGS / "agent.mjs", released)
    agent = {
        "python": [str(installed / "python"), str(RECORDINGS / "agent.py")],
        "node": ["node", str(released / "agent.mjs")],
    }[language]
    hookweave = str(installed / "hookweave")
    policy = project / "hookweave.toml"
    recorded = run([hookweave, "record", "--out", "runs.jsonl", "--", *agent, policy.name], project)
    assert recorded.returncode == 0, recorded.stderr
    assert "6 dispatches recorded in runs.jsonl" in recorded.stderr, recorded.stderr
    came = [{**json.loads(line), "time_ms": 0} for line in (project / "runs.jsonl").read_text("utf-8").splitlines()]
    assert came == [json.loads(line) for line in (RECORDINGS / "expected.jsonl").read_text("utf-8").splitlines()]

    replay = [hookweave, "replay", "--file", policy.name, "runs.jsonl", "--json"]
    same = run(replay, project)
    assert same.returncode == 0, same.stdout + same.stderr
    assert json.loads(same.stdout)["not_replayed"] == {"in_code": 2, "hooks": ["guard", "rewrite"], "left_out": []}
    policy.write_text(policy.read_text("utf-8").replace("git push.*--force", "git push"), "utf-8")
    policy.write_text(policy.read_text("utf-8").replace("history stays as it is", "never"), "utf-8")
    other = run(replay, project)
    assert other.returncode == 1, other.stdout + other.stderr
    (difference,) = json.loads(other.stdout)["differences"]
    assert difference["payload"]["args"] == {"command": "git push --force"}
    assert (difference["recorded"]["reason"], difference["now"]["reason"]) == ("history stays as it is", "never")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_only_a_person_at_a_terminal_sees_how_far_it_is(installed: Path, project: Path) -> None:
    line = (RECORDINGS / "expected.jsonl").read_text("utf-8").splitlines()[1]
    command = [str(installed / "hookweave"), "replay", "--source", "user", "runs.jsonl"]

    def progress(*more: str, **env: str) -> str:
        ours, theirs = os.openpty()
        environment = {**os.environ, "HOME": str(project), "TERM": "xterm", "CI": "", **env}
        process = subprocess.Popen(
            [*command, *more], cwd=project, env=environment, stdout=subprocess.DEVNULL, stderr=theirs
        )
        os.close(theirs)
        printed = b""
        try:
            while piece := os.read(ours, 4096):
                printed += piece
        except OSError:
            # The other side is closed.
            pass
        os.close(ours)
        assert process.wait(timeout=LIMIT_SECONDS) == 0
        return printed.decode()

    # What is done within half a second is not worth a word: a fast machine gets more to do until there is one.
    printed = ""
    for count in (60_000, 240_000, 960_000):
        (project / "runs.jsonl").write_text(f"{line}\n" * count, "utf-8")
        if printed := progress():
            break
    assert "replaying " in printed and printed.endswith("\r\x1b[2K"), printed
    assert progress("--json") == progress(CI="true") == progress(TERM="dumb") == ""


def test_npx_finds_the_command_of_this_system(released: Path) -> None:
    main = released / "node_modules" / "hookweave"
    assert not [path for path in (main / "native").iterdir() if path.suffix not in (".js", ".ts", ".json")]
    npx = shutil.which("npx")
    assert npx is not None, "npx is not there"
    done = run([npx, "--no", "--", "hookweave", "--version"], released)
    assert (done.returncode, done.stdout.strip()) == (0, version()), done.stderr
    used = build(["node", "-p", "typeof require('hookweave').HookClient"], released)
    assert used.strip() == "function"


def test_a_missing_command_names_the_mend(released: Path, tmp_path: Path) -> None:
    shutil.copytree(released / "node_modules", tmp_path / "node_modules", symlinks=True)
    hookweave = ["node", str(tmp_path / "node_modules" / "hookweave" / "bin" / "hookweave.mjs"), "--version"]
    (platform,) = (tmp_path / "node_modules" / "@hookweave").iterdir()
    name = platform.name.removeprefix("native-")
    (command,) = (path for path in platform.glob("hookweave.*") if path.suffix != ".node")

    command.chmod(0o644)
    refused = run(hookweave, tmp_path)
    if sys.platform != "win32":
        assert refused.returncode == 2 and "make it executable" in refused.stderr, refused.stderr
    command.unlink()
    lacking = run(hookweave, tmp_path)
    assert lacking.returncode == 2 and "npm install --force hookweave" in lacking.stderr, lacking.stderr
    other = "linux-arm64-musl" if name != "linux-arm64-musl" else "darwin-arm64"
    platform.rename(platform.with_name(f"native-{other}"))
    foreign = run(hookweave, tmp_path)
    assert foreign.returncode == 2, foreign.stderr
    assert f"this system is {name}, and what is installed is for {other}" in foreign.stderr
    shutil.rmtree(tmp_path / "node_modules" / "@hookweave")
    missing = run(hookweave, tmp_path)
    assert missing.returncode == 2 and f"npm install @hookweave/native-{name}@" in missing.stderr, missing.stderr


def test_names_of_systems() -> None:
    asked = """
        import { platformName, commandOf, PLATFORMS } from "./bin/platform.mjs";
        const name = (platform, arch, musl) => platformName({ platform, arch }, () => musl);
        const linux = [name("linux", "x64", false), name("linux", "arm64", true)];
        const names = [...linux, name("win32", "x64"), name("darwin", "arm64")];
        console.log(JSON.stringify(names.map((name) => [commandOf(name), PLATFORMS[name].target])));
    """
    printed = build(["node", "--input-type=module", "-e", asked], ROOT / "bindings-node")
    assert json.loads(printed) == [
        ["hookweave.linux-x64-gnu", "x86_64-unknown-linux-gnu"],
        ["hookweave.linux-arm64-musl", "aarch64-unknown-linux-musl"],
        ["hookweave.win32-x64-msvc.exe", "x86_64-pc-windows-msvc"],
        ["hookweave.darwin-arm64", "aarch64-apple-darwin"],
    ]


def test_a_release_lacks_no_system(tmp_path: Path) -> None:
    stage = ["node", "scripts/stage-release.mjs", str(tmp_path), "--out", str(tmp_path / "npm")]
    done = run(stage, ROOT / "bindings-node")
    assert done.returncode == 2 and not (tmp_path / "npm").exists()
    assert "hookweave.linux-x64-musl, " in done.stderr and "hookweave.win32-arm64-msvc.exe" in done.stderr


def test_lint_finds_what_is_wrong(hookweave: Command, project: Path) -> None:
    assert run([*hookweave, "lint", "--allow", "guard-fails-open"], project).returncode == 0
    settings = {"hooks": {"PreToolUse": [{"matcher": "Edit*", "hooks": [{"type": "command", "command": "exit 1"}]}]}}
    (project / ".claude" / "settings.json").write_text(json.dumps(settings))
    done = run([*hookweave, "lint", "--json"], project)
    assert done.returncode == 1, done.stderr
    assert {finding["rule"] for finding in json.loads(done.stdout)["findings"]} == {
        "exit-one-guard",
        "guard-fails-open",
        "star-regex",
    }


def test_explain_tells_hooks_apart(hookweave: Command, project: Path) -> None:
    args = ["--event", "PreToolUse", "--tool", "Bash", "--args", '{"command": "git push"}', "--trust", "all", "--json"]
    done = run([*hookweave, "explain", *args], project)
    assert done.returncode == 0, done.stderr
    matched = {hook["hook"]: hook["matched"] for hook in json.loads(done.stdout)["hooks"]}
    assert matched == {"policy-files": False, "no-force-push": False, "tests-first": True}


def test_hook_answers_in_the_agents_words(hookweave: Command, project: Path) -> None:
    event = (project / "claude.json").read_text()
    done = run([*hookweave, "hook", "--agent", "claude-code", "--trust", "all"], project, stdin=event)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    unreadable = run([*hookweave, "hook", "--agent", "claude-code"], project, stdin="{")
    assert unreadable.returncode == 2
    assert "could not decide" in unreadable.stderr


def test_tests_of_hooks_decide_the_exit_code(hookweave: Command, project: Path) -> None:
    assert run([*hookweave, "test"], project).returncode == 0
    policy = project / "hookweave.toml"
    policy.write_text(policy.read_text().replace("exit 2", "exit 0"))
    assert run([*hookweave, "test"], project).returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_a_signal_ends_it_and_shows(hookweave: Command, project: Path) -> None:
    process = subprocess.Popen([*hookweave, "test", "--watch"], cwd=project, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while "waiting" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=LIMIT_SECONDS) == -signal.SIGTERM
