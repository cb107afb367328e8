# RUN: %tandem-python %s
"""Loops of a Builder compute what numpy computes."""

import unittest

import numpy as np
import tandem

TIERS = ("reference", "eager", "compiled")


class LoopTest(unittest.TestCase):
    def check(self, function, inputs, *expected):
        for tier in TIERS:
            results = function(*inputs, tier=tier)
            results = results if isinstance(results, tuple) else (results,)
            self.assertEqual(len(results), len(expected))
            for result, value in zip(results, expected):
                value = np.asarray(value)
                self.assertEqual(result.shape, value.shape)
                np.testing.assert_allclose(result, value, rtol=1e-4, atol=1e-6)

    def test_recurrent_network(self):
        rng = np.random.default_rng(1)
        w = rng.standard_normal((16, 16), dtype=np.float32) / 4
        u = rng.standard_normal((8, 16), dtype=np.float32)
        b = tandem.Builder()
        xs = b.input("float32", (None, None, 8), dims=("t", "n", ""), name="xs")
        h0 = b.input("float32", (None, 16), dims=("n", ""), name="h0")
        weights = b.constant(w)

        def cell(h, x):
            h = b.tanh(b.add(b.matmul(h, weights), b.matmul(x, b.constant(u))))
            return h, h

        last, every = b.loop(cell, carried=[h0], scanned=[xs])
        self.assertEqual(b.type(last), ("float32", (None, 16)))
        self.assertEqual(b.type(every), ("float32", (None, None, 16)))
        f = b.build([last, every], names=["last", "every"])
        for steps, batch in ((7, 3), (1, 1), (0, 2)):
            x = rng.standard_normal((steps, batch, 8), dtype=np.float32)
            h = start = rng.standard_normal((batch, 16), dtype=np.float32)
            states = []
            for t in range(steps):
                h = np.tanh(h @ w + x[t] @ u)
                states.append(h)
            self.check(f, (x, start), h, np.array(states).reshape(steps, batch, 16))

    def test_index(self):
        b = tandem.Builder()
        x = b.input("float32", (3,))

        def body(i, total):
            return b.add(total, b.mul(x, b.cast(i, dtype="f32")))

        total = b.loop(body, b.splat("float32", (3,), 0), trips=5, index=True)
        self.assertEqual(b.type(total), ("float32", (3,)))
        self.check(b.build(total), [np.array([1, 2, 3], np.float32)], [10, 20, 30])

    def test_no_iterations(self):
        b = tandem.Builder()
        x = b.input("float32", (3,))

        def body(h):
            return b.exp(h), h

        last, every = b.loop(body, [x], trips=np.int64(0))
        self.assertEqual(b.type(every), ("float32", (0, 3)))
        value = np.array([1, 2, 3], np.float32)
        self.check(b.build([last, every]), [value], value, np.zeros((0, 3)))

    def test_directions(self):
        b = tandem.Builder()
        xs = b.input("float32", (None,), dims=("t",))
        zero = b.splat("float32", (), 0)

        def total(h, x):
            h = b.add(h, x)
            return h, h

        def collect(x, y):
            return x, y

        x = np.array([1, 2, 4], np.float32)
        backward = b.loop(total, [zero], [xs], reverse=True)
        mixed = b.loop(collect, scanned=[xs, xs], reverse=[True, False, False, True])
        f = b.build([*backward, *mixed])
        self.check(f, [x], 7, x[::-1].cumsum()[::-1], x[::-1], x[::-1])

    def test_nested_loops(self):
        b = tandem.Builder()
        x = b.input("float32", (None, 4, 2), dims=("n", "", ""))

        def row(y):
            doubled = b.add(y, y)
            return b.loop(lambda i, h, z: b.add(b.mul(h, z), b.reduce(
                doubled, kind="sum", dims=[0, 1])),
                          [b.splat("float32", (2,), 1)], [y], index=True)

        every = b.loop(row, scanned=x)
        value = np.random.default_rng(2).standard_normal((3, 4, 2), dtype=np.float32)
        expected = []
        for y in value:
            h = np.ones(2, np.float32)
            for z in y:
                h = h * z + 2 * y.sum()
            expected.append(h)
        self.check(b.build(every), [value], expected)

    def test_errors_name_the_loop(self):
        def build(body, **options):
            b = tandem.Builder()
            x = b.input("float32", (4, 2))
            return b.loop(lambda h: body(b, h), [x], **options)

        with self.assertRaisesRegex(tandem.Error, r"carried value 0 is "
                                    r"tensor<4x2xf32>.*computes tensor<4xf32>") as caught:
            build(lambda b, h: b.reduce(h, kind="sum", dims=[1]), trips=3)
        self.assertEqual(caught.exception.location, "op 0 (loop)")
        with self.assertRaisesRegex(tandem.Error, "'trips' or a scanned"):
            build(lambda b, h: h)
        with self.assertRaisesRegex(tandem.Error, "'trips' is -1"):
            build(lambda b, h: h, trips=-1)
        with self.assertRaisesRegex(tandem.Error, "computes 0 carried values"):
            build(lambda b, h: (), trips=1)
        with self.assertRaisesRegex(tandem.Error, "2 flags 'reversed' for 1 stacked"):
            build(lambda b, h: (h, h), trips=1, reverse=[True, True])
        with self.assertRaisesRegex(tandem.Error, r"softmax.*axis"):
            build(lambda b, h: b.softmax(h, axis=7), trips=1)
        with self.assertRaisesRegex(TypeError, "what the body returns"):
            build(lambda b, h: None, trips=1)
        with self.assertRaisesRegex(TypeError, "added by Builder.constant"):
            tandem.Builder().loop(lambda h: h, [np.zeros(3)], trips=1)
        with self.assertRaises(TypeError):
            build(lambda b, h: h, trips=1.5)

    def test_values_of_a_body_end_with_it(self):
        b = tandem.Builder()
        x = b.input("float32", (2,))
        inside = []

        def body(h):
            inside.append(h)
            return b.neg(h)

        def fail(h):
            raise ValueError("not today")

        with self.assertRaisesRegex(ValueError, "not today"):
            b.loop(fail, [x], trips=2)
        y = b.loop(body, [x], trips=3)
        value = np.array([1, -2], np.float32)
        self.check(b.build(y), [value], -value)
        with self.assertRaisesRegex(tandem.Error, "loop that has ended.*results"):
            b.neg(inside[0])


if __name__ == "__main__":
    unittest.main()
