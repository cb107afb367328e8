"""What onnx_special_values.py runs: cases of ops, and variants of each that have
an infinity or NaN in one element of one operand.

A case is a node test of the onnx package, or a case of op_version_cases.py in
the last version of the op that has a result.
"""

import dataclasses
import re

import ml_dtypes
import numpy
import onnx
from onnx import compose, numpy_helper

import onnx_cases
import onnx_op_versions
import special_value_rules

VALUES = {"inf": numpy.inf, "-inf": -numpy.inf, "nan": numpy.nan}
# Larger node tests say nothing that smaller ones do not.
MOST_ELEMENTS = 256
IR_VERSION = 10
FLOATS = ("float16", "bfloat16", "float32", "float64")
# By op, those operands that Ops.def lists because they determine shapes.
SHAPE_OPERANDS = {
    name: [int(i) for i in re.findall(r"\d+", indices)]
    for name, indices in re.findall(
        r"^ONNX_\w+\((\w+)((?:, \d+)+)\)",
        onnx_op_versions.OPS.read_text(encoding="utf-8"), re.M)}


@dataclasses.dataclass
class Case:
    """A model, its inputs, and its outputs without special values. `rtol` and
    `atol` are for f32; narrower types have others."""
    name: str
    model: onnx.ModelProto
    inputs: dict
    outputs: list
    rtol: float
    atol: float

    def operands(self):
        """Inputs and weights of floats by their names, without those that
        determine shapes."""
        weights = {weight.name: numpy_helper.to_array(weight)
                   for weight in self.model.graph.initializer}
        sizes = {node.input[i] for node in self.model.graph.node
                 for i in SHAPE_OPERANDS.get(node.op_type, [])
                 if i < len(node.input)}
        return {name: array for name, array in {**self.inputs, **weights}.items()
                if array.dtype.name in FLOATS and array.size
                and name not in sizes}

    def tolerances(self, dtype):
        eps = (float(ml_dtypes.finfo(dtype).eps)
               if dtype.name in ("float16", "bfloat16") else 0)
        return max(self.rtol, 4 * eps), max(self.atol, eps)


@dataclasses.dataclass
class Variant:
    """A case with a special value in one element of an operand, or in all."""
    case: Case
    operand: str
    place: int  # or `...`
    value: str

    @property
    def name(self):
        place = ":" if self.place is ... else self.place
        # Without the prefix of onnx_op_versions.Builder.
        operand = self.operand.removeprefix("c0_")
        return f"{self.case.name} {operand}[{place}]={self.value}"

    def instance(self, number=None):
        """The model and its inputs with the value, or another number, in its
        place."""
        array = self.case.operands()[self.operand].copy()
        array.reshape(-1)[self.place] = (VALUES[self.value] if number is None
                                         else number)
        if self.operand in self.case.inputs:
            return self.case.model, {**self.case.inputs, self.operand: array}
        model = onnx.ModelProto()
        model.CopyFrom(self.case.model)
        weights = model.graph.initializer
        (place,) = [i for i, weight in enumerate(weights)
                    if weight.name == self.operand]
        weight = numpy_helper.from_array(array, self.operand)
        if not is_quantized(model):
            weights[place].CopyFrom(weight)
            return model, self.case.inputs
        # The importer refuses constant scales that are not finite.
        del weights[place]
        model.graph.input.append(onnx.helper.make_tensor_value_info(
            self.operand, weight.data_type, array.shape))
        return model, {**self.case.inputs, self.operand: array}


def is_quantized(model):
    return any(re.search("Quantize|QLinear|QGemm|QAttention|Integer|NBits",
                         node.op_type) for node in model.graph.node)


def inputs_of(model, arrays):
    weights = {weight.name for weight in model.graph.initializer}
    names = [value.name for value in model.graph.input
             if value.name not in weights]
    return dict(zip(names, arrays))


def node_cases():
    for case in onnx_cases.cases_in_scope():
        # What a function is made of are ops that have tests of their own.
        if case.kind != "node" or "_expanded" in case.name:
            continue
        inputs, outputs = ([onnx_cases.as_array(value) for value in values]
                           for values in case.data_sets[0])
        if sum(array.size for array in outputs) <= MOST_ELEMENTS:
            atol = onnx_cases.ROUNDED_ZEROS.get(case.name, case.atol)
            yield Case(case.name, case.model, inputs_of(case.model, inputs),
                       outputs, case.rtol, atol)


def version_cases():
    expected = onnx_op_versions.read_values()
    last = {}
    for test in onnx_op_versions.all_tests(""):
        text = expected.get(test.name, "none:")
        if test.case and not text.startswith("none:"):
            last[test.op, id(test.case), test.dtype] = test, text
    for test, text in last.values():
        if test.dtype not in ("", *FLOATS):
            continue
        builder = onnx_op_versions.Builder(test.opset)
        builder.add(test)
        outputs = [onnx_op_versions.from_text(field)
                   for field in text.split("\t")
                   if not field.startswith("version ")]
        error = onnx_op_versions.ERRORS["float32"]
        yield Case(test.name, builder.model(), builder.inputs, outputs, error,
                   error)


def cases():
    return [*version_cases(), *node_cases()]


def variants_of(case):
    """Special values in every operand: infinity at the first, the middle and the
    last element, minus infinity and NaN at one of them, and infinities in all
    elements. Node tests are many, and have fewer each."""
    for operand, array in case.operands().items():
        first, middle, last = 0, array.size // 2, array.size - 1
        if case.name.startswith("test_"):
            wanted = [(middle, "inf"), (first, "nan"), (..., "-inf")]
        else:
            wanted = [(first, "inf"), (middle, "inf"), (last, "inf"),
                      (last, "-inf"), (first, "nan"), (..., "inf"),
                      (..., "-inf")]
        for place, value in dict.fromkeys(wanted):
            variant = Variant(case, operand, place, value)
            # Infinities with weights of both signs have no sum.
            if place is not ... or not special_value_rules.is_linear(variant):
                yield variant


# Models of many variants -------------------------------------------------------


def domains_of(model):
    return tuple(sorted((domain.domain, domain.version)
                        for domain in model.opset_import))


def merge(instances):
    """Models of the same operator sets as one. Returns it, and its inputs by
    name."""
    merged, inputs = onnx.ModelProto(), {}
    merged.ir_version = IR_VERSION
    merged.opset_import.extend(instances[0][0].opset_import)
    merged.graph.name = "all"
    for i, (model, arrays) in enumerate(instances):
        graph = compose.add_prefix(model, f"v{i}_").graph
        for field in ("node", "input", "initializer"):
            getattr(merged.graph, field).extend(getattr(graph, field))
        merged.graph.output.extend(
            onnx.ValueInfoProto(name=value.name) for value in graph.output)
        inputs |= {f"v{i}_{name}": array for name, array in arrays.items()}
    return merged, inputs
