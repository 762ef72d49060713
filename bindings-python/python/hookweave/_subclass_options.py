"""The options of a client whose class has an ``__init__`` of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

F = TypeVar("F", bound="Callable[..., Any]")


def options_of_call(new: F) -> F:
    """Lets ``__new__`` read the options of a call that also has arguments of a subclass's own ``__init__``.

    Python passes the same arguments to both, and the client is made in ``__new__``, because it is native.
    """
    function = new.__dict__["__wrapped__"]

    def made(cls: type[Any], *arguments: Any, **options: Any) -> Any:
        if not _has_own_init(cls):
            return new(cls, *arguments, **options)
        given = {name: value for name, value in options.items() if name in function.__kwdefaults__}
        client = new(cls, **given)
        client._given = given
        return client

    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(made, name, getattr(new, name))
    made.__dict__["__wrapped__"] = function
    return cast("F", made)


def _has_own_init(cls: type[Any]) -> bool:
    return getattr(cls.__init__, "__module__", None) != "hookweave.client"


def check_passed_on(base: type[Any], client: Any, given: dict[str, Any], options: dict[str, Any]) -> None:
    """Refuses options that ``__init__`` passes on and the client was not made with: they would be lost."""
    for name, value in options.items():
        if name in given and (given[name] is value or given[name] == value):
            continue
        if name not in base.__new__.__dict__["__wrapped__"].__kwdefaults__:
            # Refuses it as it does without a subclass.
            base.__new__(base, **{name: value})
        from .errors import InvalidOptionError

        cls = type(client).__name__
        raise InvalidOptionError(
            f"HookClient: `{name}` comes too late from `{cls}.__init__`: the client is made before; let the call pass "
            f"it, or write `def __new__(cls, …): return super().__new__(cls, {name}=…)` in `{cls}`"
        )
