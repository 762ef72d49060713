"""The page of published attacks is what their files say, each names threats that exist, and each is tried."""

import re

import attacks

THREATS = (attacks.ROOT / "docs" / "threat-model.md").read_text("utf-8")


def test_the_page_is_written_from_the_files() -> None:
    assert attacks.PAGE.read_text("utf-8") == attacks.page()


def test_each_attack_names_threats_that_exist() -> None:
    known = set(re.findall(r"^\| ([A-Z]\d+) \|", THREATS, re.M))
    named = {name: set(attack["advisory"]["threats"]) for name, attack in attacks.read().items()}
    assert {name: threats - known for name, threats in named.items() if threats - known} == {}


def test_each_attack_is_tried() -> None:
    """One without cases would be a claim, and a console without its file one of which the page says nothing."""
    files = attacks.read()
    consoles = {path.stem for path in attacks.FOLDER.glob("*.console")}
    assert [name for name, attack in files.items() if not attack["cases"] and name not in consoles] == []
    assert consoles <= files.keys()
    assert [name for name, attack in files.items() if "advisory" not in attack] == []


def test_a_heading_of_the_threat_model_is_where_its_threats_are() -> None:
    headings = {heading.lower().replace(" ", "-") for heading in re.findall(r"^### (.*)$", THREATS, re.M)}
    assert set(attacks.PARTIES.values()) == headings
