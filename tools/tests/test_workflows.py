"""What the linters of workflows cannot know: that they fit the repository and each other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
WORKFLOWS = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))}
ACTIONS = [ROOT / "action.yml", *sorted((ROOT / ".github" / "actions").glob("*/action.yml"))]
TEXTS = [*WORKFLOWS.values(), *(path.read_text("utf-8") for path in ACTIONS)]


def jobs(workflow: str) -> dict[str, str]:
    """The text of each job by its id."""
    _, _, below = WORKFLOWS[workflow].partition("\njobs:\n")
    parts = re.split(r"^  ([\w-]+):\n", below, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def needs(job: str) -> set[str]:
    [listed] = re.findall(r"^    needs: \[?([^\]\n]*)\]?$", job, re.M) or [""]
    return set(re.findall(r"[\w-]+", listed))


def listed(text: str, key: str) -> list[list[str]]:
    """Each list of strings under a key of a matrix."""
    return [re.findall(r'"([^"]+)"', found) for found in re.findall(rf"^        {key}: \[(.*)\]$", text, re.M)]


def test_the_gate_waits_for_each_job() -> None:
    ci = jobs("ci")
    assert needs(ci["gate"]) == set(ci) - {"gate"}


def test_all_that_is_built_is_tried_before_anything_is_published() -> None:
    release = jobs("release")
    publishing = [name for name in release if name.startswith("publish-")]
    assert [needs(release[name]) - {"version"} for name in publishing] == [
        {"attest"},
        {"publish-crates"},
        {"publish-pypi"},
    ]
    assert needs(release["github"]) - {"version"} == {publishing[-1]}

    def before(name: str) -> set[str]:
        return {name}.union(*(before(earlier) for earlier in needs(release[name])))

    assert set(release) - before(publishing[0]) == {*publishing[1:], "github"}


def test_only_jobs_of_the_protected_environment_may_sign_or_write() -> None:
    for name, job in jobs("release").items():
        may = set(re.findall(r"^      ([\w-]+): write$", job, re.M))
        assert not may or "\n    environment: release\n" in job, f"{name} may write {may}"


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_jobs_have_a_limit_and_only_the_rights_that_they_name(workflow: str) -> None:
    assert "\npermissions: {}\n" in WORKFLOWS[workflow]
    assert "pull_request_target" not in WORKFLOWS[workflow]
    for name, job in jobs(workflow).items():
        assert "\n    permissions:" in job, f"{name} names no rights"
        # A called workflow limits its own jobs.
        assert "\n    timeout-minutes:" in job or "\n    uses: ./" in job, f"{name} has no limit"


def test_an_action_is_pinned_to_one_commit_everywhere() -> None:
    pins: dict[str, set[tuple[str, str]]] = {}
    for used in [used for text in TEXTS for used in re.findall(r"uses: (.+)$", text, re.M)]:
        if used.startswith("./"):
            assert (ROOT / used).exists(), used
        else:
            pinned = re.fullmatch(r"([\w.-]+/[\w.-]+)[\w/.-]*@([0-9a-f]{40}) # (v[\d.]+)", used)
            assert pinned, f"{used} is not pinned to a commit, with its tag behind it"
            pins.setdefault(pinned[1], set()).add((pinned[2], pinned[3]))
    assert len(pins) > 5
    assert {action: found for action, found in pins.items() if len(found) > 1} == {}


def test_the_verbs_are_those_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    verbs = {verb for text in TEXTS for verb in re.findall(r"(?:run: |^ +)make ([a-z-]+)", text, re.M)}
    assert {"lint", "test", "advisories"} < verbs
    assert {verb for verb in verbs if not re.search(rf"^{verb}:", makefile, re.M)} == set()


def test_what_is_tested_is_what_is_built() -> None:
    [tested] = listed(WORKFLOWS["ci"], "python")
    built, tried = listed(WORKFLOWS["release"], "python")
    assert built == tested
    assert set(tried) < set(built)
    [nodes] = listed(WORKFLOWS["ci"], "node")
    assert {nodes[0], nodes[-1]} == set(listed(WORKFLOWS["release"], "node")[0])
    package = json.loads((ROOT / "bindings-node" / "package.json").read_text("utf-8"))
    assert package["engines"]["node"] == f">={nodes[0]}"
    manifest = (ROOT / "bindings-python" / "pyproject.toml").read_text("utf-8")
    assert f'requires-python = ">={tested[0]}"' in manifest
    targets = re.findall(r"- \{ target: ([\w-]+),", jobs("release")["native"])
    assert sorted(targets) == sorted(package["napi"]["targets"])
