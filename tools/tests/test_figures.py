"""Figures in the documents say what was measured."""

from pathlib import Path

import peers
import pytest
from bars import BARS, CEILINGS, Ceiling, cost, faster
from coverage import percent
from coverage import section as covered
from mutate import section as mutated
from peers import NATIVE_PEERS, Peer, left_out
from programs import commands
from run import ceiling_rows, duration, measured, paired_ratio, percentile, verdict


def test_a_ratio_is_the_median_of_paired_ratios() -> None:
    bar = cost("a", ("p", "slow"), ("p", "fast"), 2.0, 1.5)
    samples = {("p", "slow"): [2.0, 40.0, 9.0], ("p", "fast"): [1.0, 10.0, 3.0]}
    assert paired_ratio(bar, samples) == 3.0


@pytest.mark.parametrize(("ratio", "expected"), [(1.5, "goal met"), (1.6, "bar met"), (2.1, "MISSED")])
def test_a_cost_is_held_from_above(ratio: float, expected: str) -> None:
    assert verdict(cost("a", ("p", "x"), ("p", "y"), 2.0, 1.5), ratio) == expected


@pytest.mark.parametrize(("ratio", "expected"), [(500, "goal met"), (300, "bar met"), (299, "MISSED")])
def test_a_lead_is_held_from_below(ratio: float, expected: str) -> None:
    assert verdict(faster("a", ("p", "x"), ("p", "y"), 300, 500), ratio) == expected


def test_every_bar_belongs_to_a_program_that_runs() -> None:
    used = [series for bar in BARS for series in (bar.of, bar.to)] + [ceiling.of for ceiling in CEILINGS]
    assert {series[0] for series in used} <= set(commands())


def test_a_bar_is_left_out_with_a_program_that_did_not_run() -> None:
    ran, missing = cost("a", ("p", "x"), ("p", "y"), 2, 1), faster("b", ("peer", "x"), ("p", "y"), 2, 3)
    assert measured([ran, missing], {("p", "x"): [1.0], ("p", "y"): [1.0]}) == [ran]


def test_every_peer_of_its_own_has_a_program() -> None:
    assert {peer.program for peer in NATIVE_PEERS} <= set(commands())


def test_a_peer_that_is_not_installed_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lib" / "python3.11" / "site-packages" / "a_peer-1.0.dist-info").mkdir(parents=True)
    monkeypatch.setattr(peers, "VENV", tmp_path)
    there, older, gone = Peer("a-peer", "1.0", "p"), Peer("a-peer", "2.0", "p"), Peer("b", "1.0", "p")
    monkeypatch.setattr(peers, "NATIVE_PEERS", [there, older, gone])
    assert left_out() == [older, gone]


@pytest.mark.parametrize(
    ("times", "expected"), [([9.0, 1.0, 5.0], "goal met"), ([9.0, 6.0], "bar met"), ([11.0], "MISSED")]
)
def test_a_ceiling_is_held_by_the_median(times: list[float], expected: str) -> None:
    [_, row] = ceiling_rows([Ceiling("a", ("p", "x"), 10.0, 5.0)], {("p", "x"): times})
    assert row[-1] == expected


def test_percentiles_and_units() -> None:
    assert percentile([float(value) for value in range(10)], 0.9) == 9.0
    assert [duration(12.4), duration(1234.0), duration(2.5e6)] == ["12 ns", "1.23 µs", "2.50 ms"]


def test_the_mutants_section_counts_hangs_as_noticed() -> None:
    text = mutated(
        {"caught": 90, "timeout": 5, "missed": 5, "unviable": 7}, ["core/machine/src/dispatch.rs:1: replace x"]
    )
    assert "**95.0 %** of 100" in text
    assert "core/machine/src/dispatch.rs:1" in text


def test_the_coverage_section_adds_files_up() -> None:
    text = covered([("a.rs", 1, 4), ("b.rs", 4, 4)])
    assert "**62.5 %** of the core's 8 lines" in text
    assert "| `a.rs` | 4 | 25.0 % |" in text
    assert "b.rs" not in text
    assert percent(0, 0) == 100.0
