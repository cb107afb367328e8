"""Spoils imported graphs of quantized numbers, and says which faults the tests notice.

usage: quantized-mutants.py TANDEM_RUN FOLDER

A mutant is one fault in one op of a node of the models of quantized.py,
quantized-forms.py and packed-weights.py: either in the graph that the importer makes,
or in the graph that tandem-contract-integers makes of that. All nodes of a model are
spoiled at once, each in its own result. At least one node of each op must give a result
that its test refuses. Faults in kernels are those of utils/mutants.py.
"""

import collections
import importlib
import re
import subprocess
import sys

import numpy

import quantized
from tiers import Tiers, make_model

from onnx import helper

forms = importlib.import_module("quantized-forms")
packed = importlib.import_module("packed-weights")

LINE = re.compile(r"^    (%\w+) = tandem\.(\w+) (.*) : (.*)$")
Op = collections.namedtuple("Op", "result name operands attributes types type")


def parse(line):
    """An op of operands and one result; None for other lines."""
    match = LINE.match(line)
    if not match or match[2] == "constant":
        return None
    result, name, body, types = match.groups()
    if not body.startswith("%"):
        return None
    operands = re.match(r"%\w+(, %\w+)*", body)[0]
    *of_operands, last = re.findall(r"tensor<[^<>]*>", types)
    operands_list = operands.split(", ")
    if not of_operands:
        of_operands = [last] * len(operands_list)
    return Op(result, name, operands_list, body[len(operands):], of_operands, last)


def element(type):
    return type.removesuffix(">").removeprefix("tensor<").split("x")[-1]


def dims(type):
    return [int(d) for d in type.removesuffix(">").removeprefix("tensor<").split("x")[:-1]]


def with_element(type, name):
    return "tensor<" + "x".join([*map(str, dims(type)), name]) + ">"


def temporary(op):
    """The beginning of new names."""
    return f"%m{op.result[1:]}"


BYTES = {"ui8": "i8", "i8": "ui8"}

# Each fault gives the lines instead of an op's, or None where the op has no place for
# it.


def first_operand(op):
    """The op does nothing."""
    if op.types[0] != op.type:
        return None
    return [f"{op.result} = tandem.reshape {op.operands[0]} shape = "
            f"{dims(op.type)} : ({op.type}) -> {op.type}"]


def wraps(op):
    """A conversion to 8 bits drops bits instead of saturating."""
    source, target = element(op.types[0]), element(op.type)
    if op.name != "cast" or source not in ("f32", "f64") or target not in BYTES:
        return None
    wide = with_element(op.type, "i32")
    return [f"{temporary(op)}w = tandem.cast {op.operands[0]} : ({op.types[0]}) -> {wide}",
            f"{op.result} = tandem.cast {temporary(op)}w : ({wide}) -> {op.type}"]


def changed_operand(op, i, type, lines):
    """The op with operand `i` replaced by the last result of `lines`."""
    operands, types = list(op.operands), list(op.types)
    operands[i], types[i] = f"{temporary(op)}o", type
    return [*lines, f"{op.result} = tandem.{op.name} {', '.join(operands)}"
            f"{op.attributes} : ({', '.join(types)}) -> {op.type}"]


def other_sign(i):
    """Bytes with a sign are taken for bytes without, and the other way round."""
    def fault(op):
        if op.name not in ("cast", "conv", "matmul") or i >= len(op.operands):
            return None
        source = element(op.types[i])
        # Two operands of ui8 have no kernel.
        if source not in BYTES or (i == 1 and op.name != "cast"):
            return None
        type = with_element(op.types[i], BYTES[source])
        return changed_operand(op, i, type, [
            f"{temporary(op)}o = tandem.bitcast {op.operands[i]} : ({op.types[i]}) -> {type}"])
    return fault


def drops(name, *elements):
    def fault(op):
        return (first_operand(op) if op.name == name
                and (not elements or element(op.type) in elements) else None)
    return fault


def rounds_down(op):
    if op.name != "round":
        return None
    return [f"{op.result} = tandem.floor {op.operands[0]} : {op.type}"]


def pads_with_zeros(op):
    if op.name != "pad" or " value = 0.0" in op.attributes:
        return None
    zeros = re.sub(r" value = \S+", " value = 0.0", op.attributes)
    return [f"{op.result} = tandem.pad {op.operands[0]}{zeros} : "
            f"({op.types[0]}) -> {op.type}"]


def drops_last_product(op):
    """The last factors of the second operand are zeros."""
    if op.name not in ("conv", "matmul"):
        return None
    type = op.types[1]
    shape = dims(type)
    dim = (1 if op.name == "conv" else len(shape) - 1 if "transpose_rhs"
           in op.attributes else len(shape) - 2)
    shape[dim] -= 1
    shorter = "tensor<" + "x".join([*map(str, shape), element(type)]) + ">"
    none = [0] * len(shape)
    high = [int(i == dim) for i in range(len(shape))]
    return changed_operand(op, 1, type, [
        f"{temporary(op)}s = tandem.slice {op.operands[1]} starts = {none} limits = {shape}"
        f" strides = {[1] * len(shape)} : ({type}) -> {shorter}",
        f"{temporary(op)}o = tandem.pad {temporary(op)}s low = {none} high = {high} interior = "
        f"{none} value = 0.0 : ({shorter}) -> {type}"])


FAULTS = {
    "wraps around": wraps,
    "takes the other sign": other_sign(0),
    "drops a zero point": drops("sub", "i32", "f32"),
    "drops a bias": drops("add", "i32", "f32"),
    "drops a scale": drops("mul", "f32"),
    "drops a quotient": drops("div", "f32"),
    "keeps the upper bit": drops("bitwise_xor"),
    "does not shift": drops("shift_right"),
    "does not mask": drops("bitwise_and"),
    "rounds down": rounds_down,
    "pads with zeros": pads_with_zeros,
    "drops the last product": drops_last_product,
}

# Mutants that change no result, by regular expression of "stage op: fault, number".
EQUIVALENT = {
    r"\w+ DynamicQuantizeMatMul: wraps around, 0":
        "zero points of dynamic quantization are within 0 and 255",
}


class Graph:
    """The text of a function whose outputs have no ops in common."""

    def __init__(self, tiers, model, *passes):
        tiers.command(model, {})
        self.text = subprocess.run(
            [tiers.tandem_run.replace("tandem-run", "tandem-opt"),
             tiers.folder / "model.onnx", *passes], check=True, capture_output=True,
            text=True).stdout.splitlines()
        self.ops = {op.result: (i, op) for i, line in enumerate(self.text)
                    if (op := parse(line))}
        returned = next(line for line in self.text if line.startswith("    return "))
        self.outputs = re.findall(r"%\w+", returned)

    def ops_of(self, output):
        """In the order of the text."""
        found, names = {}, [output]
        while names:
            name = names.pop()
            if name in self.ops and name not in found:
                found[name] = self.ops[name]
                names += self.ops[name][1].operands
        return sorted(found.values())

    def spoil(self, fault, number):
        """The text in which op `number` of those that have a place for the fault is
        spoiled, for each output, and the outputs that have such an op."""
        text, spoiled = list(self.text), []
        for i, output in enumerate(self.outputs):
            places = [(at, lines) for at, op in self.ops_of(output)
                      if (lines := fault(op))]
            if number < len(places):
                at, lines = places[number]
                text[at] = "\n".join("    " + line for line in lines)
                spoiled.append(i)
        return "\n".join(text), spoiled


class Test:
    """A model of a test, and which results it refuses."""

    def __init__(self, name, nodes, inputs, weights, outputs, expected, accepts):
        self.name, self.inputs, self.expected = name, inputs, expected
        self.accepts = accepts
        self.model = make_model(nodes, inputs, outputs, weights)
        self.model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
        by_output = {name: node for node in nodes for name in node.output}
        self.ops = [self.op_of(by_output, output.name)
                    for output in self.model.graph.output]

    @staticmethod
    def op_of(by_output, name):
        node = by_output[name]
        if node.op_type != "QuantizeLinear":
            return node.op_type
        return f"QDQ of {by_output[node.input[0]].op_type}"

    def run(self, tiers, text):
        """The outputs, in the reference."""
        file, out = tiers.folder / "mutant.mlir", tiers.folder / "out"
        file.write_text(text)
        arguments = [f"--arg={tiers.folder / name}.npy" for name in self.inputs]
        done = subprocess.run([tiers.tandem_run, file, *arguments, "--tier=reference",
                               f"--out-dir={out}"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{self.name}: {done.stderr[:2000]}")
        return [numpy.load(out / f"output{i}.npy") for i in range(len(self.expected))]

    def write_inputs(self, tiers):
        for name, array in self.inputs.items():
            numpy.save(tiers.folder / f"{name}.npy", array)


def is_equal(actual, expected):
    return numpy.array_equal(actual, expected, equal_nan=True)


def is_close(actual, expected):
    return numpy.allclose(actual, expected, 1e-5, 1e-5, equal_nan=True)


def is_within_a_step(actual, expected):
    steps = numpy.abs(actual.astype(int) - expected.astype(int))
    return steps.max() <= 1 and (steps > 0).mean() <= 0.01


def tests():
    for kind in quantized.ConvCase, quantized.MatMulCase:
        cases = quantized.make_cases(kind)
        inputs = {f"x{case.name}": case.x for case in cases}
        nodes, weights, outputs, expected = quantized.integer_model(cases)
        yield Test("quantized.py", nodes, inputs, weights, outputs, expected, is_equal)
        nodes, weights, outputs, expected = quantized.qdq_model(cases)
        yield Test("quantized.py", nodes, inputs, weights, outputs, expected,
                   is_within_a_step)
    for make in (forms.convolutions, forms.products, forms.integers_to_floats,
                 forms.dynamic_products, forms.attention):
        made = make()
        yield Test("quantized-forms.py", made.nodes, made.inputs, made.weights,
                   made.outputs, made.expected,
                   is_close if make == forms.attention else is_equal)
    made = packed.products()
    yield Test("packed-weights.py", made.nodes, made.inputs, made.weights, made.outputs,
               made.expected, is_equal)


PASSES = {"imported": [], "contracted": [
    "--pass-pipeline=builtin.module(func.func(tandem-contract-integers))"]}
MOST_PLACES = 8  # Of one fault in a node.


def noticed_by(test, tiers, counts):
    """Counts the mutants of each op and fault, and those that the test notices, by
    which it is named."""
    test.write_inputs(tiers)
    for stage, passes in PASSES.items():
        graph = Graph(tiers, test.model, *passes)
        right = test.run(tiers, "\n".join(graph.text))
        if not all(map(test.accepts, right, test.expected)):
            sys.exit(f"{test.name}: the {stage} graph is wrong without a fault")
        for name, fault in FAULTS.items():
            for number in range(MOST_PLACES):
                text, spoiled = graph.spoil(fault, number)
                if not spoiled:
                    break
                results = test.run(tiers, text)
                for i in spoiled:
                    key = f"{stage} {test.ops[i]}: {name}, {number}"
                    accepted = test.accepts(results[i], test.expected[i])
                    counts.setdefault(key, [set(), 0, 0])
                    counts[key][0].update([] if accepted else [test.name])
                    counts[key][1] += 1
                    counts[key][2] += not accepted


def main():
    tiers = Tiers(*sys.argv[1:])
    counts = {}
    for test in tests():
        noticed_by(test, tiers, counts)
    unnoticed = 0
    for key, (names, mutants, noticed) in counts.items():
        reason = next((reason for pattern, reason in EQUIVALENT.items()
                       if re.fullmatch(pattern, key)), None)
        verdict = f"{noticed} of {mutants} noticed by {' and '.join(sorted(names))}"
        if not noticed and reason:
            verdict = f"equivalent: {reason}"
        elif not noticed:
            unnoticed += 1
            verdict = f"UNNOTICED, {mutants} mutants"
        print(f"{key:60} {verdict}")
    print(sum(mutants for _, mutants, _ in counts.values()), "mutants of",
          len(counts), "kinds,", sum(noticed for *_, noticed in counts.values()),
          "noticed;", unnoticed, "kinds unnoticed")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
