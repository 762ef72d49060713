"""What comments of the native half claim."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = (ROOT / "docs" / "BENCHMARKS.md").read_text(encoding="utf-8")
BAR = re.compile(r'Bar: "(?P<row>[^"]+)" of docs/BENCHMARKS\.md, (?P<bar><= [\d.]+) ?(?P<unit>x|ns)')


def test_code_for_speed_names_a_bar_that_exists() -> None:
    table = [line for line in BENCHMARKS.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table]
    bars = {row[0]: row[2] for row in rows if len(row) == 5}
    named = 0
    for file in sorted((ROOT / "bindings-python" / "src").glob("*.rs")):
        text = file.read_text(encoding="utf-8")
        assert text.count("Bar: ") == len(BAR.findall(text)), f"{file.name}: a bar is named in another form"
        for row, bar, unit in BAR.findall(text):
            assert bars.get(row, "").replace(" ", "") == f"{bar}{unit}".replace(" ", ""), f"{file.name}: {row}"
            named += 1
    assert named > 0
