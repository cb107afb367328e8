"""Prints a graph with weights that vary where the file has splats.

usage: vary-constants.py FILE

A float constant of two dims and more, `dense<c> : tensor<...>`, becomes one of
random multiples of c / 128 in [-c, c). Weights that are all equal would hide
code that takes another weight than it should.
"""

import random
import re
import struct
import sys

SPLAT = re.compile(r"dense<(-?[0-9.]+)> : tensor<((?:\d+x){2,})(f32|f64|f16|bf16)>")


def encode(value, dtype):
    """The value's bytes; it has few enough digits to be exact in every type."""
    if dtype == "bf16":
        return struct.pack("<f", value)[2:]
    return struct.pack({"f16": "<e", "f32": "<f", "f64": "<d"}[dtype], value)


def vary(match):
    scale, dims, dtype = match.groups()
    count = 1
    for dim in dims.split("x")[:-1]:
        count *= int(dim)
    stream = random.Random(match.start())
    values = (float(scale) * stream.randrange(-128, 128) / 128 for _ in range(count))
    data = b"".join(encode(value, dtype) for value in values)
    return f'dense<"0x{data.hex().upper()}"> : tensor<{dims}{dtype}>'


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text, count = SPLAT.subn(vary, file.read())
    if count == 0:
        sys.exit(f"{sys.argv[1]}: no splat constant of two dims or more")
    print(text, end="")


if __name__ == "__main__":
    main()
