"""The table from ATen ops to functions that add ops to a Builder."""

from __future__ import annotations

import typing
from collections.abc import Callable

import torch

from .. import _tandem
from ..builder import Builder
from ._sizes import Size, same_shape, wrap

Value = _tandem.Value

DTYPES = {
    torch.float64: "float64", torch.float32: "float32", torch.float16: "float16",
    torch.bfloat16: "bfloat16", torch.int64: "int64", torch.int32: "int32",
    torch.int16: "int16", torch.int8: "int8", torch.uint8: "uint8",
    torch.bool: "bool",
}


class Unsupported(Exception):
    """An op or a use of an op that is left to torch. The text is the reason."""


def name_of(dtype: torch.dtype) -> str:
    """The name of a dtype in a Builder."""
    if dtype not in DTYPES:
        raise Unsupported(f"{str(dtype).removeprefix('torch.')} has no equivalent")
    return DTYPES[dtype]


def is_float(dtype: str) -> bool:
    """Whether the name of a dtype is that of a float type."""
    return dtype.startswith(("float", "bfloat"))


class Context:
    """The context in which a function adds an op: the builder, and the metadata of the
    node's result.

    Attributes:
      b: the builder.
      result: the value of the node's metadata, a FakeTensor or a tuple.
      first: the same for the first operand.
      op: the name of the op, such as "aten.relu.default".
    """

    def __init__(self, builder: Builder, op: str, result: typing.Any,
                 first: typing.Any) -> None:
        self.b = builder
        self.op = op
        self.result = result
        self.first = first

    @property
    def dtype(self) -> str:
        """The dtype of the only result."""
        return name_of(self.result.dtype)

    @property
    def wide(self) -> str:
        """The dtype in which sums of the only result's dtype are computed."""
        return "float32" if self.dtype in ("float16", "bfloat16") else self.dtype

    @property
    def result_shape(self) -> tuple[int, ...]:
        """The shape of the only result."""
        return self.shape_of(self.result)

    def shape_of(self, tensor: typing.Any) -> tuple[int, ...]:
        """The shape of a tensor of the node's metadata."""
        return tuple(wrap(size) for size in tensor.shape)

    def dtype_of(self, value: Value) -> str:
        return self.b.type(value)[0]

    def shape(self, value: Value) -> tuple[int, ...]:
        """The sizes of a value. A size that depends on sizes of inputs is a Size, which
        behaves as a number that has no value yet."""
        return typing.cast("tuple[int, ...]", self.b.type(value)[1])

    def cast(self, value: typing.Any, dtype: str) -> Value:
        """A value or a number as a value of `dtype`. As in torch, any number but 0
        is true."""
        if not isinstance(value, Value):
            return self.splat(value, dtype)
        if self.dtype_of(value) == dtype:
            return value
        if dtype == "bool":
            zero = self.splat(0, self.dtype_of(value))
            return self.b.compare(value, zero, predicate="ne")
        return self.b.cast(value, dtype=BUILDER_NAMES[dtype])

    def numeric(self, value: Value) -> Value:
        """The value, converted to uint8 if it is bool, because most ops do not take
        bool."""
        return self.cast(value, "uint8") if self.dtype_of(value) == "bool" else value

    def splat(self, number: float, dtype: str, shape: typing.Sequence[int] = ()) -> Value:
        """A tensor whose elements are all `number`."""
        if any(isinstance(size, Size) for size in shape):
            return self.b.broadcast(self.splat(number, dtype), shape=list(shape), dims=[])
        if isinstance(number, Size):
            return self.broadcast(self.cast(self._count(number), dtype), shape)
        number = float(number) if is_float(dtype) else int(number)
        if isinstance(number, int) and abs(number) > 2 ** 53:  # A splat's value is a float.
            exact = torch.tensor(number, dtype=getattr(torch, dtype))
            return self.broadcast(self.b.constant(exact), shape)
        return self.b.splat(dtype, shape, number)

    def reshape(self, value: Value, shape: typing.Sequence[int]) -> Value:
        shape = tuple(shape)
        return (value if same_shape(self.shape(value), shape)
                else self.b.reshape(value, shape=shape))

    def _count(self, size: Size) -> Value:
        """A size as an int64 scalar, which is computed as a sum of ones."""
        ones = self.b.broadcast(self.splat(1, "int64"), shape=[size], dims=[])
        return self.b.reduce(ones, kind="sum", dims=[0])

    def transpose(self, value: Value, permutation: typing.Sequence[int]) -> Value:
        permutation = list(permutation)
        if permutation == sorted(permutation):
            return value
        return self.b.transpose(value, permutation=permutation)

    def broadcast(self, value: Value, shape: typing.Sequence[int]) -> Value:
        """By torch's rule: dims are aligned at the end, and dims of 1 are repeated."""
        shape, given = list(shape), self.shape(value)
        if same_shape(shape, given):
            return value
        offset = len(shape) - len(given)
        kept = [i for i, size in enumerate(given)
                if same_shape([size], [shape[offset + i]]) or size != 1]
        value = self.reshape(value, [given[i] for i in kept])
        return self.b.broadcast(value, shape=shape, dims=[offset + i for i in kept])


# The names of dtypes in attributes of ops.
BUILDER_NAMES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
                 "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
                 "uint8": "ui8", "bool": "i1"}

Handler = Callable[..., typing.Any]
F = typing.TypeVar("F", bound=Handler)

# From an overload of an op, such as torch.ops.aten.relu.default.
HANDLERS: dict[typing.Any, Handler] = {}


def handles(*names: str) -> Callable[[F], F]:
    """Registers a function for ops of `torch.ops.aten` by name: "relu" stands for all
    overloads, "add.Tensor" for one overload, and "prims::NAME" for an op of
    `torch.ops.prims`. Names that this version of torch lacks are left out."""
    def enter(function: F) -> F:
        for name in names:
            namespace, _, rest = name.rpartition("::")
            packet_name, _, overload = rest.partition(".")
            packet = getattr(getattr(torch.ops, namespace or "aten"), packet_name, None)
            for each in [overload] if overload else packet.overloads() if packet else []:
                if packet is not None and each in packet.overloads() and not each.endswith("out"):
                    HANDLERS.setdefault(getattr(packet, each), function)
        return function
    return enter


def pair(value: typing.Any, count: int = 2) -> list[int]:
    """A list of `count` numbers from a number or a list of one or `count`."""
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    return values * count if len(values) == 1 else values
