"""The number of threads of this process."""

from __future__ import annotations

import operator
import threading
import typing

from . import _tandem
from ._errors import convert
from ._function import as_int64

# Whether the program has called set_num_threads.
_is_chosen = False


def _positive(value: typing.SupportsIndex) -> int:
    if as_int64(value) < 1:
        raise ValueError
    return operator.index(value)


def set_num_threads(threads: typing.SupportsIndex) -> None:
    """Limits the threads of kernels and libraries in this process."""
    global _is_chosen
    _tandem.set_num_threads(convert("threads", threads, _positive, "a positive number"))
    _is_chosen = True


def num_threads() -> int:
    """The present limit of `set_num_threads`."""
    return _tandem.num_threads()


class _Followed(threading.local):
    """The last number that a thread has passed to `follow`."""

    number = 0


followed = _Followed()


def follow(threads: int) -> None:
    """Sets the number of threads to that of another library, unless the program has called
    `set_num_threads`. If that library has a number for each thread of the program, each
    thread calls this function when its own number has changed. The most recent call of any
    thread determines the number."""
    followed.number = threads
    if not _is_chosen and threads != _tandem.num_threads():
        _tandem.set_num_threads(threads)
