# RUN: %torch-python %s
# REQUIRES: python-torch
"""tandem.torch.report() and tandem.report(): what is known of each graph."""

import gc
import json
import math
import pathlib
import tempfile
import unittest
import warnings
import weakref

import tandem
import tandem.torch
import torch
from tandem.report import Signature
from torch import nn

HERE = pathlib.Path(__file__).resolve()


def line_of(marker):
    """FILE:LINE of the line of this file that ends with a comment."""
    lines = HERE.read_text(encoding="utf-8").splitlines()
    (number,) = (i for i, line in enumerate(lines, 1) if line.endswith(f"  # {marker}"))
    return f"{HERE}:{number}"


class Broken(nn.Module):
    def forward(self, x):  # before the break
        y = x * 2 + 1
        torch._dynamo.graph_break()  # the break
        return y.relu() * y


class Loop(nn.Module):
    def forward(self, x):
        for _ in range(2):
            torch._dynamo.graph_break()  # a break in a loop
            x = x + 1
        return x


class Fallback(nn.Module):
    def forward(self, x):  # the frame of a fallback
        return torch.i0(x.tanh()) + x  # left to torch


def layers():
    return nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 32)).eval()


def compiled(model, dynamic=None, **options):
    return torch.compile(model, backend=tandem.torch.backend, dynamic=dynamic,
                         options={"fallback": "silent", **options})


class ReportTest(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        torch.set_grad_enabled(False)
        # torch keeps some graphs of functions that are gone.
        self.others = {graph.number for graph in tandem.torch.report().graphs}

    def own(self, report):
        """The graphs that a test has made."""
        return [graph for graph in report.graphs if graph.number not in self.others]

    def graphs_of(self, f, *inputs):
        f(*inputs)
        return self.own(tandem.torch.report())

    def test_each_graph_has_its_frame_and_measured_seconds(self):
        first, second = self.graphs_of(compiled(Broken()), torch.randn(4, 8))
        self.assertEqual((first.name, first.location), ("forward", line_of("before the break")))
        self.assertEqual(second.location, line_of("the break"))
        self.assertRegex(second.name, r"^forward from line \d+$")
        self.assertLess(first.number, second.number)
        for graph in (first, second):
            for seconds in (graph.dynamo_seconds, graph.aot_seconds, graph.tandem_seconds):
                self.assertGreater(seconds, 0)
            self.assertEqual(graph.tracing_seconds, graph.dynamo_seconds + graph.aot_seconds)
            self.assertEqual((graph.fallbacks, graph.recompile), ([], ""))
        self.assertEqual(first.ops, {"aten.mul.Tensor": 1, "aten.add.Tensor": 1})
        self.assertEqual(second.ops, {"aten.relu.default": 1, "aten.mul.Tensor": 1})

    def test_seconds_are_parts_of_those_of_torch(self):
        (graph,) = self.graphs_of(compiled(layers()), torch.randn(4, 32))
        metrics = torch._dynamo.utils.get_compilation_metrics()[-1]
        backend = metrics.aot_autograd_cumulative_compile_time_us / 1e6
        self.assertLess(graph.aot_seconds, backend)
        self.assertLess(graph.dynamo_seconds + backend,
                        1.001 * metrics.entire_frame_compile_time_s)

    def test_unknown_seconds_are_not_zeros(self):
        f = compiled(layers())
        x = torch.randn(4, 32)
        f(x)
        torch._dynamo.utils.clear_compilation_metrics()
        report = tandem.torch.report()
        (graph,) = self.own(report)
        self.assertIsNone(graph.dynamo_seconds)
        self.assertIsNone(graph.tracing_seconds)
        self.assertGreater(graph.aot_seconds, 0)
        (signature,) = graph.functions[0].signatures
        self.assertIsNone(graph.break_even(signature))
        self.assertIn("unknown", str(report))

    def test_ids_of_frames_that_are_used_again(self):
        """After a reset, Dynamo counts frames from 0 again: torch has metrics of two
        frames with one id."""
        self.graphs_of(compiled(Broken()), torch.randn(4, 8))
        torch._dynamo.reset()
        (graph,) = self.graphs_of(compiled(Fallback()), torch.randn(4, 8))[-1:]
        ids = [m.compile_id for m in torch._dynamo.utils.get_compilation_metrics()]
        self.assertGreater(ids.count("0/0"), 1)
        self.assertEqual(graph.location, line_of("the frame of a fallback"))

    def test_graph_breaks_have_lines_and_reasons(self):
        self.graphs_of(compiled(Broken()), torch.randn(4, 8))
        self.graphs_of(compiled(Loop()), torch.randn(4, 8))
        breaks = {each.location: each for each in tandem.torch.report().graph_breaks}
        ended, skipped = breaks[line_of("the break")], breaks[line_of("a break in a loop")]
        self.assertEqual((ended.count, ended.effect), (1, "the graph ends here"))
        self.assertIn("graph_break", ended.reason)
        self.assertEqual(skipped.effect, "runs without torch.compile")
        self.assertNotIn("\n", ended.reason + skipped.reason)

    def test_recompile_limits_are_named(self):
        def scaled(x, n):
            return x * n if n > 3 else x - n  # depends on a number

        f = compiled(scaled, dynamic=False)
        for n in range(torch._dynamo.config.recompile_limit + 1):
            f(torch.ones(3), n)
        (limit,) = (each for each in tandem.torch.report().graph_breaks
                    if "recompile limit" in each.reason)
        self.assertEqual(limit.location, line_of("depends on a number"))

    def test_ops_left_to_torch_have_lines_and_reasons(self):
        (graph,) = self.graphs_of(compiled(Fallback()), torch.randn(4, 8))
        (fallback,) = graph.fallbacks
        self.assertEqual((fallback.op, fallback.location, fallback.reason),
                         ("aten.i0.default", line_of("left to torch"),
                          "Tandem has no such op"))
        self.assertEqual(sum(graph.ops.values()), 3)
        self.assertEqual(len(graph.functions), 2)  # Before and after the op.

    def test_training_has_two_functions(self):
        torch.set_grad_enabled(True)
        f = compiled(layers())
        f(torch.randn(4, 32)).sum().backward()
        (graph,) = self.own(tandem.torch.report())
        self.assertEqual(graph.fallbacks, [])
        self.assertEqual(len(graph.functions), 2)

    def test_two_shapes_and_recompiles(self):
        f = compiled(layers())
        for rows in (4, 6):
            f(torch.randn(rows, 32))
        report = tandem.torch.report()
        first, second = self.own(report)
        self.assertEqual(first.recompile, "")
        self.assertRegex(second.recompile, r"expected 4, actual 6")
        inputs = [s.inputs for g in self.own(report) for f in g.functions for s in f.signatures]
        self.assertEqual(inputs, [["tensor<4x32xf32>"], ["tensor<6x32xf32>"]])

    def test_break_even_with_and_without_tracing(self):
        f = compiled(layers(), mode="compile")
        x = torch.randn(64, 32)
        for _ in range(50):
            f(x)
        (graph,) = self.own(tandem.torch.report())
        (function,) = graph.functions
        # A signature whose numbers are known; those of this run depend on the machine.
        (data,) = function.data["signatures"]
        signature = Signature(data | {
            "eager": {"ns": 100.0}, "compiled": {"ns": 60.0}, "compile_ns": 4000.0,
            "break_even_calls": 100.0})
        self.assertEqual(signature.break_even_after(0), signature.break_even)
        traced = graph.tracing_seconds * 1e9
        self.assertEqual(graph.break_even(signature), math.ceil((4000 + traced) / 40))
        self.assertGreater(graph.break_even(signature), signature.break_even)
        self.assertIsNone(Signature(data | {
            "eager": {"ns": 60.0}, "compiled": {"ns": 100.0}, "compile_ns": 4000.0,
        }).break_even_after(0))

    def test_forms(self):
        f = compiled(Fallback())
        for rows in (4, 6):
            f(torch.randn(rows, 8))
        compiled(Broken())(torch.randn(4, 8))
        report = tandem.torch.report()
        for title in ("graphs of torch", "calls", "ops left to torch", "recompiles",
                      "graph breaks"):
            self.assertIn(f"{title}\n", str(report))
            self.assertIn(f"<h4>{title}</h4><table>", report._repr_html_())
        data = json.loads(report.json())
        graphs = [graph for graph in data["graphs"] if graph["number"] not in self.others]
        self.assertEqual(len(graphs), 4)
        self.assertEqual(graphs[0]["fallbacks"][0]["op"], "aten.i0.default")
        self.assertIn("break_even_calls_with_tracing",
                      graphs[0]["functions"][0]["signatures"][0])
        self.assertIn(line_of("the break"), [b["location"] for b in data["graph_breaks"]])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "report.html")
            report.save(path)
            self.assertIn("aten.i0.default", path.read_text(encoding="utf-8"))

    def test_loaded_programs(self):
        program = torch.export.export(layers(), (torch.randn(4, 32),))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.pt2")
            torch.export.save(program, path)
            loaded = tandem.torch.load(path)
        (graph,) = self.graphs_of(loaded, torch.randn(4, 32))
        self.assertEqual(graph.dynamo_seconds, 0)
        self.assertGreater(graph.aot_seconds, 0)
        given = tandem.torch.load(program)
        *_, graph = self.graphs_of(given, torch.randn(4, 32))
        self.assertIsNone(graph.dynamo_seconds)

    def test_summary_of_the_process(self):
        b = tandem.Builder()
        function = b.build(b.neg(b.input("float32", (3,))))
        f = compiled(layers())
        f(torch.randn(4, 32))
        function(torch.ones(3))
        summary = tandem.report()
        # Functions of graphs are not listed a second time.
        self.assertEqual([(name, len(report.signatures)) for name, report in summary.functions],
                         [("<Builder>", 1)])
        self.assertEqual(len(self.own(summary.torch)), 1)
        self.assertIn("tensor<3xf32>", str(summary))
        self.assertIn("tensor&lt;4x32xf32&gt;", summary._repr_html_())
        data = json.loads(summary.json())
        self.assertEqual(len(data["functions"]), 1)
        self.assertEqual(len(data["torch"]["graphs"]), len(summary.torch.graphs))

    def test_reports_keep_no_model(self):
        for make in (layers, Fallback):
            with self.subTest(make.__name__):
                model = make()
                f = compiled(model)
                f(torch.randn(4, 32))
                report = tandem.torch.report()
                functions = tandem.torch.graph_functions()[-1:]
                alive = [weakref.ref(each) for each in (model, *functions)]
                self.assertGreater(len(alive), 1)
                del f, model, functions
                torch._dynamo.reset()
                gc.collect()
                self.assertEqual([each() for each in alive], [None] * len(alive))
                self.assertEqual(self.own(tandem.torch.report()), [])
                self.assertEqual(len(self.own(report)), 1)


if __name__ == "__main__":
    unittest.main()
