# RUN: %tandem-python %s
"""Outputs that take the place of inputs."""

import unittest

import numpy as np
import tandem


def momentum_step():
    """v' = v / 2 + g and w' = w - v', and the sum of the old w."""
    b = tandem.Builder()
    g = b.input("float32", (None,), dims=("n",), name="g")
    w = b.input("float32", (None,), dims=("n",), name="w")
    v = b.input("float32", (None,), dims=("n",), name="v")
    next_v = b.add(b.mul(v, b.constant(np.array(0.5, np.float32))), g)
    return b.build([b.reduce(w, kind="sum", dims=[0]), b.sub(w, next_v), next_v])


class UpdatesTest(unittest.TestCase):
    def setUp(self):
        self.step = momentum_step().with_updates({"w": 1, 2: 2})

    def arrays(self, count=5):
        return (np.ones(count, np.float32), np.full(count, 10, np.float32),
                np.arange(count, dtype=np.float32))

    def test_arrays_are_updated(self):
        for tier in ("reference", "eager", "compiled", None):
            g, w, v = self.arrays()
            old_w, old_v = w.copy(), v.copy()
            total, new_w, new_v = self.step(g, w, v, tier=tier)
            self.assertIs(new_w, w)
            self.assertIs(new_v, v)
            self.assertEqual(total, 50)
            np.testing.assert_array_equal(v, old_v / 2 + g)
            np.testing.assert_array_equal(w, old_w - v)

    def test_many_calls_of_several_sizes(self):
        for count in (3, 100_000, 3):
            g, w, v = self.arrays(count)
            expected_w, expected_v = w.astype(np.float64), v.astype(np.float64)
            for _ in range(20):
                self.step(g, w, v)
                expected_v = expected_v / 2 + g
                expected_w = expected_w - expected_v
            np.testing.assert_allclose(w, expected_w, rtol=1e-5)
        self.step.wait()

    def test_named_arguments(self):
        g, w, v = self.arrays()
        _, new_w, _ = self.step(v=v, g=g, w=w)
        self.assertIs(new_w, w)

    def test_refusals(self):
        g, w, v = self.arrays()
        with self.assertRaisesRegex(tandem.Error, "overlaps input 0"):
            self.step(w, w, v)
        with self.assertRaisesRegex(tandem.Error, "not contiguous"):
            self.step(g, np.full(10, 10, np.float32)[::2], v)
        w.flags.writeable = False
        with self.assertRaisesRegex(tandem.Error, "read-only"):
            self.step(g, w, v)
        np.testing.assert_array_equal(w, np.full(5, 10, np.float32))
        np.testing.assert_array_equal(v, np.arange(5, dtype=np.float32))
        with self.assertRaisesRegex(tandem.Error, "takes the place of"):
            self.step(g, g + 1, v, out=[np.empty((), np.float32), np.empty(5, np.float32), v])

    def test_wrong_updates(self):
        step = momentum_step()
        with self.assertRaisesRegex(TypeError, "no input 'u'; inputs are"):
            step.with_updates({"u": 1})
        with self.assertRaisesRegex(tandem.Error, "the graph has 3 outputs"):
            step.with_updates({"w": 3})
        with self.assertRaisesRegex(tandem.Error, "but the result is"):
            step.with_updates({"w": 0})
        with self.assertRaises(TypeError):
            step.with_updates(["w"])


if __name__ == "__main__":
    unittest.main()
