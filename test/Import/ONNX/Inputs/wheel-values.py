"""Writes the values of wheel-models.test: inputs, and ONNX Runtime's results.

usage: wheel-values.py CACHE

CACHE is the folder to which utils/setup.sh fetches the models. Needs
onnxruntime.
"""

import pathlib
import sys

import numpy
import onnxruntime

FOLDER = pathlib.Path(__file__).resolve().parent / "wheels"


def speech():
    """A sum of tones for the voice detector, which keeps a state."""
    time = numpy.arange(576) / 16000
    tones = sum(numpy.sin(2 * numpy.pi * f * time) / f for f in (140, 280, 910))
    state = numpy.cos(numpy.arange(256)).reshape(2, 1, 128) / 4
    return {"input": (50 * tones).reshape(1, -1).astype("float32"),
            "state": state.astype("float32"), "sr": numpy.array(16000)}


def program():
    """The start and the end of a file, as the detector of file types has them:
    256 stands for what is behind its end."""
    text = b"#include <cstdio>\nint main() { std::puts(\"hello\"); }\n"
    values = numpy.full(2048, 256, dtype="int32")
    values[:len(text)] = values[-len(text):] = list(text)
    return {"bytes": values.reshape(1, -1)}


def main():
    FOLDER.mkdir(exist_ok=True)
    for name, inputs in [("silero_vad", speech()), ("magika", program())]:
        session = onnxruntime.InferenceSession(
            str(pathlib.Path(sys.argv[1]) / f"{name}.onnx"),
            providers=["CPUExecutionProvider"])
        results = session.run(None, inputs)
        outputs = {f"output{i}": value for i, value in enumerate(results)}
        numpy.savez_compressed(FOLDER / f"{name}.npz", **inputs, **outputs)
        print(name, [(v.shape, v.dtype, float(v.max())) for v in results])


if __name__ == "__main__":
    main()
