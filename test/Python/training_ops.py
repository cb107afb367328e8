# RUN: %tandem-python %s
"""Pools with indices, moments, random words and stop_gradient, from a Builder."""

import unittest

import numpy as np
import tandem

TIERS = ("reference", "eager", "compiled")


class TrainingOpsTest(unittest.TestCase):
    def test_pool_and_its_gradient(self):
        b = tandem.Builder()
        x, g = b.input("float32", (1, 1, 6)), b.input("float32", (1, 1, 3))
        y, index = b.max_pool_with_index(x, window=[2], strides=[2])
        dx = b.max_pool_backward(g, index, window=[2], strides=[2], input_sizes=[6])
        dy = b.avg_pool_backward(g, window=[2], strides=[2], input_sizes=[6])
        f = b.build([y, index, dx, dy])
        value = np.float32([1, np.nan, 3, 3, -np.inf, -2]).reshape(1, 1, 6)
        gradient = np.float32([1, 2, 4]).reshape(1, 1, 3)
        for tier in TIERS:
            with self.subTest(tier=tier):
                results = [r.ravel().tolist() for r in f(value, gradient, tier=tier)]
                np.testing.assert_array_equal(results[0], [np.nan, 3, -2])
                self.assertEqual(results[1], [1, 0, 1])
                self.assertEqual(results[2], [0, 1, 2, 0, 0, 4])
                self.assertEqual(results[3], [0.5, 0.5, 1, 1, 2, 2])

    def test_moments_are_those_of_numpy(self):
        value = np.random.default_rng(1).normal(1e4, 1e-2, (7, 5, 40)).astype(np.float32)
        b = tandem.Builder()
        f = b.build(list(b.moments(b.input("float32", value.shape), dims=[0, 2])))
        for tier in TIERS:
            mean, variance = f(value, tier=tier)
            wide = value.astype(np.float64)
            np.testing.assert_allclose(mean, wide.mean((0, 2)), rtol=1e-7)
            np.testing.assert_allclose(variance, wide.var((0, 2)), rtol=1e-6)

    def test_random_words(self):
        b = tandem.Builder()
        f = b.build(b.random(b.input("uint64", ()), b.input("uint64", ()), shape=[4]))
        for tier in TIERS:
            words = f(np.array(0, np.uint64), np.array(0, np.uint64), tier=tier)
            self.assertEqual(words.tolist(), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8])

    def test_stop_gradient_is_the_identity(self):
        b = tandem.Builder()
        f = b.build(b.stop_gradient(b.input("float32", (3,))))
        self.assertEqual(f(np.float32([1, -2, 3])).tolist(), [1, -2, 3])


if __name__ == "__main__":
    unittest.main()
