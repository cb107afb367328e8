#!/usr/bin/env python3
"""Computes values of an ONNX model by ONNX Runtime.

  utils/measure/onnxruntime-values.py TASK.json

tandem-run --check=onnxruntime and utils/graphs/onnx-quantized-check.py start it. The task is an object with
  model     the model's file
  inputs    by name, a .npy file, or a list of elements
  values    the names of the values to compute: outputs, or results of nodes
  folder    where value I is written, as I.npy
  optimize  true for ONNX Runtime's own fusions; without, graphs are run as
            they are written

Prints an object: "version", and "missing", the names that NumPy has no type
for.
"""

import json
import pathlib
import sys


def varint(number):
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])


def message(field, content):
    """A field of bytes, in protobuf's encoding."""
    return varint(field << 3 | 2) + varint(len(content)) + content


def with_outputs(model, names):
    """The model with further outputs. Two encoded messages, one after the other,
    are one message with the repeated fields of both."""
    outputs = b"".join(message(12, message(1, name.encode()))  # GraphProto.output
                       for name in names)
    return model + message(7, outputs)  # ModelProto.graph


def open_session(onnxruntime, path, names, optimize):
    options = onnxruntime.SessionOptions()
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = (
        levels.ORT_ENABLE_ALL if optimize else levels.ORT_DISABLE_ALL)
    options.log_severity_level = 3
    # External data is beside the model, which is given as bytes.
    options.add_session_config_entry(
        "session.model_external_initializers_file_folder_path",
        str(path.parent.resolve()))
    providers = ["CPUExecutionProvider"]
    model = path.read_bytes()
    known = {output.name for output in onnxruntime.InferenceSession(
        model, options, providers=providers).get_outputs()}
    return onnxruntime.InferenceSession(
        with_outputs(model, [name for name in names if name not in known]),
        options, providers=providers)


DTYPES = {"float": "float32", "double": "float64", "bool": "bool"}


def read_input(given, described):
    import numpy
    if isinstance(given, str):
        return numpy.load(given)
    name = described.type.removeprefix("tensor(").removesuffix(")")
    elements = numpy.array(given, dtype=DTYPES.get(name, name))
    return elements.reshape(()) if described.shape == [] else elements


def main():
    task = json.loads(pathlib.Path(sys.argv[1]).read_text())
    try:
        import numpy
        import onnxruntime
    except ImportError as error:
        sys.exit(f"{sys.executable} has no ONNX Runtime: {error}; "
                 "pip install onnxruntime")
    try:
        session = open_session(onnxruntime, pathlib.Path(task["model"]),
                               task["values"], task.get("optimize", False))
        inputs = {described.name: read_input(task["inputs"][described.name],
                                             described)
                  for described in session.get_inputs()
                  if described.name in task["inputs"]}
        results = session.run(task["values"], inputs)
    except Exception as error:  # Its exceptions have no common class.
        sys.exit(f"ONNX Runtime cannot run the model: {error}")
    missing = []
    for i, (name, value) in enumerate(zip(task["values"], results)):
        if isinstance(value, numpy.ndarray) and value.dtype.kind in "biuf":
            numpy.save(pathlib.Path(task["folder"]) / f"{i}.npy",
                       numpy.ascontiguousarray(value).reshape(value.shape))
        else:
            missing.append(name)
    print(json.dumps({"version": onnxruntime.__version__, "missing": missing}))


if __name__ == "__main__":
    main()
