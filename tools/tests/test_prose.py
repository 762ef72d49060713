"""The prose linter: each rule of this project finds its sample, and passes the correction of it."""

import re
from pathlib import Path

import pytest

pytest.importorskip("proselint", reason="there is no prebuilt proselint for here")

import prose

# For each phrase that the documents do not use: sentences that have it, and how to write them.
SAMPLES = {
    "(?:who|what|which|whom)ever": (
        ["Whatever is edited is found.", "Whoever owns the file may read it."],
        "Any edit is detected.",
    ),
    "(?:nobody|somebody|anybody|everybody|no one)": (
        ["Nobody approved the hook.", "A hook that no one approved is refused."],
        "The user has not approved the hook.",
    ),
    "(?:said|told|heard|hears)": (
        ["The model is told why.", "The log hears of each failure."],
        "The model receives the reason.",
    ),
    "unless (?:said|told|given|asked)": (["The timeout is 5 s unless given."], "The timeout is 5 s by default."),
    "(?:when|where|if) not (?:said|told|given)": (["It is 5 s when not given."], "It defaults to 5 s."),
    "(?:loud|loudly|quiet|quietly)": (["The hook fails loudly.", "The dispatch is quiet."], "The failure is logged."),
    "(?:slip|slips)": (["No path slips past a guard."], "No path bypasses a guard."),
    "(?:mend|mends|mended)": (["The message has a mend."], "The message has a fix."),
    "and (?:its|their) kin": (["It hides `PATH` and its kin."], "It hides `PATH` and `LD_PRELOAD`."),
    "at home": (["The field is ignored, as at home."], "The field is ignored, as in Claude Code."),
    "(?:will|may) surprise": (["Lint reports what will surprise."], "Lint reports likely mistakes."),
    "(?:goes|go|going|went) on": (["The action goes on."], "The action continues."),
    "(?:hand|hands|handed|handing) (?:on|over)": (["The value is handed over."], "The value is passed on."),
    "(?:stands|stood) (?:in|at|on|beside|behind|there|right|left)": (["It stands in the file."], "It is in the file."),
    "anew": (["The file is read anew."], "The file is read again."),
    "(?:comes|came|come) of (?:it|this|that)": (["The log has what came of it."], "The log has the result."),
    "(?:black|blacked|blacks) out": (["Secrets are blacked out."], "Secrets are redacted."),
    "(?:made|make|makes) no sense": (["The entry makes no sense."], "The entry is invalid."),
    "(?:pass|passes|passed|passing) over": (["Disabled hooks are passed over."], "Disabled hooks are skipped."),
    "(?:cannot|can) be told": (["The file cannot be told."], "The file cannot be determined."),
    "with(?:in|out) (?:a|any) words?": (["A process ends without a word."], "A process exits silently."),
    "in (?:its|their|other) (?:own )?words": (
        ["The agent answers in its own words."],
        "The agent answers in its format.",
    ),
}


def checks(page: str) -> list[str]:
    """The checks that a page does not pass."""
    return [finding.split(": ")[1] for finding in prose.findings("page.md", page)]


def test_every_phrase_has_a_sample() -> None:
    assert set(SAMPLES) == set(prose.BANNED)


@pytest.mark.parametrize("phrase", SAMPLES)
def test_a_phrase_is_found_and_its_correction_is_not(phrase: str) -> None:
    samples, correction = SAMPLES[phrase]
    for sample in samples:
        found = prose.findings("page.md", f"# Title\n\n{sample}\n")
        assert [line for line in found if line.endswith(f"write {prose.BANNED[phrase]}.")], sample
        assert re.match(r"page\.md:3:\d+: hookweave\.words: ", found[0])
    assert checks(f"# Title\n\n{correction}\n") == []


def test_a_phrase_is_found_over_the_end_of_a_line_and_not_of_a_paragraph() -> None:
    assert checks("The action goes\non.\n") == ["hookweave.words"]
    assert checks("This is how it goes\n\nOn a gate it stops.\n") == []


def test_a_sentence_has_at_most_forty_words() -> None:
    longest = "It runs " + ", ".join(["the hook"] * 19) + "."
    assert checks(longest) == []
    assert checks(longest.removesuffix(".") + " again.") == ["hookweave.sentence"]
    assert checks(f"It is short. {longest} It is short.") == []


@pytest.mark.parametrize("mark", ["\n\n", "\n* ", "\n- ", "\n1. ", "\n## ", " | "])
def test_a_sentence_ends_with_its_paragraph_item_heading_or_cell(mark: str) -> None:
    half = "It runs " + ", ".join(["the hook"] * 12)
    assert checks(f"{half} and {half}.") == ["hookweave.sentence"]
    assert checks(f"{half}{mark}{half}.") == []


@pytest.mark.parametrize(
    "page",
    [
        "```text\nNobody was told.\n```\n",
        "* An item:\n\n  ```sh\n  echo 'whatever goes on' # nobody\n  ```\n",
        "The key `whatever` is a name.\n",
        "A span ``with a ` and nobody`` in it.\n",
        "<!-- nobody -->\nIt runs.\n",
        "See [the page](nobody.md#whatever).\n",
        "It <b title='nobody'>runs</b>.\n",
    ],
)
def test_code_comments_tags_and_addresses_are_not_read(page: str) -> None:
    assert checks(page) == []


def test_what_follows_code_is_read() -> None:
    assert checks("```text\nfine\n```\n\nNobody runs it.\n") == ["hookweave.words"]
    assert checks("The `code` is for somebody.\n") == ["hookweave.words"]
    assert checks("See [somebody](page.md).\n") == ["hookweave.words"]


def test_the_places_of_findings_are_those_of_the_page() -> None:
    page = "# Title\n\n```text\nnobody\n```\n\nThe `name` is anew here, and anew there.\n"
    places = [finding.split(": ")[0] for finding in prose.findings("page.md", page)]
    assert places == ["page.md:7:15", "page.md:7:30"]


def test_the_checks_of_proselint_are_on() -> None:
    assert checks("It is a very unique hook.\n") != []


def test_the_pages_are_those_that_people_write() -> None:
    names = {str(page.relative_to(prose.ROOT)) for page in prose.pages()}
    assert {"README.md", "docs/reference.md", "examples/cost-cap/README.md", "tests/vectors/README.md"} <= names
    assert names & prose.GENERATED == set()
    assert {name for name in prose.GENERATED if not (prose.ROOT / name).exists()} == set()


def test_no_sentence_is_on_two_pages() -> None:
    # The law repeats what guides explain.
    folders = {prose.ROOT, prose.ROOT / "docs"}
    pages = [page for page in prose.pages() if page.parent in folders and page.name != "SEMANTICS.md"]
    places: dict[str, list[str]] = {}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for start, sentence in prose.sentences(prose.prose_of(text)):
            # Without fenced blocks, which are blank in the prose; with the code in the sentence.
            if len(prose.WORD.findall(sentence)) > 7:
                words = " ".join(text[start : start + len(sentence)].split())
                places.setdefault(words, []).append(page.name)
    assert len(places) > 500
    assert {words: names for words, names in places.items() if len(names) > 1} == {}


def test_a_finding_fails_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("Nobody runs it.\n", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["prose.py", str(page)])
    assert prose.main() == 1
    assert f"{page}:1:1: hookweave.words: " in capsys.readouterr().out
    page.write_text("No person runs it.\n", encoding="utf-8")
    assert prose.main() == 0
    assert capsys.readouterr().out == ""
