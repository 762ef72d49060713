"""Classes that are derived from the client with an ``__init__`` of their own.

The client reads its settings in ``__new__``, where Python gives it what such an ``__init__`` takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from ._registration import parameters, refuse_others, wrapping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

F = TypeVar("F", bound="Callable[..., Any]")
PLACE = "HookClient"


def read_when_made(init: F) -> F:
    """Makes an ``__init__`` that refuses what comes too late to be a setting: what ``__new__`` was not given."""
    known = parameters(init)

    def checked(self: Any, *given: Any, **options: Any) -> None:
        kind = type(self)
        if _is_of_client(kind.__init__) or not _is_of_client(kind.__new__):
            return
        init(self, *given)
        refuse_others(kind.__name__, options, known, {})
        late = [name for name, value in options.items() if self._settings.get(name, self) is not value]
        if late:
            from .errors import InvalidOptionError

            raise InvalidOptionError(
                f"{kind.__name__}: `{late[0]}` comes too late: a client reads its settings when it is made; write "
                f"{kind.__name__}({late[0]}=…), and have __init__ pass on what it is given"
            )

    checked.__dict__["of_client"] = True
    return wrapping(checked, init)


def takes_settings_of(init: Callable[..., Any], stands_for: Mapping[str, str]) -> Callable[[F], F]:
    """Makes a ``__new__`` that takes the settings of an ``__init__``; a derived class may have more parameters.

    ``stands_for`` are names of the other languages and of other systems.
    """
    init = init.__dict__["__wrapped__"]
    known = parameters(init)

    def decorate(new: F) -> F:
        def made(cls: Any, *given: Any, **options: Any) -> Any:
            if _is_of_client(cls.__init__):
                if given:
                    raise TypeError(f"{PLACE} takes its settings by name, such as {PLACE}(mode=…)")
                refuse_others(PLACE, options, known, stands_for)
                return new(cls, **options)
            settings = {name: value for name, value in options.items() if name in known}
            client = new(cls, **settings)
            client._settings = settings
            return client

        wrapping(made, new).__dict__.update(of_client=True, __wrapped__=init)
        return cast("F", made)

    return decorate


def _is_of_client(method: object) -> bool:
    return getattr(method, "of_client", False) is True
