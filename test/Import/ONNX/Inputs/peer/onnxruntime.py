"""Stands for ONNX Runtime in tests: the evaluator of the onnx package, which
computes the values that $WRONG names, separated by commas, $BY (default: 1) too large,
in all elements or in the first $ELEMENTS."""

import os
import types

import onnx
from onnx.reference import ReferenceEvaluator

__version__ = "of the tests"


class SessionOptions:
    def __init__(self):
        self.entries = {}

    def add_session_config_entry(self, key, value):
        self.entries[key] = value


class GraphOptimizationLevel:
    ORT_DISABLE_ALL = 0
    ORT_ENABLE_ALL = 99


class InferenceSession:
    def __init__(self, model, options, providers):
        self.model = onnx.load_from_string(model)
        onnx.load_external_data_for_model(self.model, options.entries[
            "session.model_external_initializers_file_folder_path"])

    def get_inputs(self):
        return [types.SimpleNamespace(name=value.name, type="tensor(int64)",
                                      shape=[None])
                for value in self.model.graph.input]

    def get_outputs(self):
        return list(self.model.graph.output)

    def run(self, names, inputs):
        values = ReferenceEvaluator(self.model).run(names, inputs)
        wrong = os.environ.get("WRONG", "").split(",")
        return [changed(value) if name in wrong else value
                for name, value in zip(names, values)]


def changed(value):
    by = value.dtype.type(os.environ.get("BY", "1"))
    if "ELEMENTS" not in os.environ:
        return value + by
    value = value.copy()
    value.reshape(-1)[:int(os.environ["ELEMENTS"])] += by
    return value
