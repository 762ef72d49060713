"""The fields that hooks may replace, for type checkers and editors.

generate.py writes this file from the engine's catalogue; change the catalogue, not this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

__all__ = ["Modified"]


class Modified(TypedDict, total=False):
    """New values for fields of a catalogue event; each event says which of them it has."""

    args: Mapping[str, Any]
    custom_instructions: str
    error: Any
    prompt: str
    response: Mapping[str, Any]
    result: Mapping[str, Any]
    suggestions: Sequence[Any]
    system_prompt: str
    text: str
    tools: Sequence[Any]
