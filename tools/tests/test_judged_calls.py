"""The judged calls of policies/corpus are well-formed, each there once, and as many as their page states."""

import json

import judged_calls
import pytest

FILES = judged_calls.read()
RECORDS = [json.loads(line) for lines in FILES.values() for line in lines]


def line(**changes: object) -> str:
    record = {"call": {"tool": "Bash", "command": "ls"}, "verdict": "pass", "why": "reads", "area": "git"}
    return json.dumps(record | changes)


def test_the_corpus_has_no_faults() -> None:
    assert judged_calls.faults(FILES) == []


def test_the_page_states_the_counts() -> None:
    page = (judged_calls.FOLDER / "README.md").read_text(encoding="utf-8")
    assert judged_calls.table(FILES) in page, f"state in its README.md:\n{judged_calls.table(FILES)}"


def test_enough_calls_of_each_kind() -> None:
    passing = [record for record in RECORDS if record["verdict"] == "pass"]
    everyday = [record for record in passing if record.get("everyday")]
    assert len(everyday) >= 1000
    assert len(RECORDS) - len(everyday) >= 2000
    assert len(passing) >= 0.4 * len(RECORDS)


def test_each_area_has_calls_of_both_verdicts() -> None:
    for area, lines in FILES.items():
        verdicts = {json.loads(text)["verdict"] for text in lines}
        assert verdicts == ({"pass"} if area == "everyday" else {"stop", "pass"}), area


def test_about_a_third_is_unseen() -> None:
    share = sum(judged_calls.unseen(record["call"]) for record in RECORDS) / len(RECORDS)
    assert 0.28 < share < 0.35


def test_the_split_depends_on_the_call_alone() -> None:
    assert judged_calls.canonical({"tool": "Bash", "command": "é\\"}) == '{"command":"é\\\\","tool":"Bash"}'
    # The digests begin with 4, the last digit of unseen calls, and with 5.
    assert judged_calls.unseen({"tool": "Bash", "command": "make"})
    assert not judged_calls.unseen({"command": "date", "tool": "Bash"})


def test_what_is_printed_for_writers_of_rules_is_seen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["judged_calls.py", "git"])
    assert judged_calls.main() == 0
    printed = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert printed
    assert not any(judged_calls.unseen(record["call"]) for record in printed)
    assert {record["area"] for record in printed} == {"git"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "no JSON"),
        ("[]", "no object with a call"),
        (line(call="ls"), "no object with a call"),
        (line(note="x"), "keys"),
        (line(call={"tool": "Shell", "command": "ls"}), "tool 'Shell'"),
        (line(call={"tool": "Bash", "path": "a"}), "arguments ['path'] of Bash"),
        (line(call={"tool": "Read", "path": "a", "pattern": "b"}), "arguments ['path', 'pattern'] of Read"),
        (line(call={"tool": "Bash", "command": " "}), "empty"),
        (line(call={"tool": "Bash", "command": 1}), "no text"),
        (line(verdict="ask"), "verdict 'ask'"),
        (line(why=" "), "no why"),
        (line(area="cloud"), "area 'cloud'"),
        (line(everyday=False), "everyday"),
        (line(everyday=True, verdict="stop"), "everyday"),
    ],
)
def test_a_malformed_line_is_found(text: str, fault: str) -> None:
    found = judged_calls.faults({"git": [text]})
    assert len(found) == 1
    assert found[0].startswith("git.jsonl:1: ")
    assert fault in found[0]


def test_a_call_that_is_there_twice_is_found() -> None:
    again = line(call={"command": "ls\n", "tool": "Bash"}, area="cloud", why="another reason")
    (found,) = judged_calls.faults({"git": [line()], "cloud": [again]})
    assert found.startswith("cloud.jsonl:1: the call of git.jsonl:1: ")


def test_a_contradiction_is_found() -> None:
    (found,) = judged_calls.faults({"git": [line(), line(verdict="stop")]})
    assert found.startswith("git.jsonl:2: contradicts (pass) git.jsonl:1: ")


def test_two_calls_of_different_tools_do_not_contradict() -> None:
    read = line(call={"tool": "Read", "path": "a"})
    write = line(call={"tool": "Write", "path": "a"}, verdict="stop")
    assert judged_calls.faults({"git": [read, write]}) == []
