# RUN: %tandem-python %s
"""Second derivatives against JAX: Hessian-vector products of functions of many ops.

The gradient of a gradient is multiplied by a direction: with the direction as the seed, the
second pass differentiates the scalar product of the direction and the gradient.
Inputs/golden-hessians.npz has JAX's results (utils/conformance/make-golden-hessians.py).
"""

import pathlib
import sys
import unittest

import numpy as np
import tandem

INPUTS = pathlib.Path(__file__).resolve().parent / "Inputs"
sys.path.append(str(INPUTS))
import hessian_cases as cases  # noqa: E402

# Relative to the largest element of a product.
TOLERANCE = 1e-9


class HessianProductsTest(unittest.TestCase):
    def check(self, name, stored):
        shapes = cases.SHAPES[name][0]
        b = tandem.Builder()
        inputs = [b.input("float64", shape) for shape in shapes]
        function = b.build(cases.FUNCTIONS[name](cases.Graph(b), *inputs))
        x = [stored[f"{name}/x{i}"] for i in range(len(shapes))]
        for j in range(len(shapes)):
            gradient = function.with_gradient(x, wrt=[j])
            twice = gradient.with_gradient(x, wrt=list(range(len(x))), loss=1, seed=True)
            for tier in ("reference", "eager", "compiled"):
                products = twice(*x, stored[f"{name}/v{j}"], tier=tier)[2:]
                for i, product in enumerate(products):
                    with self.subTest(name, operands=(i, j), tier=tier):
                        expected = stored[f"{name}/{i},{j}"]
                        np.testing.assert_allclose(
                            product, expected, rtol=0,
                            atol=TOLERANCE * max(np.abs(expected).max(), 1e-3))

    def test_all(self):
        with np.load(INPUTS / "golden-hessians.npz") as file:
            stored = dict(file)
        for name in cases.FUNCTIONS:
            with self.subTest(name):
                self.check(name, stored)


if __name__ == "__main__":
    unittest.main()
