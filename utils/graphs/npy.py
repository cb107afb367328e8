"""Writes .npy files without NumPy (format version 1.0)."""

import struct


def write_npy(path, shape, values, dtype="f32"):
    """Writes `values`, an iterable, as a tensor of `shape`. `dtype` is f32, f16 or
    bf16, of which the upper halves of f32 are written."""
    values = list(values)
    descr = {"f32": "<f4", "f16": "<f2", "bf16": "<V2"}[dtype]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    data = struct.pack(f"<{len(values)}{'e' if dtype == 'f16' else 'f'}", *values)
    if dtype == "bf16":
        data = b"".join(data[i + 2 : i + 4] for i in range(0, len(data), 4))
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode() + data)
