"""Graphs in f32 whose weights are resources: random numbers from a seed.

The numbers have a random sign and mantissa and a given exponent, so that
hundreds of megabytes are made at the speed of writing them.
"""

import array
import dataclasses
import math
import random

# As Tandem's tensors are.
ALIGNMENT = (64).to_bytes(4, "little").hex()
MANTISSA, SIGN = 0x007FFFFF, 0x80000000
CHUNK = 1 << 20


def tensor(*shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def repeat(word, count):
    return int.from_bytes(word.to_bytes(4, "little") * count, "little")


def random_floats(stream, count, exponent, mask):
    """Magnitudes from 2^exponent to twice that, as bytes."""
    bits = int.from_bytes(stream.randbytes(4 * count), "little")
    bits = bits & repeat(mask, count) | repeat(127 + exponent << 23, count)
    return bits.to_bytes(4 * count, "little")


def outputs_last(data, outputs, inputs):
    """A kernel of (outputs, inputs, taps) as (taps, inputs, outputs)."""
    values = array.array("f", data)
    row = len(values) // outputs
    transposed = array.array("f")
    for tap in range(row // inputs):
        for i in range(inputs):
            transposed += values[i * (row // inputs) + tap :: row]
    return transposed.tobytes()


@dataclasses.dataclass
class Weights:
    """`reorder`, if any, puts the bytes of all numbers in another order."""

    name: str
    count: int
    exponent: int
    mask: int
    reorder: object = None

    def chunks(self, stream):
        """Their bytes, piece by piece."""
        step = self.count if self.reorder else CHUNK
        for first in range(0, self.count, step):
            data = random_floats(stream, min(step, self.count - first),
                                 self.exponent, self.mask)
            yield self.reorder(data) if self.reorder else data


class ResourceGraph:
    """A function of one argument, on whose value, `value`, ops are put."""

    def __init__(self, shape):
        self.lines, self.resources = [], []
        self.argument = self.shape = list(shape)
        self.value = "%x"

    def define(self, text):
        self.lines.append(f"  %{len(self.lines)} = {text}")
        return f"%{len(self.lines) - 1}"

    def emit(self, text, shape):
        """An op on the value: {x} of {type}, which becomes one of {to}."""
        self.value = self.define(text.format(
            x=self.value, type=tensor(*self.shape), to=tensor(*shape)))
        self.shape = list(shape)

    def weights(self, shape, exponent, signed=True, reorder=None):
        name = f"w{len(self.resources)}"
        mask = MANTISSA | SIGN if signed else MANTISSA
        self.resources.append(
            Weights(name, math.prod(shape), exponent, mask, reorder))
        return self.define(
            f"tandem.constant dense_resource<{name}> : {tensor(*shape)}")

    def write_function(self, file):
        body = "\n".join(self.lines)
        result = tensor(*self.shape)
        file.write(f"func.func @main(%x: {tensor(*self.argument)}"
                   ' {tandem.dims = ["N", "", "", ""]})'
                   f" -> {result} {{\n{body}\n"
                   f"  return {self.value} : {result}\n}}\n")

    def write_outline(self, file):
        """Without the numbers, but with what is known of them: an exponent,
        and whether they have signs."""
        self.write_function(file)
        for weights in self.resources:
            signs = "signed" if weights.mask & SIGN else "positive"
            file.write(f"// weights {weights.name} {weights.exponent} {signs}\n")

    def write(self, file, seed=1):
        self.write_function(file)
        file.write("{-# dialect_resources: { builtin: {\n")
        stream = random.Random(seed)
        for weights in self.resources:
            file.write(f'  {weights.name}: "0x{ALIGNMENT}')
            for data in weights.chunks(stream):
                file.write(data.hex())
            file.write('"\n' if weights is self.resources[-1] else '",\n')
        file.write("} } #-}\n")


def exponent_for(fan_in):
    """Of weights around sqrt(1 / fan_in)."""
    return round(-math.log2(fan_in) / 2)
