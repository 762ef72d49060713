"""A tool call in two halves: what is judged before the tool runs, and what is made of its result."""

from __future__ import annotations

from collections.abc import Coroutine
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from ._session_driver import DrivenSession, Driver, Effect, run_now, why
from .errors import PayloadError
from .session_results import ToolOutcome
from .tools import ToolResult

if TYPE_CHECKING:
    from ._spans import ToolSpan

__all__ = ["CallingSession", "OpenToolCall"]

T = TypeVar("T")


class CallingSession(DrivenSession, Protocol):
    """The session of a call."""

    _calls: set[OpenToolCall]

    def _guard(self, running: Coroutine[Any, Any, T]) -> Coroutine[Any, Any, T]: ...


class OpenToolCall:
    """A tool call whose tool the caller runs, for frameworks that say when a tool begins and when it has ended.

    :meth:`Session.begin_tool` makes it, once hooks and, if need be, a person have judged the call::

        call = await session.begin_tool("Bash", {"command": "ls"})
        while call.runs:
            try:
                output = run(call.args)
            except Exception as error:
                await call.failed(error)
            else:
                await call.succeeded(output)
        print(call.outcome.output or call.outcome.reason)

    It is a loop because a hook may have a failed tool run again. A call that is still to run when its agent stops or
    its session ends is dropped.
    """

    __slots__ = (
        "__weakref__",
        "_began",
        "_driver",
        "_given",
        "_outcome",
        "_output",
        "_session",
        "_span",
        "args",
        "env",
        "runs",
        "tool",
        "tool_use_id",
    )

    tool: str
    """The tool's name."""
    tool_use_id: str
    runs: bool
    """Whether the tool is to run now, perhaps again."""
    args: dict[str, Any]
    """The arguments as hooks left them: a copy that is the caller's own."""
    env: dict[str, str]
    """Variables that hooks left for tools and commands."""

    def __init__(self, session: CallingSession, driver: Driver, args: dict[str, Any], span: ToolSpan | None) -> None:
        self._session = session
        self._driver = driver
        self._span = span
        self._given = args
        self._output: Any = None
        self._outcome: ToolOutcome | None = None
        self._began = 0.0
        self.runs = False

    async def succeeded(self, output: Any) -> None:
        """The tool has run and gave this, or a :class:`ToolResult`; hooks look at it, and may change it."""
        await self._go(self._gave("succeeded", output))

    async def failed(self, error: BaseException) -> None:
        """The tool has run and raised this; hooks may have it run again, and then :attr:`runs` is true once more."""
        await self._go(self._raised("failed", error))

    def succeeded_sync(self, output: Any) -> None:
        """:meth:`succeeded` for a call of :meth:`Session.begin_tool_sync`."""
        run_now(self._go(self._gave("succeeded_sync", output)), "succeeded_sync")

    def failed_sync(self, error: BaseException) -> None:
        """:meth:`failed` for a call of :meth:`Session.begin_tool_sync`."""
        run_now(self._go(self._raised("failed_sync", error)), "failed_sync")

    def drop(self) -> None:
        """The tool does not run after all, as the framework's control flow has it: the call counts as not begun.

        No event is raised, and hooks that run once may run again. A call that is over stays as it is.
        """
        if not self.runs:
            return
        self._forget()
        self._driver.drop()
        if self._span is not None:
            self._span.left()

    @property
    def outcome(self) -> ToolOutcome:
        """What came of the call, once it is over."""
        if self._outcome is None:
            state = "is still to run: call `succeeded` or `failed` first" if self.runs else "was dropped or has failed"
            raise PayloadError(f"{self.tool} (call {self.tool_use_id}) has no outcome: it {state}")
        return self._outcome

    def changed(self, what: Literal["args", "output"]) -> bool:
        """Whether the arguments, or the output of a tool that has run, differ from what the caller gave."""
        if what == "args":
            return self.args != self._given
        return self.outcome.ran and self.outcome.output != self._output

    def _gave(self, method: str, output: Any) -> Coroutine[Any, Any, Effect]:
        self._check(method)
        self._output = output.output if isinstance(output, ToolResult) else output
        return self._driver.ran(output, None, self._took())

    def _raised(self, method: str, error: BaseException) -> Coroutine[Any, Any, Effect]:
        self._check(method)
        self._output = why(error)
        if self._span is not None:
            self._span.failed(error)
        return self._driver.ran(None, error, self._took())

    def _check(self, method: str) -> None:
        if not self.runs:
            raise PayloadError(f"{method}: {self.tool} (call {self.tool_use_id}) is not to run; look at `runs` first")
        self._forget()

    def _forget(self) -> None:
        self.runs = False
        self._session._calls.discard(self)

    def _took(self) -> float:
        return (perf_counter() - self._began) * 1000

    async def _go(self, half: Coroutine[Any, Any, Effect]) -> None:
        """Runs the flow to where the tool runs or to its end."""
        span = self._span
        if not self._driver.is_sync:
            half = self._session._guard(half)
        if span is None:
            self._goes_on(await half)
            return
        try:
            with span.judging():
                self._goes_on(await half)
        except BaseException as error:
            span.broken(error)
            raise
        if self._outcome is not None:
            span.ended(self._outcome)
        else:
            span.began()

    def _goes_on(self, effect: Effect) -> None:
        if effect["do"] == "run_tool":
            self.tool, self.tool_use_id = effect["tool"], effect["tool_use_id"]
            self.args, self.env, self.runs = effect["args"], effect["env"], True
            self._session._calls.add(self)
            self._began = perf_counter()
            return
        outcome = self._driver.tool_outcome(effect["result"])
        self.tool, self.tool_use_id, self.args = outcome.tool, outcome.tool_use_id, outcome.args
        self.env = {}
        self._outcome = outcome
