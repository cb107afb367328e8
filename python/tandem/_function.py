"""Functions: graphs that are called with arrays."""

from __future__ import annotations

import dataclasses
import json
import logging
import operator
import os
import typing
from collections.abc import Callable, Mapping, Sequence

from . import _tandem
from ._errors import check_type, convert
from ._summary import register
from .profile import Coverage, Profile
from .report import Report

_log = logging.getLogger("tandem")

# What a graph is read from: a path as text, or bytes.
Source = str | bytes | bytearray | memoryview
# The argument `cache` of tandem.load.
Cache = str | os.PathLike[str] | typing.Literal[False] | None
# The arguments of load_options.
Options = tuple[str | None, str, str, bool, Cache, bool]
# A shape, or a list of shapes or arrays (`Function.compile_ahead`).
SignatureLike = list[typing.Any] | tuple[typing.Any, ...]


@dataclasses.dataclass(frozen=True)
class Spec:
    """The type of an input or output.

    Attributes:
      name: the name in the model, or "".
      dtype: the name of numpy's dtype, such as "float32"; "bfloat16" is ml_dtypes'.
      shape: the sizes. The entry of a free dim is the name of the dim, or None if the
        dim has no name.
    """

    name: str
    dtype: str
    shape: tuple[int | str | None, ...]


class Function:
    """A graph that is called with arrays of numpy, torch, jax or any library that
    has DLPack, and returns arrays of the same library.

    Calls run at once, op by op. A shape is compiled in the background when the engine
    predicts that compiling pays. A certificate then checks the compiled program
    against the eager tier before calls use it. `report()` shows the measurements and
    decisions.

    Functions are thread-safe. Calls release the GIL.
    """

    def __init__(self, impl: _tandem.Function,
                 source: tuple[Source, *tuple[object, ...]] | None) -> None:
        self._impl = impl
        self._source = source
        self.inputs = [Spec(n, d, tuple(s)) for n, d, s in impl.inputs()]
        self.outputs = [Spec(n, d, tuple(s)) for n, d, s in impl.outputs()]
        register(self)

    @property
    def name(self) -> str:
        """The file that the function was loaded from, "<bytes>" or "<Builder>"."""
        if self._source is None:
            return "<Builder>"
        return self._source[0] if isinstance(self._source[0], str) else "<bytes>"

    def __call__(self, *inputs: typing.Any, **options: typing.Any) -> typing.Any:
        """Calls the graph.

        Inputs are given in the order of `inputs`, or by name. `out` is an array or
        a tuple of arrays that receive the outputs; they must not overlap an input.
        `tier` forces a tier: "eager", "compiled", "captured" or "reference".
        Returns an array, or a tuple of arrays if there are several outputs.
        Arrays that are not contiguous and row-major are copied (`copies`).

        Raises TypeError for an input that is no array, is missing or unknown, and
        Error for a wrong dtype or shape.
        """
        result = self._impl(*inputs, **options)
        if self._impl.has_events():
            self._drain()
        return result

    def compile_ahead(self, *signatures: SignatureLike) -> None:
        """Requests that signatures are compiled in the background, before all other
        signatures.

        A signature is a shape, if the function has one input, or a list of shapes
        or arrays, one for each input.
        """
        self._impl.compile_ahead([self._signature(s) for s in signatures])

    def wait(self) -> None:
        """Waits until nothing is compiled or certified in the background."""
        self._impl.wait()
        self._drain()

    def cancel(self) -> None:
        """Cancels compilations that have not begun and those that run in the helper
        process."""
        self._impl.cancel()
        self._drain()

    def report(self) -> Report:
        """The measurements and decisions for each shape, as a Report."""
        self._drain()
        return Report(self._impl.report_json(), self._impl.report_text())

    def ir(self, phase: str, signature: SignatureLike) -> str:
        """The IR of the graph after a phase of its compilation for a signature (see
        `compile_ahead`): "specialize", "simplify", "layout", "fuse", "kernels",
        "linalg", and "llvm" on the CPU or "emitc" on GPUs."""
        check_type("phase", phase, str, "a name")
        return self._impl.ir(phase, self._signature(signature))

    def explain(self, signature: SignatureLike) -> dict[str, typing.Any]:
        """The decisions of fusion for a signature with their reasons, as the object
        that docs/Fusion.md describes."""
        decisions: dict[str, typing.Any] = json.loads(
            self._impl.explain(self._signature(signature)))
        return decisions

    def profile(self, *inputs: typing.Any, tier: str | None = None, runs: int = 50,
                **named: typing.Any) -> Profile:
        """Measures where the time of a call goes, step by step, as a Profile.

        Inputs are those of a call. `tier` is "eager", "compiled" or "reference"; by
        default, the tier in which the next call would run. A tier that is not
        compiled for these shapes yet is compiled first. `runs` is the number of
        runs with timed steps.
        """
        return Profile(self._impl.profile(inputs, named, tier or "", runs))

    def coverage(self, signature: SignatureLike | None = None,
                 tier: str = "compiled") -> Coverage:
        """How each node of the graph is executed for a signature (see `compile_ahead`)
        in a tier, and why no code is generated for a node, as a Coverage. The
        signature may be left out if no dim is free. The graph is compiled only for
        this purpose."""
        if signature is None:
            signature = [spec.shape for spec in self.inputs]
            if any(not isinstance(dim, int) for shape in signature for dim in shape):
                raise TypeError("the graph has free dims: coverage needs a signature")
        return Coverage(tier, self._impl.coverage(self._signature(signature), tier))

    def with_gradient(self, signature: SignatureLike, *,
                      wrt: Sequence[int | str] | None = None, loss: int = 0,
                      seed: bool = False) -> Function:
        """A function that also returns gradients, for one signature (see
        `compile_ahead`).

        The outputs of the new function are the outputs of this function, followed by
        the gradients of output number `loss` with respect to the inputs `wrt`. `wrt`
        lists inputs by number or by name; by default, it lists all float inputs. Each
        gradient has the shape and dtype of its input. With `seed`, the new function
        has one more input, which has the shape of the loss: the gradients are those of
        sum(loss * seed). Without `seed`, the loss must have one element.

        Raises Error if an op has no gradient (docs/Gradients.md).
        """
        numbers = [number_of(which, self.inputs, "input") for which in wrt or ()]
        return Function(self._impl.with_gradient(
            self._signature(signature), numbers, loss, seed), None)

    def with_updates(self, updates: Mapping[int | str, int | str]) -> Function:
        """A copy of this function whose calls write some outputs to the arrays of
        inputs, as jax.jit does for donated arguments.

        `updates` maps inputs to outputs, each given by number or by name. For
        example, {"w": 1} makes a call write output 1 to the array that is passed for
        "w", and return that array as output 1. The function computes with the old
        value of the input. The input and the output must have the same dtype and
        shape.

        A call raises Error, and changes nothing, if the array of such an input is
        read-only, is not contiguous, or overlaps another input.
        """
        check_type("updates", updates, Mapping, "a dict of inputs and outputs")
        return Function(self._impl.with_updates(
            [(number_of(source, self.inputs, "input"),
              number_of(result, self.outputs, "output"))
             for source, result in updates.items()]), None)

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the calls and decisions as a file that Perfetto opens. The
        function must have been loaded with trace=True."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._impl.trace())

    @property
    def copies(self) -> int:
        """The number of arrays that calls had to copy."""
        return self._impl.copies()

    def __repr__(self) -> str:
        def text(specs: list[Spec]) -> str:
            return ", ".join(f"{s.name or '_'}: {s.dtype}{list(s.shape)}"
                             for s in specs)
        return f"<tandem.Function ({text(self.inputs)}) -> ({text(self.outputs)})>"

    def __reduce__(self) -> tuple[Callable[..., Function], tuple[object, ...]]:
        if self._source is None:
            raise TypeError("a function of a Builder cannot be pickled")
        from . import _load
        source, *options = self._source
        # A pickle contains a buffer of any type as bytes.
        source = source if isinstance(source, str) else bytes(source)
        return _load, (source, *options)

    def _signature(self, given: SignatureLike) -> list[tuple[str, tuple[int, ...]]]:
        """(dtype, shape) of each input, from a shape or a list."""
        if len(self.inputs) == 1 and isinstance(given, tuple):
            given = [given]
        check_type("the signature", given, (list, tuple), "a list of shapes or arrays")
        count = len(self.inputs)
        if len(given) != count:
            raise TypeError(f"a signature has {count} shape{'s' * (count != 1)}, not "
                            f"{len(given)}")
        return [(spec.dtype, convert("a shape of the signature", each, as_shape,
                                     "a tuple of sizes"))
                for spec, each in zip(self.inputs, given)]

    def _drain(self) -> None:
        for line in self._impl.drain_events():
            _log.info("%s", line)


def number_of(which: int | str, specs: list[Spec], kind: str) -> int:
    """The number of an input or output that is given by number or by name."""
    if not isinstance(which, str):
        return as_int64(which)
    names = [spec.name for spec in specs]
    if which not in names:
        raise TypeError(f"there is no {kind} {which!r}; {kind}s are {names}")
    return names.index(which)


def as_shape(given: typing.Any) -> tuple[int, ...]:
    """The sizes of a shape or of an array."""
    return tuple(as_int64(size) for size in getattr(given, "shape", given))


def as_int64(value: typing.SupportsIndex) -> int:
    number = operator.index(value)
    if not -2**63 <= number < 2**63:
        raise OverflowError
    return number


def as_source(source: Source | os.PathLike[str]) -> Source:
    """A path as text, or the bytes-like object."""
    if isinstance(source, (str, os.PathLike)):
        if "\0" in os.fsdecode(source):
            raise ValueError("source is a path with a null character")
        return os.path.abspath(os.fsdecode(source))
    check_type("source", source, (bytes, bytearray, memoryview), "a path or bytes")
    if isinstance(source, memoryview) and not source.c_contiguous:
        raise TypeError("source is a memoryview that is not contiguous: pass bytes(source)")
    return source


def load_options(device: str | None, mode: str, precision: str, strict: bool, cache: Cache,
                 trace: bool) -> _tandem.LoadOptions:
    check_type("device", device, (str, type(None)), "a name or None")
    check_type("mode", mode, str, "a name")
    check_type("precision", precision, str, "a name")
    check_type("strict", strict, bool, "True or False")
    check_type("trace", trace, bool, "True or False")
    if cache is not None and cache is not False:
        check_type("cache", cache, (str, os.PathLike), "a folder, False or None")
    options = _tandem.LoadOptions()
    options.device = device or ""
    options.mode = mode
    options.precision = precision
    options.strict = strict
    options.cache = os.fsdecode(cache) if cache else ("off" if cache is False else "")
    options.traced = trace
    return options
