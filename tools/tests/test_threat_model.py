"""The threat model names tests that exist: each threat has vectors, and each asset a threat or a reason."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
CELLS = ("id", "threat", "defence", "asset", "vectors")
THREAT = re.compile(r"^\| (?=[A-Z]\d+ )" + r" \| ".join(rf"(?P<{cell}>[^|]+)" for cell in CELLS) + r" \|$", re.M)
THREATS = list(THREAT.finditer(PAGE))


def vectors() -> set[str]:
    files = (json.loads(path.read_text("utf-8")) for path in (ROOT / "tests" / "vectors").rglob("*.json"))
    return {case["id"] for file in files if isinstance(file, dict) for case in file.get("cases", []) if "id" in case}


def test_each_threat_names_vectors_that_exist() -> None:
    known = vectors()
    assert len(THREATS) > 30
    assert len(known) > 1000
    unknown = {row["id"]: re.sub(r"`[^`]+`", "", row["vectors"]).strip(" ,") for row in THREATS}
    assert not {threat: rest for threat, rest in unknown.items() if rest}, "a row has more than vectors"
    named = {row["id"]: re.findall(r"`([^`]+)`", row["vectors"]) for row in THREATS}
    assert all(named.values()), "a threat has no vector"
    assert {threat: missing for threat, ids in named.items() if (missing := [i for i in ids if i not in known])} == {}


def test_each_row_of_a_table_of_threats_is_one() -> None:
    """A row that the pattern does not read would be checked by nothing."""
    rows = re.findall(r"^\| [A-Z]\d+ .*$", PAGE, re.M)
    assert len(rows) == len(THREATS)


def test_ids_are_unique_and_in_order() -> None:
    ids = [row["id"] for row in THREATS]
    for letter in {name[0] for name in ids}:
        numbers = [int(name[1:]) for name in ids if name.startswith(letter)]
        assert numbers == sorted(set(numbers)), letter


def test_each_threat_is_to_an_asset_and_each_asset_is_threatened() -> None:
    assets = set(re.findall(r"^\| \*\*(\w+)\*\* \|", PAGE, re.M))
    threatened = {row["asset"].strip() for row in THREATS}
    assert threatened <= assets
    # The log of decisions is tested by reading it back, as the page says.
    assert assets - threatened == {"record"}
