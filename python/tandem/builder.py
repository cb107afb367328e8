"""Graphs without a file."""

from __future__ import annotations

import json
import operator
import typing
from collections.abc import Callable, Iterable, Sequence

from . import _tandem
from ._errors import check_type, convert
from ._function import Cache, Function, as_int64, as_shape, load_options

if typing.TYPE_CHECKING:
    import numpy as np

# One value, or several.
Values = _tandem.Value | list[_tandem.Value] | tuple[_tandem.Value, ...]
# One flag, or several.
Flags = bool | list[bool] | tuple[bool, ...]

_T = typing.TypeVar("_T")

_OPS = _tandem.op_names()


def _name(text: str | None) -> str:
    check_type("a name of a dim", text, (str, type(None)), "text")
    return text or ""


def ops() -> dict[str, list[str]]:
    """The names of all ops, with the attributes of each."""
    return {name: _tandem.attributes_of(name) for name in _OPS}


def _values(given: object) -> list[_tandem.Value]:
    """One value, or several, as a list."""
    values = [given] if isinstance(given, _tandem.Value) else given
    if not isinstance(values, (list, tuple)) or not all(
            isinstance(value, _tandem.Value) for value in values):
        raise TypeError("loop: operands, and what the body returns, are values of this "
                        "builder, or lists of them; constants are added by "
                        "Builder.constant")
    return list(values)


def _directions(reverse: Flags, count: int) -> tuple[list[bool], Callable[[int], list[bool]]]:
    """The flags of `count` scanned tensors, and a function from the number of stacked
    results to the flags of these."""
    if isinstance(reverse, (list, tuple)):
        flags = [bool(flag) for flag in reverse]
        return flags[:count], lambda _: flags[count:]
    return [bool(reverse)] * count, lambda stacked: [bool(reverse)] * stacked


# Stands for entries of attributes that are expressions.
_UNKNOWN = -2**63


def _take_expressions(attributes: dict[str, typing.Any]
                      ) -> tuple[dict[str, typing.Any], list[tuple[str, str]]]:
    """The attributes with _UNKNOWN for entries that are text, and for each attribute
    with such entries (attribute, expressions of all entries)."""
    expressions: list[tuple[str, str]] = []

    def take(name: str, entries: typing.Any) -> typing.Any:
        if not isinstance(entries, (list, tuple)) or not any(
                isinstance(entry, str) for entry in entries):
            return entries
        expressions.append((name, ", ".join(map(str, entries))))
        return [_UNKNOWN if isinstance(entry, str) else entry for entry in entries]

    numbers = {name: take(name, value) for name, value in attributes.items()}
    kind = numbers.get("type")
    if isinstance(kind, dict):  # The type of an iota.
        numbers["type"] = kind | {"dims": take("result", kind.get("dims"))}
    return numbers, expressions


class Builder:
    """Builds a graph op by op. Every op of docs/generated/Dialect.md is a method:

        b = tandem.Builder()
        x = b.input("float32", (None, 64), dims=("n", ""), name="x")
        w = b.constant(weights)
        f = b.build(b.relu(b.matmul(x, w)))

    Attributes of ops are keyword arguments: b.softmax(x, axis=1). An op is checked
    when it is added; Error names what is wrong.

    Sizes may depend on the sizes of inputs. An entry of `shape` (reshape, broadcast,
    random), `starts` or `limits` (slice), `low` or `high` (pad), or of the dims of the
    type of an iota may be an expression of names of dims, as text:

        y = b.reshape(x, shape=["n", "length floordiv 2", 64])

    Expressions consist of integers and names, combined by `+`, `-`, `*`, `floordiv`,
    `ceildiv` and `mod`. `build` checks them.
    """

    def __init__(self, name: str = "main") -> None:
        self._impl = _tandem.Builder(name)

    def input(self, dtype: str | np.dtype[typing.Any],
              shape: Iterable[typing.SupportsIndex | None], dims: Iterable[str | None] = (),
              name: str = "") -> _tandem.Value:
        """Adds an input. A dim of `shape` is None if its size is free. `dims` names the
        dims. In every call, dims with the same name must have the same size."""
        sizes = convert("shape", shape, lambda dims: [
            None if dim is None else as_int64(dim) for dim in dims],
            "a tuple of sizes, with None for each free dim")
        names = convert("dims", dims, lambda names: [_name(each) for each in names],
                        "a tuple of names")
        check_type("name", name, str, "a name")
        return self._impl.input(str(dtype), sizes, names, name)

    def constant(self, array: typing.Any) -> _tandem.Value:
        """Adds a constant. The graph shares the array's memory, which must not
        change."""
        return self._impl.constant(array)

    def splat(self, dtype: str | np.dtype[typing.Any], shape: Iterable[int],
              value: float) -> _tandem.Value:
        """Adds a constant whose elements are all `value`."""
        sizes = convert("shape", shape, as_shape, "a tuple of sizes")
        return self._impl.splat(str(dtype), list(sizes), value)

    def op(self, name: str, *operands: _tandem.Value, **attributes: object) -> _tandem.Value:
        """Adds the op `name` with one result."""
        return self._add(self._impl.op, name, operands, attributes)

    def results(self, name: str, *operands: _tandem.Value,
                **attributes: object) -> tuple[_tandem.Value, ...]:
        """Adds the op `name`, and returns its results."""
        return tuple(self._add(self._impl.results, name, operands, attributes))

    def topk(self, x: _tandem.Value, *, k: int, axis: int,
             ascending: bool = False) -> tuple[_tandem.Value, _tandem.Value]:
        """Adds a topk, and returns (values, indices): the `k` largest or, with
        `ascending`, smallest elements of each line along `axis` in order, and their
        int64 indices."""
        values, indices = self.results("topk", x, k=k, axis=axis, ascending=ascending)
        return values, indices

    def sort(self, x: _tandem.Value, *, axis: int,
             descending: bool = False) -> tuple[_tandem.Value, _tandem.Value]:
        """Adds a sort, and returns (values, indices): the elements of each line along
        `axis` in order, and their int64 indices."""
        values, indices = self.results("sort", x, axis=axis, descending=descending)
        return values, indices

    def max_pool_with_index(self, x: _tandem.Value,
                            **attributes: object) -> tuple[_tandem.Value, _tandem.Value]:
        """Adds a max_pool_with_index with the attributes of max_pool, and returns
        (values, index): the largest element of each window, and its place in the
        window, as uint8."""
        values, index = self.results("max_pool_with_index", x, **attributes)
        return values, index

    def moments(self, x: _tandem.Value, *, dims: Iterable[int],
                keep_dims: bool = False) -> tuple[_tandem.Value, _tandem.Value]:
        """Adds a moments, and returns (mean, variance) along `dims`. The variance is the
        biased one. With `keep_dims`, reduced dims are kept with size 1."""
        mean, variance = self.results("moments", x, dims=list(dims), keep_dims=keep_dims)
        return mean, variance

    def layer_norm(self, x: _tandem.Value, scale: _tandem.Value, offset: _tandem.Value, *,
                   epsilon: float) -> tuple[_tandem.Value, _tandem.Value, _tandem.Value]:
        """Adds a layer_norm, and returns (y, mean, inverse_deviation). The last dims of
        `x`, as many as `scale` and `offset` have, are normalized."""
        y, mean, inverse = self.results("layer_norm", x, scale, offset, epsilon=epsilon)
        return y, mean, inverse

    def layer_norm_backward(
            self, gradient: _tandem.Value, x: _tandem.Value, scale: _tandem.Value,
            mean: _tandem.Value, inverse_deviation: _tandem.Value,
    ) -> tuple[_tandem.Value, _tandem.Value, _tandem.Value]:
        """Adds a layer_norm_backward, and returns the gradients of x, scale and offset.
        `gradient` is that of y, and the last two operands are results of layer_norm."""
        of_x, of_scale, of_offset = self.results("layer_norm_backward", gradient, x, scale,
                                                 mean, inverse_deviation)
        return of_x, of_scale, of_offset

    def scan(self, x: _tandem.Value, *, kind: str, axis: int, exclusive: bool = False,
             reverse: bool = False) -> _tandem.Value:
        """Adds a scan along `axis`: each element of the result combines the element of
        `x` at the same index with all elements before it. `kind` is "sum", "prod",
        "max", "min" or "log_sum_exp". With `exclusive`, only the elements before the
        index are combined. With `reverse`, lines are read from their end."""
        return self.op("scan", x, kind=kind, axis=axis, exclusive=exclusive,
                       reverse=reverse)

    def fft(self, x: _tandem.Value, *, kind: str, axis: int,
            length: int = 0) -> _tandem.Value:
        """Adds Fourier transforms along `axis`. `kind` is "fft", "ifft", "rfft" or
        "irfft", as in numpy.fft. The last dim of complex numbers has size 2 and holds
        their real and imaginary parts. An "irfft" has a `length`; other transforms have
        the length of their operand."""
        return self.op("fft", x, kind=kind, axis=axis, length=length)

    def _add(self, add: Callable[..., _T], name: str, operands: tuple[_tandem.Value, ...],
             attributes: dict[str, object]) -> _T:
        # Attributes may also be numbers and arrays of numpy.
        numbers, expressions = _take_expressions(attributes)
        text = json.dumps(numbers, default=lambda value: convert(
            f"{name}: an attribute", value, lambda each: each.tolist(),
            "a number, text or a list"))
        try:
            return add(name, list(operands), text, expressions)
        except TypeError:
            raise TypeError(f"{name}: operands are values of this builder, and "
                            "constants are added by Builder.constant") from None

    @typing.overload
    def loop(self, body: Callable[..., _tandem.Value], carried: Values = (),
             scanned: Values = (), *, trips: typing.SupportsIndex | None = None,
             index: bool = False, reverse: Flags = False) -> _tandem.Value: ...

    @typing.overload
    def loop(self, body: Callable[..., list[_tandem.Value] | tuple[_tandem.Value, ...]],
             carried: Values = (), scanned: Values = (), *,
             trips: typing.SupportsIndex | None = None, index: bool = False,
             reverse: Flags = False) -> tuple[_tandem.Value, ...]: ...

    def loop(self, body: Callable[..., Values], carried: Values = (), scanned: Values = (), *,
             trips: typing.SupportsIndex | None = None, index: bool = False,
             reverse: Flags = False) -> _tandem.Value | tuple[_tandem.Value, ...]:
        """Adds a loop. `body` is called once and adds the ops of one iteration:

            def cell(h, x):
                h = b.tanh(b.add(b.matmul(h, w), x))
                return h, h

            last, every = b.loop(cell, carried=[h0], scanned=[xs])

        Args:
          body: a function of the carried values, followed by a slice of each
            scanned tensor. It returns the next carried values, followed by a slice
            of each stacked result. It may use all values from before the loop.
          carried: the values that the first iteration is given.
          scanned: tensors with the same dim 0. Each iteration is given one slice
            along that dim, without that dim.
          trips: the number of iterations of a loop that scans nothing.
          index: whether the first argument of `body` is the number of the
            iteration, an int64 scalar.
          reverse: whether the first iteration is given the last slices and
            computes the last slices. A list has one flag for each scanned tensor,
            followed by one for each stacked result.

        Returns the carried values after the last iteration, followed by the stacked
        results, in which the slices of all iterations are along a new dim 0: a
        tuple, or one value if `body` returns one value.
        """
        carried, scanned = _values(carried), _values(scanned)
        scans, stacks = _directions(reverse, len(scanned))
        if trips is not None:
            trips = operator.index(trips)
        number, given, slices = self._impl.begin_loop(carried, scanned, trips, scans)
        try:
            made = body(*([number] if index else []), *given, *slices)
            values = _values(made)
        except BaseException:
            self._impl.abandon_loop()
            raise
        count = len(carried)
        last, stacked = self._impl.end_loop(values[:count], values[count:],
                                            stacks(len(values) - count))
        results = (*last, *stacked)
        return results[0] if isinstance(made, _tandem.Value) else results

    def type(self, value: _tandem.Value) -> tuple[str, tuple[int | None, ...]]:
        """(dtype, shape) of a value."""
        dtype, shape = self._impl.type(value)
        return dtype, tuple(shape)

    def set_location(self, location: str) -> None:
        """Sets the location that errors and reports show for later ops."""
        self._impl.set_location(location)

    def build(self, outputs: Values, *, names: Sequence[str] = (), device: str | None = None,
              mode: str = "auto", precision: str = "strict", strict: bool = False,
              cache: Cache = None, trace: bool = False) -> Function:
        """Makes a Function that computes `outputs`, a value or a list of values.
        The options are those of `tandem.load`."""
        if not isinstance(outputs, (list, tuple)):
            outputs = [outputs]
        for each in outputs:
            check_type("an item of outputs", each, _tandem.Value,
                       "a value of this builder")
        for name in names:
            check_type("an item of names", name, str, "a name")
        options = load_options(device, mode, precision, strict, cache, trace)
        return Function(self._impl.build(list(outputs), list(names), options), None)

    def __getattr__(self, name: str) -> Callable[..., _tandem.Value]:
        if name.startswith("_") or name not in _OPS:
            raise AttributeError(f"there is no op '{name}'; tandem.ops() lists all")
        return lambda *operands, **attributes: self.op(name, *operands, **attributes)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_OPS]
