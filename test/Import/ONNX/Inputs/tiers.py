"""What every tier computes of a small model, and how a model is refused.

The other scripts of this folder import it.
"""

import pathlib
import subprocess
import sys

import numpy
from onnx import helper, numpy_helper

TIERS = ["reference", "eager", "compiled"]


def described(name, array):
    return helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def make_model(nodes, inputs, outputs, weights=(), opset=21):
    """A model whose inputs have the types of arrays. `outputs` are the element
    types of results, by name."""
    graph = helper.make_graph(
        nodes, "g", [described(*item) for item in inputs.items()],
        [helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype)), None)
         for name, dtype in outputs.items()],
        [numpy_helper.from_array(numpy.asarray(array), name)
         for name, array in dict(weights).items()])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8
    return model


class Tiers:
    """Runs models with tandem-run, in a folder of its own."""

    def __init__(self, tandem_run, folder):
        self.tandem_run, self.folder = tandem_run, pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def command(self, model, inputs, *options):
        (self.folder / "model.onnx").write_bytes(model.SerializeToString())
        given = []
        for name, array in inputs.items():
            numpy.save(self.folder / f"{name}.npy", array)
            given.append(f"--input={name}={self.folder / name}.npy")
        return [self.tandem_run, self.folder / "model.onnx", *given, *options]

    def run(self, tier, model, inputs, *options):
        """The results of a model, as arrays."""
        out = self.folder / tier
        subprocess.run([*self.command(model, inputs, *options),
                        f"--tier={tier}", f"--out-dir={out}"], check=True,
                       stdout=subprocess.DEVNULL)
        return [numpy.load(out / f"output{i}.npy")
                for i in range(len(model.graph.output))]

    def check(self, what, model, inputs, expected, *options, rtol=0, atol=0):
        """Fails unless each tier has the expected results. Without tolerances,
        they must be equal."""
        for tier in TIERS:
            actual = self.run(tier, model, inputs, *options)
            for i, (got, wanted) in enumerate(
                    zip(actual, expected, strict=True)):
                wanted = numpy.asarray(wanted)
                same = (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
                if not same or not numpy.allclose(got, wanted, rtol, atol,
                                                  equal_nan=True):
                    sys.exit(f"{what}, {tier}, output {i}: {got.dtype} {got}\n"
                             f"is not {wanted.dtype}\n{wanted}")

    def check_refused(self, what, model, message, *options):
        """Fails unless the model is refused with the message, and status 1."""
        done = subprocess.run(self.command(model, {}, *options), text=True,
                              capture_output=True)
        if done.returncode != 1 or message not in done.stderr:
            sys.exit(f"{what}: exit status {done.returncode} and\n{done.stderr}"
                     f"is not refused with\n{message}")
