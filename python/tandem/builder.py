"""Graphs without a file."""

import json

from . import _tandem
from ._errors import check_type, convert
from ._function import Function, as_int64, load_options

_OPS = _tandem.op_names()


def _name(text):
    check_type("a name of a dim", text, (str, type(None)), "text")
    return text or ""


def ops():
    """The names of all ops, with the attributes of each."""
    return {name: _tandem.attributes_of(name) for name in _OPS}


class Builder:
    """Builds a graph op by op. Every op of docs/generated/Dialect.md is a method:

        b = tandem.Builder()
        x = b.input("float32", (None, 64), dims=("n", ""), name="x")
        w = b.constant(weights)
        f = b.build(b.relu(b.matmul(x, w)))

    Attributes of ops are keyword arguments: b.softmax(x, axis=1). An op is checked
    when it is added; Error names what is wrong.
    """

    def __init__(self, name="main"):
        self._impl = _tandem.Builder(name)

    def input(self, dtype, shape, dims=(), name=""):
        """Adds an input. A dim of `shape` is None if its size is free. `dims` names
        the dims; dims of one name have one size in every call."""
        shape = convert("shape", shape, lambda dims: [
            None if dim is None else as_int64(dim) for dim in dims],
            "a tuple of sizes, with None for each free dim")
        dims = convert("dims", dims, lambda names: [_name(each) for each in names],
                       "a tuple of names")
        check_type("name", name, str, "a name")
        return self._impl.input(str(dtype), shape, dims, name)

    def constant(self, array):
        """Adds a constant. The graph shares the array's memory, which must not
        change."""
        return self._impl.constant(array)

    def op(self, name, *operands, **attributes):
        """Adds the op `name` with one result."""
        # Numbers and arrays of numpy are attributes, too.
        text = json.dumps(attributes, default=lambda value: convert(
            f"{name}: an attribute", value, lambda each: each.tolist(),
            "a number, text or a list"))
        try:
            return self._impl.op(name, list(operands), text)
        except TypeError:
            raise TypeError(f"{name}: operands are values of this builder, and "
                            "constants are added by Builder.constant") from None

    def type(self, value):
        """(dtype, shape) of a value."""
        dtype, shape = self._impl.type(value)
        return dtype, tuple(shape)

    def set_location(self, location):
        """Sets the location that errors and reports show for later ops."""
        self._impl.set_location(location)

    def build(self, outputs, *, names=(), device=None, mode="auto",
              precision="strict", strict=False, cache=None, trace=False):
        """Makes a Function that computes `outputs`, a value or a list of values.
        The options are those of `tandem.load`."""
        if not isinstance(outputs, (list, tuple)):
            outputs = [outputs]
        for each in outputs:
            check_type("an item of outputs", each, _tandem.Value,
                       "a value of this builder")
        for each in names:
            check_type("an item of names", each, str, "a name")
        options = load_options(device, mode, precision, strict, cache, trace)
        return Function(self._impl.build(list(outputs), list(names), options), None)

    def __getattr__(self, name):
        if name.startswith("_") or name not in _OPS:
            raise AttributeError(f"there is no op '{name}'; tandem.ops() lists all")
        return lambda *operands, **attributes: self.op(name, *operands, **attributes)

    def __dir__(self):
        return [*super().__dir__(), *_OPS]
