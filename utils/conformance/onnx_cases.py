"""The tests of the onnx package, and which of them are in scope.

In scope are tests of operator sets up to 26 in the default domain, on tensors
of numbers that are not narrower than a byte, whose result shapes do not depend
on data, and which are deterministic inference.
"""

import dataclasses
import pathlib

import ml_dtypes
import numpy
import onnx
from onnx import TensorProto
from onnx.backend.test import loader
from onnx.backend.test.case.node import collect_testcases

LAST_OPSET = 26
# The package's suites of models in files, beside the node tests.
SUITES = ["pytorch-operator", "pytorch-converted", "simple"]

NARROW = {getattr(TensorProto, name) for name in dir(TensorProto)
          if name.startswith(("FLOAT8", "FLOAT6", "FLOAT4"))
          or name in ("INT4", "UINT4", "INT2", "UINT2")}
OTHER = {TensorProto.STRING: "strings", TensorProto.COMPLEX64: "complex",
         TensorProto.COMPLEX128: "complex"}
# Tests that expect a rounding error of 1.9e-7 where the exact result is zero.
ROUNDED_ZEROS = dict.fromkeys(["test_dft_inverse", "test_dft_inverse_opset19"],
                              1e-6)
# Ops of results that are random or whose shapes depend on data, and of texts.
OPS = {
    **dict.fromkeys(["RandomNormal", "RandomNormalLike", "RandomUniform",
                     "RandomUniformLike", "Bernoulli", "Multinomial"],
                    "random"),
    **dict.fromkeys(["NonZero", "Unique", "Compress", "NonMaxSuppression"],
                    "shapes that depend on data"),
    **dict.fromkeys(["StringNormalizer", "StringConcat", "StringSplit",
                     "RegexFullMatch", "TfIdfVectorizer", "LabelEncoder",
                     "ImageDecoder"], "strings"),
}


def nodes_of(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from nodes_of(inner)


def element_types(value):
    kind = value.type.WhichOneof("value")
    if kind == "tensor_type":
        yield value.type.tensor_type.elem_type
    elif kind is not None:
        yield kind


def out_of_scope(case):
    """Why a test is not in scope; None where it is."""
    model = case.model
    for domain in model.opset_import:
        if domain.domain not in ("", "ai.onnx"):
            return "domain " + domain.domain
        if domain.version > LAST_OPSET:
            return "operator set above " + str(LAST_OPSET)
    graph = model.graph
    for value in [*graph.input, *graph.output, *graph.value_info]:
        for kind in element_types(value):
            if isinstance(kind, str):
                return "sequences and optionals"
            if kind in OTHER:
                return OTHER[kind]
            if kind in NARROW:
                return "numbers narrower than a byte"
    for node in nodes_of(graph):
        if node.op_type in OPS:
            return OPS[node.op_type]
        if node.op_type.startswith(("Sequence", "Optional")):
            return "sequences and optionals"
        attributes = {a.name: a for a in node.attribute}
        if node.op_type == "Dropout" and case.name.startswith(
                "test_training"):
            return "training"
        if "to" in attributes and attributes["to"].i in NARROW:
            return "numbers narrower than a byte"
        if "dtype" in attributes and attributes["dtype"].i in NARROW:
            return "numbers narrower than a byte"
    return None


def read_tensors(folder, kind):
    """The tensors KIND_0.pb, KIND_1.pb, … of a test."""
    count = len(list(folder.glob(f"{kind}_*.pb")))
    return [onnx.load_tensor(folder / f"{kind}_{i}.pb") for i in range(count)]


def model_cases(suite):
    """The tests in scope of a suite of models, in order of their names."""
    for case in sorted(loader.load_model_tests(kind=suite),
                       key=lambda case: case.name):
        folder = pathlib.Path(case.model_dir)
        case = dataclasses.replace(case, model=onnx.load(folder / "model.onnx"))
        if out_of_scope(case) is None:
            data = folder / "test_data_set_0"
            yield dataclasses.replace(case, data_sets=[
                (read_tensors(data, "input"), read_tensors(data, "output"))])


def cases_in_scope():
    cases = [case for case in collect_testcases(None)
             if out_of_scope(case) is None]
    for suite in SUITES:
        cases += model_cases(suite)
    return cases


def as_array(value):
    """A tensor of a test, of a type that .npy files can have."""
    if isinstance(value, TensorProto):
        value = onnx.numpy_helper.to_array(value)
    return numpy.asarray(value)


def storable(array):
    """An array that .npy files can hold: bfloat16 as two bytes."""
    return array.view("V2") if array.dtype.name == "bfloat16" else array


def stored(array):
    """An array that was read from a .npy file."""
    return array.view(ml_dtypes.bfloat16) if array.dtype == "V2" else array


def tolerances(case, dtype):
    """The relative and the absolute one of a test. Numbers of 16 bits are
    rounded at each step, in the package as here: two units in the last place
    are no error."""
    relative, absolute = case.rtol, ROUNDED_ZEROS.get(case.name, case.atol)
    if dtype.name in ("float16", "bfloat16"):
        relative = max(relative, 2 * float(ml_dtypes.finfo(dtype).eps))
    return relative, absolute


def comparable(array):
    """bfloat16 as a type that NumPy's functions know."""
    is_wide = array.dtype.name != "bfloat16"
    return array if is_wide else array.astype(numpy.float32)
