"""Writes .npy files, sound and unsound, without NumPy: make-npy.py FOLDER."""

import pathlib
import struct
import sys


def npy(descr, shape, data, fortran=False):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
values = struct.pack("<4f", 1.5, -2.0, 0.0, 8.0)
files = {
    "good": npy("<f4", "(4,)", values),
    "matrix": npy("<f4", "(2, 2)", values),
    "double": npy("<f8", "(4,)", values + values),
    "truncated": npy("<f4", "(4,)", values[:10]),
    "truncated-header": npy("<f4", "(4,)", values)[:40],
    "big-endian": npy(">f4", "(4,)", values),
    "fortran": npy("<f4", "(2, 2)", values, fortran=True),
    "object": npy("|O", "(4,)", values),
    "overflow": npy("<f4", "(4611686018427387904, 4)", values),
    "not-npy": b"These are not the bytes of an array.",
    "empty": b"",
}
for name, data in files.items():
    (folder / f"{name}.npy").write_bytes(data)
