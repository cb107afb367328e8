"""The exception that all functions of the package raise, and checks of arguments."""

from __future__ import annotations

import typing
from collections.abc import Callable

Given = typing.TypeVar("Given")
Made = typing.TypeVar("Made")


class Error(Exception):
    """An error of Tandem.

    Attributes:
      message: one sentence that names what is wrong.
      phase: the phase that failed, such as "parse", "import", "input", "output",
        "compile" or "execute".
      location: the place in the model or file, or "" if it is not known.
      hint: a suggestion, or "".
    """

    def __init__(self, message: str, phase: str = "", location: str = "",
                 hint: str = "") -> None:
        super().__init__(message, phase, location, hint)
        self.message = message
        self.phase = phase
        self.location = location
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.location}: " if self.location else ""
        text += f"{self.phase}: " if self.phase else ""
        text += self.message
        return f"{text} ({self.hint})" if self.hint else text


def check_type(name: str, value: object, kinds: type | tuple[type, ...],
               expected: str) -> None:
    """Raises TypeError if an argument is not of a type in `kinds`. `expected`
    describes the expected argument."""
    if not isinstance(value, kinds):
        raise TypeError(f"{name} is a {type(value).__name__}, not {expected}")


def convert(name: str, value: Given, function: Callable[[Given], Made],
            expected: str) -> Made:
    """function(value); raises TypeError if it cannot be converted."""
    try:
        return function(value)
    except (AttributeError, OverflowError, TypeError, ValueError):
        raise TypeError(f"{name} is {value!r:.60}, not {expected}") from None
