"""The check of the picture of the crates."""

from __future__ import annotations

from crate_order import ROOT, built, differences, drawn

PAGE = """<!-- crates:start -->
```mermaid
graph TD
    host --> machine & files
    files --> machine
```
<!-- crates:end -->
"""


def metadata(*dependencies: tuple[str, str, str | None]) -> dict[str, object]:
    names = {name for a, b, _ in dependencies for name in (a, b)}
    return {
        "packages": [
            {
                "name": name,
                "manifest_path": str(ROOT / "core" / name / "Cargo.toml"),
                "dependencies": [{"name": b, "kind": kind} for a, b, kind in dependencies if a == name],
            }
            for name in sorted(names)
        ]
    }


HOST = ("hookweave-host", "hookweave-machine", None), ("hookweave-host", "hookweave-files", None)


def test_a_true_picture_is_fine() -> None:
    crates = metadata(*HOST, ("hookweave-files", "hookweave-machine", None))
    assert differences(drawn(PAGE), built(crates)) == []


def test_a_dependency_against_the_picture_is_named() -> None:
    crates = metadata(
        *HOST, ("hookweave-files", "hookweave-machine", None), ("hookweave-machine", "hookweave-files", None)
    )
    assert differences(drawn(PAGE), built(crates)) == ["machine depends on files, and no arrow shows it"]


def test_an_arrow_of_the_past_is_named() -> None:
    assert differences(drawn(PAGE), built(metadata(*HOST))) == [
        "an arrow leads from files to machine, and there is no dependency"
    ]


def test_dependencies_of_tests_are_not_drawn() -> None:
    crates = metadata(
        *HOST, ("hookweave-files", "hookweave-machine", None), ("hookweave-machine", "hookweave-host", "dev")
    )
    assert differences(drawn(PAGE), built(crates)) == []
