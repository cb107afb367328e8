# RUN: %tandem-python %s %S/../graphs
"""The command `tandem`."""

import contextlib
import io
import json
import pathlib
import re
import sys
import tempfile
import unittest

import numpy as np
import tandem
from tandem import cli

GRAPHS = pathlib.Path(sys.argv.pop(1))


def run(*arguments):
    """(exit status, standard output, standard error) of the command."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            status = cli.main([str(each) for each in arguments])
        except SystemExit as end:
            status = end.code
    return status, output.getvalue(), errors.getvalue()


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_run_reads_inputs_and_writes_outputs(self):
        x = np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8)
        np.save(self.folder / "x.npy", x)
        graph = self.folder / "graph.mlir"
        graph.write_text("""
            func.func @main(%x: tensor<?x8xf32> {tandem.dims = ["n", ""]})
                -> tensor<?x8xf32> {
              %0 = tandem.neg %x : tensor<?x8xf32>
              return %0 : tensor<?x8xf32>
            }""")
        status, output, errors = run("run", graph, "--dim=n=4", "--calls=2",
                                     f"--input=0={self.folder / 'x.npy'}",
                                     f"--output={self.folder}")
        self.assertEqual((status, errors), (0, ""))
        self.assertRegex(output, r"call 1: .*\ncall 2: .*\noutput .*float32\[4, 8\]")
        np.testing.assert_array_equal(np.load(self.folder / "output_0.npy"), -x)

    def test_report_writes_text_and_a_page(self):
        page = self.folder / "report.html"
        status, output, errors = run("report", GRAPHS / "chain8.mlir", "--dim=n=64",
                                     "--seconds=0.05", f"--html={page}")
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("eager e", output)
        self.assertIn("<table>", page.read_text())

    def test_sweep_prints_a_table_or_json(self):
        status, output, _ = run("sweep", GRAPHS / "chain8.mlir", "n=8,64", "--json")
        self.assertEqual(status, 0)
        rows = json.loads(output)
        self.assertEqual([row["n"] for row in rows], [8, 64])
        self.assertTrue(all(row["e"] > 0 and row["c"] > 0 for row in rows))
        status, output, _ = run("sweep", GRAPHS / "chain8.mlir", "n=8")
        self.assertEqual(status, 0)
        self.assertRegex(output, r"n +eager e .*verdict\n8 ")

    def test_version_and_devices(self):
        self.assertEqual(run("--version")[:2], (0, f"tandem {tandem.__version__}\n"))
        self.assertTrue(re.search("^cpu: ", run("devices")[1], re.M))

    def test_wrong_arguments_are_named(self):
        graph = GRAPHS / "chain8.mlir"
        for arguments, message in [
                (("run", self.folder / "none.onnx"), "No such file"),
                (("run", graph, "--dim=m=3"), "no free dim 'm'"),
                (("run", graph, "--dim=n"), "'n' has not the form NAME=VALUE"),
                (("run", graph, "--dim=n=-3"), "'-3' is no size"),
                (("run", graph, "--calls=0"), "at least one call"),
                (("run", graph, "--input=q=x.npy"), "no input 'q'"),
                (("run", graph, "--device=none"), "none"),
                (("sweep", graph, "n=1,x"), "'x' is no size"),
                (("sweep", graph, "m=1"), "no free dim 'm'"),
                (("report", graph, f"--html={self.folder}/none/x.html", "--seconds=0"),
                 "No such file"),
                ((), "COMMAND")]:
            with self.subTest(arguments=arguments):
                status, _, errors = run(*arguments)
                self.assertIn(status, (1, 2))
                self.assertIn(message, errors)
                self.assertNotIn("Traceback", errors)


if __name__ == "__main__":
    unittest.main()
