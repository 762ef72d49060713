"""A call of the model in two halves: what it is given, and what is made of its answer."""

from __future__ import annotations

from collections.abc import Coroutine
from time import perf_counter
from typing import Any, Protocol, TypeVar

from ._session_driver import DrivenSession, Driver, Effect, run_now
from .errors import PayloadError
from .models import Answer, ModelRequest
from .session_results import ModelOutcome

__all__ = ["AskingSession", "OpenModelCall"]

T = TypeVar("T")


class AskingSession(DrivenSession, Protocol):
    """The session of a call."""

    def _guard(self, running: Coroutine[Any, Any, T]) -> Coroutine[Any, Any, T]: ...


class OpenModelCall:
    """A call of the model that the caller makes, for frameworks that call it themselves.

    :meth:`Session.begin_model` makes it, once hooks and, if need be, a person have let it pass::

        call = await session.begin_model("What is 2 + 3?")
        while call.runs:
            try:
                response = await ask(call.request.prompt)
            except Exception as error:
                await call.failed(error)
            else:
                await call.answered(response)
        print(call.outcome.text or call.outcome.reason)

    It is a loop because a hook may have a failed call repeated.
    """

    __slots__ = ("__weakref__", "_began", "_driver", "_outcome", "_request", "_session", "runs")

    runs: bool
    """Whether the model is to be called now, perhaps again."""

    def __init__(self, session: AskingSession, driver: Driver) -> None:
        self._session = session
        self._driver = driver
        self._request: ModelRequest | None = None
        self._outcome: ModelOutcome | None = None
        self._began = 0.0
        self.runs = False

    @property
    def request(self) -> ModelRequest:
        """What to give to the model, as hooks left it."""
        if self._request is None:
            raise PayloadError("the call of the model was refused and has no request; look at `runs` first")
        return self._request

    @property
    def outcome(self) -> ModelOutcome:
        """What came of the call, once it is over."""
        if self._outcome is None:
            state = "is still to be made: call `answered` or `failed` first" if self.runs else "has failed"
            raise PayloadError(f"the call of the model has no outcome: it {state}")
        return self._outcome

    async def answered(self, response: Answer) -> None:
        """The model has answered this, as a :data:`Model` does; hooks look at it, and may change it."""
        await self._came("answered", response, None)

    async def failed(self, error: BaseException) -> None:
        """The call has raised this; hooks may have it repeated, and then :attr:`runs` is true once more."""
        await self._came("failed", None, error)

    def answered_sync(self, response: Answer) -> None:
        """:meth:`answered` for a call of :meth:`Session.begin_model_sync`."""
        run_now(self._came("answered_sync", response, None), "answered_sync")

    def failed_sync(self, error: BaseException) -> None:
        """:meth:`failed` for a call of :meth:`Session.begin_model_sync`."""
        run_now(self._came("failed_sync", None, error), "failed_sync")

    async def _came(self, method: str, response: Answer | None, error: BaseException | None) -> None:
        if not self.runs:
            raise PayloadError(f"{method}: the model is not to be called; look at `runs` first")
        self.runs = False
        await self._go(self._driver.answered(response, error, (perf_counter() - self._began) * 1000))

    async def _go(self, half: Coroutine[Any, Any, Effect]) -> None:
        """Runs the flow to where the model is called or to its end."""
        effect = await (half if self._driver.is_sync else self._session._guard(half))
        if effect["do"] == "call_model":
            self._request, self.runs = self._driver.request(effect), True
            self._began = perf_counter()
        else:
            self._outcome = self._driver.model_outcome(effect["result"])
