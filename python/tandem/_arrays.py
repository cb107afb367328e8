"""Arrays of other libraries: results, and what cannot be read."""

from __future__ import annotations

import sys
import typing


class Exported:
    """A tensor of Tandem, for libraries that read DLPack."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __dlpack__(self, *, stream: object = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None,
                   copy: bool | None = None) -> object:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # kDLCPU


def import_like(exported: Exported, like: typing.Any) -> typing.Any:
    """The exported tensor as an array of the library to which `like` belongs. If
    that library cannot be found, a numpy array."""
    name = type(like).__module__.partition(".")[0]
    if name == "torch":
        return sys.modules["torch"].from_dlpack(exported)
    if name in ("jax", "jaxlib"):
        return sys.modules["jax"].numpy.from_dlpack(exported)
    if hasattr(like, "__array_namespace__"):
        return like.__array_namespace__().from_dlpack(exported)
    library: typing.Any = sys.modules.get(name)
    if not hasattr(library, "from_dlpack"):
        import numpy as library
    return library.from_dlpack(exported)


def why_unreadable(array: object, error: BaseException) -> str:
    """The predicate of a sentence whose subject is an array whose `__dlpack__`
    raised `error`."""
    name = type(array).__name__
    jax = sys.modules.get("jax")
    if jax and isinstance(array, jax.core.Tracer):
        return (f"is a {name}, which has no elements while jax traces: "
                "call the function by jax.pure_callback")
    text = str(error).partition("\n")[0]
    return f"is a {name} that cannot be read: {text}"


def note_write(array: typing.Any) -> None:
    """Tells autograd that a tensor of torch was written to."""
    if not array.is_inference():
        sys.modules["torch"].autograd.graph.increment_version(array)
