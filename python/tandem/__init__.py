"""Tandem: a graph runs at once, op by op, and is compiled when that pays.

    import numpy as np
    import tandem

    f = tandem.load("resnet50.onnx")
    y = f(np.zeros((1, 3, 224, 224), np.float32))
    print(f.report())
"""

from __future__ import annotations

import os
import sys as _sys
import typing
from collections.abc import Callable, Iterable, Mapping

if not (_sys.platform == "linux" and _sys.maxsize > 2**32):
    raise ImportError("tandem runs on 64-bit Linux only")

from . import _tandem
from ._errors import Error, Given, Made, check_type, convert
from ._function import (Cache, Function, Options, Source, Spec, as_int64, as_shape, as_source,
                        load_options)
from ._summary import Summary, report
from ._threads import num_threads, set_num_threads
from .builder import Builder, ops
from .gradient import grad, value_and_grad
from .report import Report
from .sweep import sweep
from . import training
from .training import training_step

# A value of a graph that a Builder builds.
Value = _tandem.Value
# Stubs of nanobind leave names with two underscores out.
__version__: str = _tandem.__version__  # type: ignore[attr-defined]
__all__ = ["Builder", "Error", "Function", "Report", "Spec", "Summary", "Value", "custom_call",
           "devices", "grad", "load", "num_threads", "ops", "report", "set_num_threads",
           "sweep", "training", "training_step", "value_and_grad"]

_CustomCall = typing.TypeVar("_CustomCall", bound=Callable[..., typing.Any])


def load(source: Source | os.PathLike[str], *, function: str = "main",
         dims: Mapping[str, typing.SupportsIndex] | None = None,
         shapes: Mapping[str, Iterable[typing.SupportsIndex]] | None = None,
         values: Mapping[str, Iterable[typing.SupportsFloat]] | None = None,
         device: str | None = None, mode: str = "auto", precision: str = "strict",
         strict: bool = False, cache: Cache = None, trace: bool = False) -> Function:
    """Loads a graph as a Function.

    Args:
      source: the path of an ONNX model or an MLIR file, or the contents of one as bytes. The
        weights of an ONNX model stay in the file or in the bytes, which must not change.
      function: the function of an MLIR file.
      dims: sizes of free dims of a model, by name.
      shapes: shapes of inputs of a model, by name.
      values: values of inputs that determine shapes, by name.
      device: a name of `devices()`; by default the CPU.
      mode: "auto", "eager", "compile" (the first call of a shape compiles) or
        "compile-now" (and certifies, for tests).
      precision: "strict", or "tf32" on GPUs.
      strict: whether a call raises an Error after a certificate has shown that
        compiled and eager disagree. If False, such calls run eagerly.
      cache: the folder of the disk cache of compiled programs, False for no cache, or None
        for the user's default cache.
      trace: whether calls are recorded for `Function.trace`.

    Raises Error, with the location in the model, if the graph cannot be loaded.
    """
    check_type("function", function, str, "a name")
    return _load(as_source(source), function,
                 _by_name("dims", dims, as_int64, "sizes"),
                 _by_name("shapes", shapes, as_shape, "shapes"),
                 _by_name("values", values, lambda each: [float(x) for x in each],
                          "lists of numbers"),
                 device, mode, precision, strict, cache, trace)


def _by_name(name: str, given: Mapping[str, Given] | None,
             function: Callable[[Given], Made], expected: str) -> dict[str, Made]:
    """The argument `name`, a dict with a value for each name."""
    def make(items: Mapping[str, Given]) -> dict[str, Made]:
        made = {key: function(value) for key, value in items.items()}
        if not all(isinstance(key, str) for key in made):
            raise TypeError
        return made

    return convert(name, given or {}, make, f"a dict of names and {expected}")


def _load(source: Source, function: str, dims: dict[str, int],
          shapes: dict[str, tuple[int, ...]], values: dict[str, list[float]],
          *options: *Options) -> Function:
    given = (source, function, dims, shapes, values, *options)
    importing = _tandem.ImportOptions.make(dims, shapes, values)
    loading = load_options(*options)
    if isinstance(source, str):
        impl = _tandem.load_file(source, function, importing, loading)
    else:
        impl = _tandem.load_bytes(source, "<bytes>", function, importing, loading)
    f = Function(impl, given)
    for spec in f.inputs:
        if tuple(shapes.get(spec.name, spec.shape)) != spec.shape:
            raise Error(f"input '{spec.name}' is {spec.dtype}{list(spec.shape)}, and "
                        f"shapes has {list(shapes[spec.name])}", "import",
                        hint="shapes gives sizes to free dims only")
    return f


def devices() -> list[tuple[str, str]]:
    """The devices that graphs can run on, as (name, description)."""
    return _tandem.devices()


@typing.overload
def custom_call(target: str, function: None = None, *,
                relative_error: float = 0.0, gradient: str = ""
                ) -> Callable[[_CustomCall], _CustomCall]: ...


@typing.overload
def custom_call(target: str, function: _CustomCall, *,
                relative_error: float = 0.0, gradient: str = "") -> _CustomCall: ...


def custom_call(target: str, function: _CustomCall | None = None, *, relative_error: float = 0.0,
                gradient: str = "") -> _CustomCall | Callable[[_CustomCall], _CustomCall]:
    """Registers a function that custom_call ops of graphs refer to by `target`, on
    the CPU and for the rest of the process. Can be a decorator:

        @tandem.custom_call("my_sort")
        def my_sort(x):
            return numpy.sort(x)

    The function takes a numpy array for each operand, and the keyword argument `config` if
    the op has one. It returns an array, or a tuple of arrays, with the types that the graph
    declares. The function must be pure, and several threads may call it at the same time.
    `relative_error` (at most 0.1) bounds the errors of results: |result - exact| <=
    relative_error * (|exact| + rms). `gradient` is the target of another function, which
    computes the gradients. That function takes the operands, the results and the gradients of
    the results, and returns the gradients of the operands. Integers have no gradients.
    """
    if function is None:
        return lambda given: custom_call(target, given, relative_error=relative_error,
                                         gradient=gradient)
    check_type("target", target, str, "a name")
    relative_error = convert("relative_error", relative_error, float, "a number")
    check_type("gradient", gradient, str, "a name")
    _tandem.add_custom_call(target, function, relative_error, gradient)
    return function
