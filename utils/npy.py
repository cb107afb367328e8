"""Writes .npy files without NumPy (format version 1.0)."""

import struct


def write_npy(path, shape, values):
    """Writes f32 `values`, an iterable, as a tensor of `shape`."""
    values = list(values)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode() + struct.pack(f"<{len(values)}f", *values))
