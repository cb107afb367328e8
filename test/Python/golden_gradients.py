# RUN: %tandem-python %s
"""Gradients at ties, bounds, infinities and NaN, against those of JAX and torch.

Inputs/golden-gradients.npz has the gradients (utils/conformance/make-golden-gradients.py).
"""

import pathlib
import sys
import unittest

import numpy as np
import tandem

INPUTS = pathlib.Path(__file__).resolve().parent / "Inputs"
sys.path.append(str(INPUTS))
import gradient_cases as cases  # noqa: E402
from gradient_differences import DIFFERENCES  # noqa: E402

TIERS = ("reference", "eager", "compiled")


def load_arrays():
    """The arrays of each case: {(name, dtype): {"x0": operand, "jax0": gradient, ...}}."""
    with np.load(INPUTS / "golden-gradients.npz") as file:
        flat = {name: file[name] for name in file.files}
    found, offsets = {}, {}
    for line in str(flat["index"]).splitlines():
        name, case_dtype, what, dtype, text = line.split("/")
        shape = tuple(int(size) for size in text.split(",") if size)
        start = offsets.get(dtype, 0)
        offsets[dtype] = start + int(np.prod(shape, dtype=int))
        values = flat[dtype][start:offsets[dtype]].reshape(shape)
        found.setdefault((name, case_dtype), {})[what] = values
    return found


def gradients_of(case, operands, tier):
    """Gradients of the operands of floats, by number of the operand."""
    b = tandem.Builder()
    function = b.build(case.build(b, *(b.input(str(x.dtype), x.shape) for x in operands)))
    wrt = [i for i, x in enumerate(operands) if cases.is_float(x)]
    both = function.with_gradient(operands, wrt=wrt, seed=True)
    spec = both.inputs[-1]
    results = both(*operands, cases.seed_like(spec.shape, spec.dtype), tier=tier)
    return dict(zip(wrt, results[1:]))


def are_close(actual, expected, dtype):
    """For each element, whether it is within the tolerance."""
    epsilon = np.finfo(dtype).eps
    with np.errstate(all="ignore"):
        actual, expected = actual.astype(np.float64), expected.astype(np.float64)
        bound = 32 * epsilon * np.maximum(np.abs(expected), 1)
        return ((np.abs(actual - expected) <= bound) | (actual == expected)
                | (np.isnan(actual) & np.isnan(expected)))


class Listed:
    """The differences that are listed, and which of them were seen."""

    def __init__(self):
        self.seen = set()

    def allowed(self, name, library, operands, shape):
        """The elements that may differ, and the differences that allow it."""
        floats = [x for x in operands if cases.is_float(x)]
        masks = [(each, np.broadcast_to(each.where(*floats), shape)) for each in DIFFERENCES
                 if name in each.cases and library in each.libraries]
        return masks

    def unlisted(self, name, library, operands, is_close):
        """The elements that differ although no difference is listed."""
        left = ~is_close
        for each, mask in self.allowed(name, library, operands, is_close.shape):
            if (~is_close & mask).any():
                self.seen.add((each, name, library))
            left = left & ~mask
        return left

    def unseen(self):
        return [(each.cases, name, library, each.reason) for each in DIFFERENCES
                for name in each.cases for library in each.libraries
                if (each, name, library) not in self.seen]


class GoldenGradientsTest(unittest.TestCase):
    maxDiff = None

    def compare(self, name, dtype, arrays, listed, tier):
        operands = [arrays[f"x{i}"] for i in range(len(arrays)) if f"x{i}" in arrays]
        for i, gradient in gradients_of(cases.CASES[name], operands, tier).items():
            for library in ("jax", "torch"):
                expected = arrays.get(f"{library}{i}")
                if expected is None:
                    continue
                self.assertEqual(gradient.shape, expected.shape)
                is_close = are_close(gradient, expected, dtype)
                places = np.argwhere(listed.unlisted(name, library, operands, is_close))
                self.assertEqual([
                    (tuple(map(int, at)), gradient[tuple(at)], expected[tuple(at)])
                    for at in places], [], f"{name} {dtype} {tier}: gradient of operand {i}, "
                    f"differences from {library}: (place, Tandem's gradient, {library}'s)")

    def test_all(self):
        listed = Listed()
        stored = load_arrays()
        self.assertEqual(list(stored), cases.names())
        for (name, dtype), arrays in stored.items():
            for tier in TIERS:
                with self.subTest(name, dtype=dtype, tier=tier):
                    self.compare(name, dtype, arrays, listed, tier)
        self.assertEqual(listed.unseen(), [], "listed differences that do not occur")


if __name__ == "__main__":
    unittest.main()
