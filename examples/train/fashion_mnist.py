"""Reads Fashion-MNIST from Debian's package dataset-fashion-mnist."""

from __future__ import annotations

import gzip
import pathlib
import struct

import numpy as np

FOLDER = pathlib.Path("/usr/share/datasets/fashion-mnist")
_CLASSES = 10


def read(part: str, folder: pathlib.Path = FOLDER) -> tuple[np.ndarray, np.ndarray]:
    """The images as uint8 [n, 28, 28] and the labels as int64 [n] of "train" or "t10k".

    Raises ValueError, which names the file, for a file that is not what it says."""
    images = _read_idx(folder / f"{part}-images-idx3-ubyte.gz", 3)
    path = folder / f"{part}-labels-idx1-ubyte.gz"
    labels = _read_idx(path, 1)
    if len(images) != len(labels):
        raise ValueError(f"{path}: {len(labels)} labels for {len(images)} images")
    if wrong := np.flatnonzero(labels >= _CLASSES).tolist():
        raise ValueError(f"{path}: the label of image {wrong[0]} is {labels[wrong[0]]}, "
                         f"but classes are 0 to {_CLASSES - 1}")
    return images, labels.astype(np.int64)


def prepare(images: np.ndarray) -> np.ndarray:
    """Images as float32 [n, 3, 32, 32]: padded to 32x32, with mean 0 and deviation 1 over
    the training images, and with the grey value in three channels."""
    padded = np.pad(images, ((0, 0), (2, 2), (2, 2))).astype(np.float32)
    padded = (padded / 255 - 0.2190) / 0.3318
    return np.ascontiguousarray(np.broadcast_to(padded[:, None], (len(images), 3, 32, 32)))


def _read_idx(path: pathlib.Path, rank: int) -> np.ndarray:
    """A file in IDX format: two zero bytes, the type 8 (uint8), the rank, the sizes as
    big-endian words of 32 bits, and the elements."""
    try:
        content = gzip.decompress(path.read_bytes())
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file; install the package "
                         "dataset-fashion-mnist, or pass --data") from None
    except (gzip.BadGzipFile, EOFError) as error:
        raise ValueError(f"{path}: {error}") from None
    head = 4 + 4 * rank
    if content[:4] != bytes([0, 0, 8, rank]) or len(content) < head:
        raise ValueError(f"{path}: this is no IDX file of {rank} dims of bytes")
    sizes = struct.unpack(f">{rank}I", content[4:head])
    if len(content) - head != np.prod(sizes, dtype=np.uint64):
        raise ValueError(f"{path}: {len(content) - head} bytes for the sizes {sizes}")
    return np.frombuffer(content, np.uint8, offset=head).reshape(sizes)
