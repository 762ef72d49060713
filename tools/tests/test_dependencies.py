"""The limits of the crates that a crate needs."""

import dependencies
import pytest

PRINTED = """\
a v1.0.0 (/here/a)
b v2.1.0
c-macros v0.3.0 (proc-macro)
b v2.1.0 (*)
b v1.9.0
"""


def test_each_version_of_a_crate_counts_once() -> None:
    assert dependencies.crates(PRINTED) == {"a v1.0.0", "b v2.1.0", "c-macros v0.3.0", "b v1.9.0"}


@pytest.mark.parametrize(("count", "says"), [(4, "1 more than its limit"), (2, "lower its limit")])
def test_a_limit_holds_and_falls(count: int, says: str) -> None:
    [found] = dependencies.excess("a", count, 3)
    assert says in found


def test_what_is_at_its_limit_passes() -> None:
    assert list(dependencies.excess("a", 3, 3)) == []
