"""Runs an ONNX model in tandem-run."""

import pathlib
import subprocess
import tempfile

import numpy


def run_model(tandem_run, model, inputs, tier):
    """The outputs of a model, or the line of the error message. `inputs` maps
    names to arrays of types that NumPy stores."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        arguments = []
        for key, value in inputs.items():
            numpy.save(folder / f"{key}.npy", value)
            arguments.append(f"--input={key}={folder / key}.npy")
        done = subprocess.run(
            [tandem_run, folder / "model.onnx", *arguments, "--tier", tier,
             "--no-fallback", "--threads=1", f"--out-dir={folder / 'out'}"],
            capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            lines = done.stderr.replace(str(folder) + "/", "").splitlines()
            return next((line for line in lines if "error:" in line),
                        f"exit code {done.returncode}")
        return [numpy.load(folder / "out" / f"output{i}.npy")
                for i in range(len(model.graph.output))]
