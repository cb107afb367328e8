# RUN: %tandem-python %s 2000
"""Threads that share functions. The argument is the number of calls of each."""

import sys
import threading
import unittest

import numpy as np
import tandem
from Inputs.graphs import Layer, unary

CALLS = int(sys.argv.pop(1))
THREADS = 8
ROWS = (1, 3, 8, 33)


class Threads:
    """Threads whose exceptions fail the test."""

    def __init__(self):
        self.threads, self.errors = [], []

    def start(self, function, *arguments):
        def run():
            try:
                function(*arguments)
            except BaseException as error:
                self.errors.append(error)

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()

    def join(self):
        for thread in self.threads:
            thread.join()
        if self.errors:
            raise self.errors[0]


class Caller:
    """Calls `f` with inputs of its own, in several shapes, and checks the results."""

    def __init__(self, f, seed):
        self.f = f
        self.inputs = [Layer.input(rows, seed) for rows in ROWS]
        self.expected = [Layer.expected(x) for x in self.inputs]
        self.outs = [np.empty_like(y) for y in self.expected]

    def call(self, i):
        which = i % len(ROWS)
        x, expected = self.inputs[which], self.expected[which]
        if i // len(ROWS) % 2:
            y = self.outs[which]
            y[0, 0] = -1  # No result has this value.
            if self.f(x, out=y) is not y:
                raise AssertionError("out= is not what the call returns")
        else:
            y = self.f(x)
        if not np.array_equal(y, expected):
            raise AssertionError(f"call {i} returns {y}, not {expected}")

    def work(self, calls):
        for i in range(calls):
            self.call(i)


class ThreadsTest(unittest.TestCase):
    def call_beside(self, f, *others):
        """Calls `f` in all threads while each of `others` runs again and again;
        returns how often each of them ran."""
        callers, beside, done = Threads(), Threads(), threading.Event()
        counts = [0] * len(others)

        def repeat(which):
            while not done.is_set():
                others[which]()
                counts[which] += 1

        for which in range(len(others)):
            beside.start(repeat, which)
        for seed in range(THREADS):
            callers.start(Caller(f, seed).work, CALLS)
        try:
            callers.join()
        finally:
            done.set()
            beside.join()
        self.assertEqual(sum(s.calls for s in f.report().signatures), THREADS * CALLS)
        return counts

    def test_calls_beside_everything_else(self):
        f = Layer.build()

        def observe():
            calls = sum(s.calls for s in f.report().signatures)
            f.compile_ahead(*((rows, 16) for rows in (*ROWS, 5)))
            f.wait()
            self.assertGreaterEqual(sum(s.calls for s in f.report().signatures), calls)

        def create_and_drop():
            g = Layer.build()
            g.compile_ahead((7, 16))
            x = Layer.input(2)
            y = g(x)
            del g
            np.testing.assert_array_equal(y, Layer.expected(x))

        for count in self.call_beside(f, observe, f.cancel, create_and_drop):
            self.assertGreater(count, 0)

    def test_calls_in_each_mode(self):
        for mode in ("eager", "compile"):
            self.call_beside(Layer.build(mode=mode))

    def test_errors_beside_calls(self):
        f = Layer.build()

        def fail():
            with self.assertRaises(tandem.Error):
                f(np.ones((3, 17), np.float32))
            with self.assertRaises(TypeError):
                f([1.0])

        self.assertGreater(self.call_beside(f, fail)[0], 0)

    def test_functions_of_python(self):
        """They take the GIL, which calls have released."""

        @tandem.custom_call("test.threads.negate")
        def negate(x):
            return -x

        b = tandem.Builder()
        x = b.input("float32", (4, 16))
        f = b.build(b.custom_call(b.relu(x), target="test.threads.negate",
                                  results=[{"dtype": "f32", "dims": [4, 16]}]))
        threads = Threads()

        def work(seed):
            x = Layer.input(4, seed)
            for _ in range(CALLS // 10):
                np.testing.assert_array_equal(f(x), -np.maximum(x, 0))

        for seed in range(THREADS):
            threads.start(work, seed)
        threads.join()

    def test_results_dropped_by_other_threads(self):
        f, results = unary("float32"), []
        threads, done = Threads(), threading.Event()

        def drop():
            while not done.is_set() or results:
                if results:
                    x, y = results.pop()
                    np.testing.assert_array_equal(y, -x)

        def work(seed):
            for i in range(CALLS):
                x = np.full(1 + (i + seed) % 1000, seed, np.float32)
                results.append((x, f(x)))

        droppers = Threads()
        droppers.start(drop)
        for seed in range(2):
            threads.start(work, seed)
        try:
            threads.join()
        finally:
            done.set()
            droppers.join()
        self.assertEqual(results, [])


if __name__ == "__main__":
    unittest.main()
