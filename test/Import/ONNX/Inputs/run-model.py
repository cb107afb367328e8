"""Runs a model in every tier and compares its results with known ones.

usage: run-model.py TANDEM_RUN MODEL.onnx VALUES.npz [OPTION]...

VALUES.npz has the inputs by their names, and the results as output0, output1, …
Scalars are given as text, which may determine shapes. An element may differ by
a share of the largest one of its result. Options are those of tandem-run.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy

TIERS = ["reference", "eager", "compiled"]
LARGEST_ERROR = {"float32": 1e-4, "float16": 4e-3}


def arguments_of(values, folder):
    for name, value in values.items():
        if name.startswith("output"):
            continue
        if value.ndim == 0:
            yield f"--input={name}=[{value}]"
            continue
        numpy.save(folder / f"{name}.npy", value)
        yield f"--input={name}={folder / name}.npy"


def error_of(actual, expected):
    """The largest error by the largest element; infinite for another type."""
    if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
        return numpy.inf
    wide = expected.astype("float64")
    return float(numpy.abs(actual - wide).max() / numpy.abs(wide).max())


def run(command, values, tier):
    """Whether all results of a tier agree."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([*command, *arguments_of(values, folder), "--no-fallback",
                        f"--tier={tier}", f"--out-dir={folder / 'out'}"],
                       stdout=subprocess.DEVNULL, check=True)
        outputs = [key for key in values if key.startswith("output")]
        agree = True
        for key in outputs:
            error = error_of(numpy.load(folder / "out" / f"{key}.npy"),
                             values[key])
            agree &= error <= LARGEST_ERROR[values[key].dtype.name]
            print(f"{tier}: {key}: error {error:.1e}")
        return agree and bool(outputs)


def main():
    tandem_run, model, values, *options = sys.argv[1:]
    values = dict(numpy.load(values))
    agree = [run([tandem_run, model, *options], values, tier) for tier in TIERS]
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
