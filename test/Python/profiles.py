# RUN: %tandem-python %s
"""Profiles and coverage tell what executes the nodes of a graph."""

import re
import unittest

import numpy as np
import tandem


def build(dims=("n", ""), **options):
    """relu(x @ w) + 1, and the index of the largest element of each row."""
    b = tandem.Builder()
    x = b.input("float32", (None if dims[0] else 16, 8), dims=dims, name="x")
    b.set_location("product")
    y = b.matmul(x, b.constant(np.ones((8, 4), np.float32)))
    b.set_location("activation")
    y = b.add(b.relu(y), b.splat("float32", (), 1))
    b.set_location("best")
    return b.build([y, b.topk(y, axis=1, k=1)[1]], **options)


X = np.random.default_rng(1).standard_normal((16, 8), dtype=np.float32)


class ProfileTest(unittest.TestCase):
    def test_eager(self):
        profile = build().profile(X, runs=3)
        self.assertEqual(profile.tier, "eager")
        self.assertEqual([step.name for step in profile.steps],
                         ["matmul", "relu", "add", "topk"])
        matmul, relu = profile.steps[:2]
        self.assertEqual((matmul.kind, matmul.nodes), ("library", ["product"]))
        self.assertEqual(relu.bytes_read, 16 * 4 * 4)
        self.assertEqual(relu.bytes_written, 16 * 4 * 4)
        self.assertEqual(matmul.flops, 2 * 16 * 8 * 4)
        self.assertEqual(profile.step_ns, sum(step.ns for step in profile.steps))
        self.assertLessEqual(relu.p10, relu.p90)

    def test_compiled(self):
        profile = build().profile(x=X, tier="compiled", runs=2)
        self.assertEqual(profile.tier, "compiled")
        nodes = {node for step in profile.steps for node in step.nodes}
        self.assertEqual(nodes, {"product", "activation", "best"})
        self.assertTrue(any(step.kind == "kernel" for step in profile.steps))

    def test_tables(self):
        profile = build().profile(X, runs=2)
        lines = str(profile).splitlines()
        self.assertEqual(lines[0].split(),
                         ["time", "share", "step", "by", "bytes", "flops", "nodes"])
        self.assertEqual(len(lines), 1 + 4 + 1)
        self.assertRegex(lines[-1], "eager: 4 steps take .*s, a call .*s")
        self.assertRegex(repr(profile), "^<tandem.Profile: eager")
        page = profile._repr_html_()
        self.assertEqual(page.count("<tr>"), 5)
        self.assertIn("topk", page)
        self.assertNotIn("<script", page)

    def test_long_tables_are_cut_in_notebooks_alone(self):
        b = tandem.Builder()
        x = b.input("float32", (4,))
        b.set_location("<tag>")
        y = x
        for _ in range(60):
            y = b.tanh(y)
        profile = b.build(y).profile(np.zeros(4, np.float32), tier="eager", runs=1)
        self.assertEqual(len(str(profile).splitlines()), 62)
        page = profile._repr_html_()
        self.assertEqual(page.count("<tr>"), 41)
        self.assertIn("20 more steps", page)
        self.assertIn("&lt;tag&gt;", page)

    def test_errors(self):
        f = build()
        with self.assertRaisesRegex(TypeError, "'fast' is no tier"):
            f.profile(X, tier="fast")
        with self.assertRaisesRegex(tandem.Error, "captured"):
            f.profile(X, tier="captured")
        with self.assertRaisesRegex(tandem.Error, "at least one run, not 0"):
            f.profile(X, runs=0)
        with self.assertRaisesRegex(TypeError, "input 'x' is missing"):
            f.profile()
        with self.assertRaisesRegex(tandem.Error, "input"):
            f.profile(X[:, :3].copy())


class CoverageTest(unittest.TestCase):
    def test_nodes(self):
        coverage = build().coverage((16, 8))
        self.assertEqual([node.op for node in coverage],
                         ["matmul", "relu", "add", "topk"])
        relu, best = coverage.nodes[1], coverage.nodes[3]
        self.assertEqual((relu.location, relu.execution), ("activation", "generated"))
        self.assertRegex(relu.step, "^kernel_")
        self.assertEqual(relu.reason, "")
        self.assertEqual((best.execution, best.step), ("library", "topk"))
        self.assertRegex(best.reason, "no kernel was planned")
        self.assertEqual(sum(coverage.counts.values()), 4)

    def test_tiers_and_signatures(self):
        coverage = build().coverage([X], tier="reference")
        self.assertEqual(coverage.counts, {"reference": 4})
        self.assertEqual(len(build(("", "")).coverage(tier="eager")), 4)
        with self.assertRaisesRegex(TypeError, "free dims"):
            build().coverage()
        with self.assertRaisesRegex(TypeError, "'fast' is no tier"):
            build().coverage((16, 8), tier="fast")
        with self.assertRaisesRegex(tandem.Error, "captured work"):
            build().coverage((16, 8), tier="captured")

    def test_functions_of_python(self):
        @tandem.custom_call("test.coverage")
        def same(x):
            return x

        b = tandem.Builder()
        x = b.input("float32", (4,))
        f = b.build(b.custom_call(x, target="test.coverage",
                                  results=[{"dtype": "f32", "dims": [4]}]))
        node, = f.coverage()
        self.assertRegex(node.reason, "function that the program registered")

    def test_tables(self):
        coverage = build().coverage((16, 8))
        text = str(coverage)
        self.assertRegex(text.splitlines()[0], "^op +nodes ")
        self.assertRegex(text, r"(?m)^all +4 ")
        self.assertRegex(text, r"topk \(best\): no kernel was planned")
        self.assertRegex(repr(coverage), "^<tandem.Coverage of 4 nodes, compiled: ")
        page = coverage._repr_html_()
        self.assertEqual(len(re.findall("<table>", page)), 2)
        self.assertIn("no kernel was planned", page)


if __name__ == "__main__":
    unittest.main()
