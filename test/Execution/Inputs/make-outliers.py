#!/usr/bin/env python3
"""Writes DIR/graph.mlir, 3x3 convolutions of 64 channels with random weights,
and DIR/NAME.npy, images of 2x28x28x64 with an element out of proportion.

usage: make-outliers.py DIR
"""

import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils/graphs"))
from npy import write_npy

SHAPE = (2, 28, 28, 64)
OUTLIERS = {"large": 1e30, "inf": float("inf"), "nan": float("nan")}

FUNCTION = """\
func.func @{name}(%x: tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32> {{
  %w = tandem.constant dense<"0x{weights}"> : tensor<3x3x64x64xf32>
{before}  %c = tandem.conv %{data}, %w
      layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<?x?x?x64xf32>, tensor<3x3x64x64xf32>) -> tensor<?x?x?x64xf32>
{after}  return %r : tensor<?x?x?x64xf32>
}}
"""
RELU = "  %{to} = tandem.relu %{of} : tensor<?x?x?x64xf32>\n"
POOL = """\
  %r = tandem.max_pool %c layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
"""


def floats(values):
    values = list(values)
    return struct.pack(f"<{len(values)}f", *values)


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    stream = random.Random(1)
    weights = floats(stream.uniform(-1, 1) for _ in range(9 * 64 * 64))
    text = "".join(
        FUNCTION.format(name=name, weights=weights.hex(), data=data, **around)
        for name, data, around in (
            ("main", "x", {"before": "", "after": RELU.format(to="r", of="c")}),
            (
                "prologue",
                "a",
                {
                    "before": RELU.format(to="a", of="x"),
                    "after": RELU.format(to="r", of="c"),
                },
            ),
            ("pooled", "x", {"before": "", "after": POOL}),
        )
    )
    (directory / "graph.mlir").write_text(text)
    count = SHAPE[0] * SHAPE[1] * SHAPE[2] * SHAPE[3]
    ordinary = [stream.uniform(-1, 1) for _ in range(count)]
    for name, value in OUTLIERS.items():
        values = list(ordinary)
        values[(9 * SHAPE[2] + 14) * SHAPE[3] + 40] = value
        write_npy(directory / f"{name}.npy", SHAPE, values)
    # Near the limit of f32, where the transforms would overflow.
    scaled = [value * 3e36 for value in ordinary]
    write_npy(directory / "huge.npy", SHAPE, scaled)


if __name__ == "__main__":
    main()
