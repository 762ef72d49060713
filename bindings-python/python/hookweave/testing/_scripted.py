"""Models, people and tools that do what a test says, and keep what they were asked."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..approval import Approval, ApprovalRequest
from ..models import ModelRequest, ModelResponse, ToolCall

__all__ = ["RecordingTool", "ScriptedApprover", "ScriptedModel", "tool_call"]

ModelAnswer: TypeAlias = str | ToolCall | list[ToolCall] | ModelResponse | Mapping[str, Any] | BaseException
ScriptedAnswer: TypeAlias = str | bool | Approval | Callable[[ApprovalRequest], str | Approval]


def tool_call(name: str, args: Mapping[str, Any] | None = None, /, **more: Any) -> ToolCall:
    """A tool call for a scripted model: ``tool_call("Bash", command="ls")``."""
    return ToolCall(name, {**(args or {}), **more})


class ScriptedModel:
    """A model that answers what a test lists.

    Texts, tool calls, whole responses, exceptions to raise, and functions of the request that give one of these.
    """

    def __init__(self, *answers: ModelAnswer | Callable[[ModelRequest], Any]) -> None:
        self.requests: list[ModelRequest] = []
        """What it was asked, in order."""
        self._answers = answers

    @property
    def unused(self) -> int:
        """How many answers are not used yet."""
        return max(0, len(self._answers) - len(self.requests))

    def __call__(self, request: ModelRequest) -> Any:
        """Gives the next answer."""
        self.requests.append(request)
        asked, scripted = len(self.requests), len(self._answers)
        if asked > scripted:
            raise AssertionError(
                f"the model is called for time {asked}, but its script has {_counted(scripted, 'answer')}"
            )
        answer = self._answers[asked - 1]
        if callable(answer) and not isinstance(answer, type):
            answer = answer(request)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, ToolCall):
            answer = [answer]
        return ModelResponse(tool_calls=answer) if isinstance(answer, list) else answer


class ScriptedApprover:
    """A person who answers what a test lists.

    Options, alone or in an ``Approval``, True for the first one that allows, False for "Deny", and functions of the
    question.
    """

    def __init__(self, *answers: ScriptedAnswer) -> None:
        self.requests: list[ApprovalRequest] = []
        """What it was asked, in order."""
        self._answers = list(answers)

    def answer(self, *answers: ScriptedAnswer) -> None:
        """Adds answers to the script."""
        self._answers += answers

    def __call__(self, request: ApprovalRequest) -> str | Approval:
        """Gives the next answer; a question beyond the script is denied, and :meth:`assert_done` says so."""
        self.requests.append(request)
        asked = len(self.requests)
        if asked > len(self._answers):
            raise AssertionError(f"question {asked} is not in the script of the approver: {request.prompt}")
        answer = self._answers[asked - 1]
        if answer is True:
            return request.granting[0]
        if answer is False:
            return "Deny"
        given = answer(request) if callable(answer) else answer
        chosen = given.option if isinstance(given, Approval) else given
        if chosen not in request.options:
            self._answers[asked - 1] = _NoOption(chosen, request)
        return given

    def assert_done(self) -> None:
        """Every answer was asked for, every question was in the script, and every answer was one of the options."""
        __tracebackhide__ = True
        for answer in self._answers:
            if isinstance(answer, _NoOption):
                raise AssertionError(str(answer))
        asked, scripted = len(self.requests), len(self._answers)
        if asked != scripted:
            prompts = "".join(f"\n  {place}. {request.prompt}" for place, request in enumerate(self.requests, 1))
            came = f"{_counted(asked, 'question')} came{':' if asked else ''}{prompts}"
            raise AssertionError(f"the script of the approver has {_counted(scripted, 'answer')}, and {came}")


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


class _NoOption:
    """An answer that was none of the options, in place of it."""

    def __init__(self, chosen: str, request: ApprovalRequest) -> None:
        self._what = f"the approver's script answers {chosen!r} to `{request.prompt}`"
        self._options = ", ".join(request.options)

    def __call__(self, request: ApprovalRequest) -> str:
        return "Deny"

    def __str__(self) -> str:
        return f"{self._what}, whose options are {self._options}"


class RecordingTool:
    """A tool that keeps its calls; it gives ``output``, what a function makes of the arguments, or an exception."""

    def __init__(self, output: Callable[[dict[str, Any]], Any] | object = None) -> None:
        self.calls: list[dict[str, Any]] = []
        """The arguments of each call, in order."""
        self._output = output

    async def __call__(self, args: dict[str, Any]) -> Any:
        """Keeps the call."""
        self.calls.append(args)
        if isinstance(self._output, BaseException):
            raise self._output
        output = self._output(args) if callable(self._output) else self._output
        return await output if inspect.isawaitable(output) else output
