# RUN: %tandem-python %s %S/../Import/ONNX/Inputs/exported
"""Graphs from files and bytes, and what a function tells of itself."""

import logging
import os
import pathlib
import pickle
import sys
import tempfile
import unittest

import numpy as np
import tandem

MODELS = pathlib.Path(sys.argv.pop(1))


class LoadTest(unittest.TestCase):
    def test_models_compute_what_they_should(self):
        for model in ("torchscript", "external"):
            f = tandem.load(MODELS / f"{model}.onnx")
            with np.load(MODELS / f"{model}.npz") as values:
                inputs = [values[spec.name] for spec in f.inputs]
                expected = [values[f"output{i}"] for i in range(len(f.outputs))]
            outputs = f(*inputs)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            for output, right in zip(outputs, expected, strict=True):
                np.testing.assert_allclose(output, right, rtol=1e-4, atol=1e-5)

    def test_bytes_are_the_file(self):
        path = MODELS / "torchscript.onnx"
        f, g = tandem.load(path), tandem.load(path.read_bytes())
        self.assertEqual(f.inputs, g.inputs)
        x = [np.ones([1 if isinstance(d, str) else d for d in s.shape], s.dtype)
             for s in f.inputs]
        np.testing.assert_array_equal(f(*x, tier="eager"), g(*x, tier="eager"))

    def test_external_data_needs_the_file(self):
        with self.assertRaisesRegex(tandem.Error, "external data.*in memory"):
            tandem.load((MODELS / "external.onnx").read_bytes())

    def test_specs(self):
        f = tandem.load(MODELS / "torchscript.onnx")
        for spec in f.inputs + f.outputs:
            self.assertTrue(spec.name)
            self.assertEqual(spec.dtype, "float32")
        self.assertIn("tandem.Function", repr(f))

    def test_what_cannot_be_loaded(self):
        with self.assertRaisesRegex(tandem.Error, "cannot read"):
            tandem.load("/no/such/file.mlir")
        with self.assertRaises(tandem.Error):
            tandem.load(b"this is no model")
        with self.assertRaisesRegex(tandem.Error, "abacus"):
            tandem.load(MODELS / "torchscript.onnx", device="abacus")
        with self.assertRaisesRegex(TypeError, "source is a NoneType"):
            tandem.load(None)
        with self.assertRaisesRegex(TypeError, "mode is a int"):
            tandem.load(MODELS / "torchscript.onnx", mode=3)
        with self.assertRaisesRegex(ValueError, "mode is one of"):
            tandem.load(MODELS / "torchscript.onnx", mode="fast")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "damaged.onnx")
            data = (MODELS / "torchscript.onnx").read_bytes()
            pathlib.Path(path).write_bytes(data[:len(data) // 2])
            with self.assertRaises(tandem.Error):
                tandem.load(path)

    def test_errors_have_parts(self):
        with self.assertRaises(tandem.Error) as caught:
            tandem.load(b"func.func @main() { oops }")
        self.assertEqual(caught.exception.phase, "parse")
        self.assertIn("<bytes>", caught.exception.location)

    def test_pickle(self):
        f = tandem.load(MODELS / "torchscript.onnx", mode="eager")
        g = pickle.loads(pickle.dumps(f))
        self.assertEqual(f.inputs, g.inputs)
        data = bytearray((MODELS / "torchscript.onnx").read_bytes())
        g = pickle.loads(pickle.dumps(tandem.load(data, mode="eager")))
        self.assertEqual(f.inputs, g.inputs)

    def test_report(self):
        f = tandem.load(MODELS / "torchscript.onnx")
        shape = tuple(2 if isinstance(d, str) else d for d in f.inputs[0].shape)
        rng = np.random.default_rng(1)
        with self.assertLogs("tandem", logging.INFO) as logs:
            for call in range(40):
                f(rng.standard_normal(shape, np.float32))
                if call == 9:
                    f.compile_ahead(shape)
                    f.wait()
            f.wait()
        self.assertTrue(any("compiled" in line for line in logs.output))
        report = f.report()
        (signature,) = report.signatures
        self.assertEqual(signature.calls, 40)
        self.assertIn(signature.state, ("compiled", "promoted", "demoted", "provisional"))
        self.assertGreater(signature.compile_cost, 0)
        self.assertIn("tensor<", signature.inputs[0])
        page = report._repr_html_()
        self.assertLess(len(page), 50_000)
        self.assertNotIn("<script", page)
        self.assertIn("<svg", page)
        self.assertIn("eager", str(report))

    def test_compile_ahead(self):
        f = tandem.load(MODELS / "torchscript.onnx")
        shape = tuple(3 if isinstance(d, str) else d for d in f.inputs[0].shape)
        f.compile_ahead(shape)
        f.wait()
        self.assertIn(f.report().signatures[0].state, ("compiled", "promoted"))
        with self.assertRaises(tandem.Error):
            f.compile_ahead((1, 2))
        f.cancel()

    def test_ir_and_explanations(self):
        f = tandem.load(MODELS / "torchscript.onnx")
        shape = tuple(3 if isinstance(d, str) else d for d in f.inputs[0].shape)
        for phase, part in (("simplify", "tandem."), ("fuse", "tandem.fusion"),
                            ("kernels", "tandem.launch"), ("linalg", "linalg."),
                            ("llvm", "llvm.func")):
            self.assertIn(part, f.ir(phase, shape), phase)
        with self.assertRaisesRegex(tandem.Error, "no phase 'fusing'.*simplify"):
            f.ir("fusing", shape)
        self.assertTrue(f.explain(shape)["functions"][0]["decisions"])

    def test_devices_and_threads(self):
        self.assertEqual(tandem.devices()[0][0], "cpu")
        before = tandem.num_threads()
        tandem.set_num_threads(1)
        self.assertEqual(tandem.num_threads(), 1)
        tandem.set_num_threads(before)

    def test_sweep(self):
        builder = tandem.Builder()
        x = builder.input("float32", (None, 64), dims=("n", ""), name="x")
        f = builder.build(builder.relu(builder.exp(x)))
        rows = tandem.sweep(f, n=[1, 8], seconds=0.01)
        rows = rows if isinstance(rows, list) else rows.to_dict("records")
        self.assertEqual([row["n"] for row in rows], [1, 8])
        for row in rows:
            self.assertGreater(row["e"], 0)
            self.assertGreater(row["C"], 0)
        with self.assertRaisesRegex(tandem.Error, "free dims: n"):
            tandem.sweep(f, batch=[1])


if __name__ == "__main__":
    unittest.main()
