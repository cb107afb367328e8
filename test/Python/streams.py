# RUN: %torch-python %s
# REQUIRES: python-torch
"""tandem.bench.stream: the same calls in several systems."""

import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import tandem
import torch
from tandem._format import format_ns
from tandem.bench import Stream, stream
from tandem.bench._statistics import interval, quantile, relative_error

from Inputs import models

MODELS = str(pathlib.Path(models.__file__))
BOTH = ("eager", "tandem")
SHAPES = [(2, 8), (5, 8), (2, 8), (7, 8)]


class OfMain(models.Scaled):
    pass


def run(name, shapes=SHAPES, peers=BOTH, **options):
    return stream(f"{MODELS}:{name}", shapes, peers=peers, **options)


class StreamTest(unittest.TestCase):
    def test_calls_and_counts(self):
        result = run("make", threads=1)
        self.assertEqual(result.calls, ["2x8", "5x8", "2x8", "7x8"])
        self.assertEqual(result.threads, 1)
        for row in result.rows:
            self.assertTrue(row.agrees, str(result))
            self.assertEqual([len(times) for times in row.times], [4])
            self.assertGreater(min(map(min, row.times)), 0)
            self.assertGreater(row.total.mean, row.first.mean)
            self.assertEqual(row.total.low, 0)
        self.assertEqual(result["eager"].counts[0]["graphs"], 0)
        # A graph for the first size, and one for any size.
        (counts,) = result["tandem"].counts
        self.assertEqual((counts["graphs"], counts["recompiles"]), (2, 1))
        self.assertEqual((counts["fallbacks"], counts["limit"]), ([], False))
        self.assertGreater(counts["peak_bytes"], 50e6)  # torch alone has more.

    def test_repeats(self):
        """Each process is measured, but the first one if caches are warm."""
        row = run("make", peers=["eager"], repeats=3, warm=True)["eager"]
        self.assertEqual([len(times) for times in row.times], [4, 4, 4], row.error)
        self.assertLessEqual(row.total.low, row.total.mean)
        self.assertLess(row.total.mean, row.total.high)
        self.assertEqual(len(row.cumulative()), 4)

    def test_forms_of_a_result(self):
        result = run("make", peers=["eager", "tandem-unbacked"])
        self.assertEqual(result["tandem-unbacked"].counts[0]["recompiles"], 0, str(result))
        self.assertIn("Tandem, mark_unbacked", str(result))
        self.assertIn("4 calls with 3 different shapes, 1 process per system", str(result))
        self.assertIn("<svg", result._repr_html_())
        self.assertEqual(len(result.markdown().splitlines()), 4)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("x.html", "x.json", "x.svg"):
                result.save(pathlib.Path(folder, name))
            again = Stream.of_json(pathlib.Path(folder, "x.json").read_text("utf-8"))
            self.assertEqual(str(again), str(result))
            self.assertEqual(json.loads(again.json()), json.loads(result.json()))
            picture = pathlib.Path(folder, "x.svg").read_text("utf-8")
            self.assertIn("xmlns=", picture)
            self.assertEqual(picture.count("stroke-width"), 2)
            with self.assertRaisesRegex(tandem.Error, r"x\.txt.*\.html, \.json, \.svg"):
                result.save(pathlib.Path(folder, "x.txt"))

    def test_models_and_tensors(self):
        """A model itself, whose inputs are tensors."""
        x, y = torch.randn(4, 8), torch.ones((), dtype=torch.int64)
        result = stream(models.make(), [(x, y), (x, y), x], peers=BOTH, threads=2)
        self.assertEqual(result.calls, ["4x8, scalar", "4x8, scalar", "4x8"])
        self.assertTrue(result["tandem"].agrees, str(result))

    def test_fallbacks_are_named(self):
        row = run("make_with_fallback", SHAPES[:1], ["tandem"])["tandem"]
        self.assertTrue(row.agrees, row.error)
        self.assertEqual(row.remark, "falls back: aten.i0.default")

    def test_wrong_results_are_found(self):
        result = run("make_wrong", SHAPES[:1], ["tandem"])
        self.assertFalse(result["tandem"].agrees)
        self.assertGreater(result["tandem"].relative_error, 1e-3)
        self.assertIn("results differ", str(result))
        result["tandem"].tolerance = 0.5
        self.assertTrue(result["tandem"].agrees)

    @unittest.skipUnless(shutil.which("g++"), "Inductor needs a C++ compiler")
    def test_inductor(self):
        row = run("make", [(2, 8), (3, 8)], ["inductor-static"])["inductor-static"]
        self.assertTrue(row.agrees, row.error)
        self.assertEqual((row.counts[0]["graphs"], row.counts[0]["recompiles"]), (2, 1))


class FailureTest(unittest.TestCase):
    """A system that fails has its error in its row."""

    def test_exceptions(self):
        result = run("make_failing", [(2, 8), (3, 8)], ["eager", "eager"])
        self.assertEqual(len(result.rows), 1)
        self.assertEqual(result.rows[0].error, "ValueError: three is not")
        self.assertIn("failed: ValueError: three is not", str(result))
        self.assertFalse(result.rows[0].agrees)

    def test_crashes(self):
        (row,) = run("make_killed", peers=["eager"]).rows
        self.assertIn("ended by SIGSEGV", row.error)

    def test_timeouts(self):
        (row,) = run("make_slow", peers=["eager"], timeout=10).rows
        self.assertEqual(row.error, "no answer within 10 s")


class ArgumentsTest(unittest.TestCase):
    def refused(self, kind, message, *arguments, **named):
        with self.assertRaisesRegex(kind, message):
            stream(*arguments, **named)

    def test_models(self):
        self.refused(tandem.Error, "cannot be loaded: RuntimeError: no model here",
                     f"{MODELS}:make_nothing", SHAPES)
        self.refused(tandem.Error, "cannot be loaded: ModuleNotFoundError",
                     "no_such_module:make", SHAPES)
        self.refused(tandem.Error, "cannot be loaded: AttributeError", f"{MODELS}:none", SHAPES)
        self.refused(tandem.Error, "'models.py'.*module:function", "models.py", SHAPES)
        self.refused(TypeError, "model is a int", 1, SHAPES)
        self.refused(tandem.Error, "defined in __main__.*file.py:function", OfMain(), SHAPES)
        self.refused(tandem.Error, "cannot be written.*file.py:function",
                     models.make_failing(), SHAPES)

    def test_shapes(self):
        for shapes, message in (
                (3, "shapes is 3, not a list"), ("ab", "shapes is text"),
                ([3], r"shapes\[0\] is a int, not a shape"),
                ([(1, 8), (1, "a")], r"shapes\[1\] is \(1, 'a'\), not a shape"),
                ([(-1, 8)], r"shapes\[0\] is \(-1, 8\), not a shape"),
                ([((1, 8), (2.5,))], r"shapes\[0\] is \(2.5,\), not a shape")):
            with self.subTest(shapes):
                self.refused(TypeError, message, f"{MODELS}:make", shapes)
        self.refused(tandem.Error, "there are no calls", f"{MODELS}:make", [])

    def test_options(self):
        for named, message in (({"repeats": 0}, "repeats is 0, not a positive number"),
                               ({"repeats": 1.5}, "repeats is 1.5"),
                               ({"threads": "2"}, "threads is '2'"),
                               ({"tolerance": -1}, "tolerance is -1"),
                               ({"tolerance": math.nan}, "tolerance is nan"),
                               ({"timeout": 0}, "timeout is 0"),
                               ({"peers": "eager"}, "peers is a str, not a list")):
            with self.subTest(named):
                self.refused(TypeError, message, f"{MODELS}:make", SHAPES, **named)
        self.refused(tandem.Error, "no system 'jax'.*inductor-static", f"{MODELS}:make",
                     SHAPES, peers=["jax"])
        self.refused(tandem.Error, "peers is empty", f"{MODELS}:make", SHAPES, peers=[])


class StatisticsTest(unittest.TestCase):
    def test_interval(self):
        self.assertEqual(interval([4.0])[1:], (0, math.inf))
        mean, low, high = interval([1.0, math.e, math.e ** 2])
        # Logarithms 0, 1, 2: t is 4.303, the standard error 1/sqrt(3).
        self.assertAlmostEqual(math.log(mean), 1)
        self.assertAlmostEqual(math.log(high), 1 + 4.303 / math.sqrt(3))
        self.assertAlmostEqual(math.log(low), 1 - 4.303 / math.sqrt(3))
        _, low, high = interval([1.0, 2.0] * 50)
        self.assertAlmostEqual(math.log(high / low),
                               2 * 1.96 * math.log(2) / 2 * math.sqrt(100 / 99) / 10)

    def test_quantile(self):
        self.assertEqual(quantile([3, 1, 2], 0.5), 2)
        self.assertEqual(quantile([1, 2], 0.25), 1.25)
        self.assertEqual(quantile([7], 0.99), 7)
        self.assertEqual(quantile(range(101), 1), 100)

    def test_relative_error(self):
        right = np.array([3.0, 4.0, np.nan, np.inf], np.float32)
        rms = math.sqrt(12.5)
        for mine, error in (([3, 4, np.nan, np.inf], 0), ([3, 5, np.nan, np.inf], 1 / rms),
                            ([3, 4, 1, np.inf], math.inf), ([3, 4, np.nan, 1], math.inf),
                            ([np.inf, 4, np.nan, np.inf], math.inf), ([3, 4], math.inf)):
            with self.subTest(mine):
                self.assertAlmostEqual(
                    relative_error([np.array(mine, np.float32)], [right]), error)
        with self.assertRaises(ValueError):
            relative_error([], [right])

    def test_times_as_text(self):
        self.assertEqual([format_ns(ns) for ns in (999.4, 999.6, 999_499, 999_600, 1.5e9)],
                         ["999 ns", "1 µs", "999 µs", "1 ms", "1.5 s"])

    def test_nothing_large_is_imported(self):
        source = ("import sys, tandem.bench as b; b.Stream.of_json; "
                  "print(*{'torch', 'numpy'} & set(sys.modules))")
        out = subprocess.run([sys.executable, "-c", source], check=True, text=True,
                             capture_output=True).stdout
        self.assertEqual(out.split(), [])


if __name__ == "__main__":
    unittest.main()
