# RUN: %tandem-python %s
"""Gradients of functions, against formulas in NumPy."""

import unittest

import numpy as np
import tandem


def logistic_loss():
    """The mean of softplus(-y * (x @ w)) over a batch of free size."""
    b = tandem.Builder()
    x = b.input("float32", (None, 3), dims=("n", ""), name="x")
    y = b.input("float32", (None, 1), dims=("n", ""), name="y")
    w = b.input("float32", (3, 1), name="w")
    margin = b.mul(y, b.matmul(x, w))
    loss = b.reduce(b.softplus(b.neg(margin)), kind="mean", dims=[0, 1])
    return b.build([loss, margin])


def expected(x, y, w):
    margin = y * (x @ w)
    of_margin = -y / (1 + np.exp(margin)) / len(x)
    return np.log1p(np.exp(-margin)).mean(), x.T @ of_margin, of_margin @ w.T


class GradientsTest(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(1)
        self.function = logistic_loss()
        self.arrays = [(rng.standard_normal((n, 3), dtype=np.float32),
                        np.sign(rng.standard_normal((n, 1), dtype=np.float32)),
                        rng.standard_normal((3, 1), dtype=np.float32)) for n in (5, 8, 5)]

    def test_value_and_grad(self):
        both = tandem.value_and_grad(self.function, wrt=["w", 0])
        for x, y, w in self.arrays:
            value, of_w, of_x = expected(x, y, w)
            (loss, margin), gradients = both(x, y, w)
            np.testing.assert_allclose(loss, value, rtol=1e-5)
            np.testing.assert_allclose(margin, y * (x @ w), rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(gradients[0], of_w, rtol=1e-4, atol=1e-6)
            np.testing.assert_allclose(gradients[1], of_x, rtol=1e-4, atol=1e-6)

    def test_grad(self):
        x, y, w = self.arrays[0]
        gradient = tandem.grad(self.function, wrt="w")(x, y, w)
        np.testing.assert_allclose(gradient, expected(x, y, w)[1], rtol=1e-4, atol=1e-6)

    def test_inputs_by_name(self):
        x, y, w = self.arrays[0]
        gradient = tandem.grad(self.function, wrt="w")
        np.testing.assert_array_equal(gradient(x, w=w, y=y), gradient(x, y, w))
        for message, given, named in (("input 'y' is missing", [x], {"w": w}),
                                      ("no input 'v'", [x, y, w], {"v": w}),
                                      ("no input 'x', or it is given twice", [x, y, w],
                                       {"x": x})):
            with self.assertRaisesRegex(TypeError, message):
                gradient(*given, **named)

    def test_tiers_and_seeds(self):
        x, y, w = self.arrays[0]
        f = self.function.with_gradient([x, y, w], wrt=["w"], loss=1, seed=True)
        self.assertEqual([spec.name for spec in f.inputs], ["x", "y", "w", "seed"])
        seed = np.arange(5, dtype=np.float32).reshape(5, 1)
        for tier in ("reference", "eager", "compiled"):
            *_, gradient = f(x, y, w, seed, tier=tier)
            np.testing.assert_allclose(gradient, x.T @ (y * seed), rtol=1e-4, atol=1e-5)

    def test_custom_call(self):
        tandem.custom_call("test.cube", lambda x: x ** 3, gradient="test.cube_gradient")
        tandem.custom_call("test.cube_gradient", lambda x, y, g: 3 * x ** 2 * g)
        tandem.custom_call("test.no_gradient", lambda x: x)
        x = np.array([1, -2, 3], np.float32)

        def sum_of(target):
            b = tandem.Builder()
            given = b.input("float32", (3,))
            y = b.custom_call(given, target=target, results=[{"dtype": "f32", "dims": [3]}])
            return b.build(b.reduce(y, kind="sum", dims=[0]))

        value, gradient = tandem.value_and_grad(sum_of("test.cube"))(x)
        self.assertEqual(value, 20)
        np.testing.assert_array_equal(gradient, 3 * x ** 2)
        with self.assertRaisesRegex(tandem.Error, "has no gradient"):
            tandem.grad(sum_of("test.no_gradient"))(x)

    def test_second_derivative(self):
        b = tandem.Builder()
        x = b.input("float32", (4,), name="x")
        cube = b.build(b.reduce(b.mul(b.mul(x, x), x), kind="sum", dims=[0]))
        first = cube.with_gradient([(4,)])
        second = first.with_gradient([(4,)], loss=1, seed=True)
        value = np.array([1, -2, 0, 3], np.float32)
        *_, product = second(value, np.ones(4, np.float32))
        np.testing.assert_allclose(product, 6 * value, rtol=1e-6)

    def test_errors(self):
        with self.assertRaisesRegex(TypeError, "there is no input 'v'"):
            self.function.with_gradient([(2, 3), (2, 1), (3, 1)], wrt=["v"])
        with self.assertRaisesRegex(tandem.Error, "has not one element"):
            self.function.with_gradient([(2, 3), (2, 1), (3, 1)], loss=1)
        with self.assertRaisesRegex(tandem.Error, "there is no argument 9"):
            self.function.with_gradient([(2, 3), (2, 1), (3, 1)], wrt=[9])
        with self.assertRaises(TypeError):
            tandem.grad(lambda x: x)
        with self.assertRaisesRegex(TypeError, "input 0 is no array: list"):
            tandem.grad(self.function, wrt="w")([[1, 2, 3]], *self.arrays[0][1:])

    def test_empty_batch(self):
        _, gradient = tandem.value_and_grad(self.function, wrt="x")(
            np.zeros((0, 3), np.float32), np.zeros((0, 1), np.float32), self.arrays[0][2])
        self.assertEqual(gradient.shape, (0, 3))


if __name__ == "__main__":
    unittest.main()
