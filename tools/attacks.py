"""Writes the list of docs/attacks.md from the files of published attacks. With `--check` it only compares."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "attacks.md"
FOLDER = ROOT / "tests" / "vectors" / "attacks" / "published"
LIST = re.compile(r"(?<=<!-- attacks:start -->\n).*?(?=<!-- attacks:end -->)", re.DOTALL)
# The headings of the threat model, by the letter of their ids.
PARTIES = {"M": "a-model", "P": "a-payload", "H": "a-hook", "C": "a-config-file", "R": "a-repository"}


def read() -> dict[str, dict[str, Any]]:
    """The files by their names, in order."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def source(text: str) -> str:
    """A source as a link, if it is an address."""
    issue = re.fullmatch(r"https://github\.com/(.+)/issues/(\d+)", text)
    if issue:
        return f"[{issue[1]}#{issue[2]}]({text})"
    return f"[{text.split('/')[2]}]({text})" if text.startswith("https://") else text


def section(name: str, attack: dict[str, Any]) -> str:
    """What the page says of one attack."""
    about = attack["advisory"]
    tests = [f"[vectors](../tests/vectors/attacks/published/{name}.json)"]
    if (FOLDER / f"{name}.console").exists():
        tests.append(f"[session](../tests/vectors/attacks/published/{name}.console)")
    if not attack["cases"]:
        tests.pop(0)
    threats = ", ".join(f"[{threat}](threat-model.md#{PARTIES[threat[0]]})" for threat in about["threats"])
    limits = f"\n\n**Not held.** {about['limits']}" if "limits" in about else ""
    sources = ", ".join(map(source, about["sources"]))
    return f"### {about['title']}\n\n{sources}; {threats}; {', '.join(tests)}\n\n{about['must']}{limits}\n\n"


def page() -> str:
    """The page as the files ask for it."""
    listed = "\n" + "".join(section(name, attack) for name, attack in read().items())
    return LIST.sub(lambda _: listed, PAGE.read_text("utf-8"))


def main() -> int:
    """Writes or compares the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only")
    if not parser.parse_args().check:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text("utf-8") == page():
        return 0
    print("docs/attacks.md is not what its files say; run `make generate`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
