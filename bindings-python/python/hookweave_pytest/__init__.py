"""The pytest plugin: fixtures for testing hooks.

It is a package of its own so that a test run that has nothing to do with hooks does not load hookweave.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from hookweave import Session
    from hookweave.testing import ScriptedApprover, WatchedClient

__all__ = ["current_test", "hook_approver", "hook_client", "hook_session"]

MARKER = """\
hookweave(load=[], approvals=[], may_fail=False, session={}, **options): how the fixtures of hookweave are made: files \
of hooks to load, what the approver answers, hooks that may fail (True for all of them), options of the session and of \
the client"""

OWN = ("load", "approvals", "may_fail", "session")
"""The settings of the marker that are no options of the client."""


class CurrentTest:
    """What of the test run concerns snapshots."""

    item: pytest.Item | None = None
    """The test that runs."""
    updates: bool = False
    """Whether snapshots are written instead of compared."""

    @property
    def file(self) -> Path | None:
        """The file of the test that runs."""
        return None if self.item is None else self.item.path

    @property
    def folder(self) -> Path | None:
        """The test's own folder for temporary files, if it has asked for one."""
        given = getattr(self.item, "funcargs", {}).get("tmp_path")
        return given if isinstance(given, Path) else None


current_test = CurrentTest()

_clients = pytest.StashKey["WatchedClient"]()
_approvers = pytest.StashKey["ScriptedApprover"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that writes snapshots."""
    parser.getgroup("hookweave").addoption(
        "--hookweave-update", action="store_true", help="write snapshots of hooks' traces instead of comparing them"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known."""
    config.addinivalue_line("markers", MARKER)
    current_test.updates = bool(config.getoption("--hookweave-update"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Notes which test runs."""
    current_test.item = item
    try:
        return (yield)
    finally:
        current_test.item = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fails a test that has passed although a hook failed, or a question went otherwise than scripted."""
    __tracebackhide__ = True
    result = yield
    client = item.stash.get(_clients, None)
    if client is not None:
        client.assert_no_failures(may_fail=_settings(item).get("may_fail", False))
    approver = item.stash.get(_approvers, None)
    if approver is not None:
        approver.assert_done()
    return result


def _settings(item: pytest.Item) -> dict[str, Any]:
    """What markers say, the nearest one last."""
    from hookweave import HookClient

    settings: dict[str, Any] = {}
    for marker in reversed(list(item.iter_markers("hookweave"))):
        if marker.args:
            raise pytest.UsageError(f"{item.nodeid}: the marker `hookweave` takes its settings by name")
        settings |= marker.kwargs
    _, *of_clients = inspect.signature(HookClient.__init__).parameters
    for name in settings.keys() - {*OWN, *of_clients}:
        near = difflib.get_close_matches(name, [*OWN, *of_clients], 1)
        hint = f" (did you mean `{near[0]}`?)" if near else ""
        raise pytest.UsageError(f"{item.nodeid}: the marker `hookweave` has no setting `{name}`{hint}")
    return settings


@pytest.fixture
def hook_client(request: pytest.FixtureRequest) -> Iterator[WatchedClient]:
    """A client of the test's own, closed at its end; a hook that fails unexpectedly fails the test.

    ``@pytest.mark.hookweave(profile="a3s", load=[".claude/settings.json"])`` sets its options and loads files, whose
    paths are relative to pytest's root directory.
    """
    from hookweave.testing import WatchedClient

    item: pytest.Item = request.node
    options = {name: value for name, value in _settings(item).items() if name == "load" or name not in OWN}
    files = options.pop("load", ())
    options.setdefault("project_dir", request.config.rootpath)
    with WatchedClient(**options) as client:
        for file in [files] if isinstance(files, (str, Path)) else files:
            client.load(request.config.rootpath / file, strict=True)
        item.stash[_clients] = client
        yield client


@pytest.fixture
def hook_approver(request: pytest.FixtureRequest) -> ScriptedApprover:
    """Who answers the questions of ``hook_session``: what ``@pytest.mark.hookweave(approvals=[…])`` lists, in order."""
    from hookweave.testing import ScriptedApprover

    item: pytest.Item = request.node
    approver = ScriptedApprover(*_settings(item).get("approvals", ()))
    item.stash[_approvers] = approver
    return approver


@pytest.fixture
def hook_session(
    request: pytest.FixtureRequest, hook_client: WatchedClient, hook_approver: ScriptedApprover
) -> Session:
    """A session of ``hook_client`` whose questions ``hook_approver`` answers; start and end it with ``async with``."""
    options = {"cwd": request.config.rootpath, **_settings(request.node).get("session", {})}
    return hook_client.session(approval=hook_approver, **options)
