#!/usr/bin/env python3
"""Writes PREFIX0.npy, PREFIX1.npy, ...: tensors of ones, of type f32.

usage: make-ones.py PREFIX SHAPE ..., where a SHAPE is like 1x8x8x32
"""

import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils/graphs"))
from npy import write_npy

for i, text in enumerate(sys.argv[2:]):
    shape = [int(size) for size in text.split("x")]
    write_npy(f"{sys.argv[1]}{i}.npy", shape, [1] * math.prod(shape))
