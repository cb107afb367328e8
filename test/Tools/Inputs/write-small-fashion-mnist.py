#!/usr/bin/env python3
"""Writes a small data set in the format of Fashion-MNIST to a folder. An image of class c
has two bright rows, 2 c + 4 and 2 c + 5, and noise elsewhere.

  write-small-fashion-mnist.py FOLDER TRAINING-IMAGES TEST-IMAGES
"""

import gzip
import pathlib
import random
import struct
import sys

SIZE, CLASSES = 28, 10


def image(label):
    pixels = bytearray(random.randrange(64) for _ in range(SIZE * SIZE))
    begin = SIZE * (2 * label + 4)
    pixels[begin:begin + 2 * SIZE] = bytes([255]) * (2 * SIZE)
    return bytes(pixels)


def write(path, sizes, content):
    head = bytes([0, 0, 8, len(sizes)]) + struct.pack(f">{len(sizes)}I", *sizes)
    path.write_bytes(gzip.compress(head + content))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    random.seed(0)
    for part, count in (("train", int(sys.argv[2])), ("t10k", int(sys.argv[3]))):
        labels = [number % CLASSES for number in range(count)]
        write(folder / f"{part}-images-idx3-ubyte.gz", (count, SIZE, SIZE),
              b"".join(map(image, labels)))
        write(folder / f"{part}-labels-idx1-ubyte.gz", (count,), bytes(labels))


if __name__ == "__main__":
    main()
