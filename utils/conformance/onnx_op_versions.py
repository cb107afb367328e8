#!/usr/bin/env python3
"""Runs every ONNX op that the importer knows, in each of its versions.

  utils/conformance/onnx_op_versions.py build/bin/tandem-run
  utils/conformance/onnx_op_versions.py build/bin/tandem-run --filter='^Pad-'
  python3 utils/conformance/onnx_op_versions.py --update      # needs onnxruntime

A version is the operator set in which the op's definition changed, from 6, or
the last one before, to 26; its cases are those of op_version_cases.py, and again
with the first operands of each element type that the version was first to
allow. onnx-op-versions.txt has the results that ONNX Runtime computed, one case
a line, or why it computes none; --update writes it. Where it has no kernel of a
version, they are those of another one that has the same parameters, which the
line names. Each tier must agree with
them. The cases of an operator set run in one process, as one model. The exit
status is 1 where a case fails, or where a version has no line.
"""

import argparse
import collections
import dataclasses
import functools
import pathlib
import re
import sys
import zlib

import numpy

HERE = pathlib.Path(__file__).resolve().parent
# Not this folder's onnx.py, which has the package's name.
sys.path = [p for p in sys.path if pathlib.Path(p or ".").resolve() != HERE]
import onnx  # noqa: E402
from onnx import TensorProto, defs, helper, numpy_helper  # noqa: E402
sys.path.append(str(HERE))
import op_version_cases  # noqa: E402
from op_version_cases import Random  # noqa: E402
from run_model import run_model  # noqa: E402

TIERS = ["reference", "eager", "compiled"]
VALUES = HERE / "onnx-op-versions.txt"
OPS = HERE.parents[1] / "lib" / "Import" / "ONNX" / "Model" / "Ops.def"
FIRST_OPSET, LAST_OPSET = 6, 26
# IR versions that say nothing new, and that ONNX Runtime takes.
IR_VERSION = 10
# Types that get cases of their own. The importer has no narrower ones, and ONNX
# Runtime no kernels for bfloat16.
TYPES = {f"tensor({name})": dtype for name, dtype in {
    "float16": "float16", "double": "float64", **{name: name for name in ["int8", "int16", "int32", "int64", "uint8",
                               "uint16", "uint32", "uint64", "bool"]},
}.items()}
# What older versions say with these, newer ones always mean, or say otherwise.
IMPLIED = {"broadcast", "is_test", "height_scale", "width_scale", "scales"}
# The relative and absolute error allowed in each float type.
ERRORS = {"float64": 1e-6, "float32": 1e-5, "float16": 4e-3}


@dataclasses.dataclass
class Test:
    """A case in one version of an op, with operands of some type."""
    name: str
    op: str
    version: int
    case: op_version_cases.Case
    dtype: str = ""

    @property
    def opset(self):
        return LAST_OPSET if self.case.domain else max(self.version, FIRST_OPSET)


# What there is to test ---------------------------------------------------------


def claimed_ops():
    """(op, domain) of each row of Ops.def."""
    rows = re.findall(r"^(ONNX|MICROSOFT)_\w+\((\w+)",
                      OPS.read_text(encoding="utf-8"), re.M)
    return [(name, "" if kind == "ONNX" else "com.microsoft")
            for kind, name in rows if name != "name"]


@functools.cache
def schemas_of_all():
    """{op: {version: schema}} of the default domain."""
    schemas = collections.defaultdict(dict)
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            schemas[schema.name][schema.since_version] = schema
    return schemas


def versions_of(op):
    """The versions within the operator sets, without those that forbid it."""
    schemas = schemas_of_all()[op]
    first = max((v for v in schemas if v <= FIRST_OPSET), default=FIRST_OPSET)
    return [v for v in sorted(schemas) if first <= v <= LAST_OPSET
            and not schemas[v].deprecated]


def types_of(op, version):
    """The element types of the first operand."""
    schema = defs.get_schema(op, version, "")
    if not schema.inputs:
        return set()
    return {TYPES[name] for name in schema.inputs[0].types if name in TYPES}


def new_types(op, version):
    older = [v for v in versions_of(op) if v < version]
    if not older:
        return []
    return sorted(types_of(op, version) - types_of(op, older[-1]))


def tests_of(op, domain):
    cases = op_version_cases.CASES.get(
        "Microsoft" + op if domain and (op, "") in claimed_ops() else op, [])
    for version in [1] if domain else versions_of(op):
        here = [c for c in cases if c.versions[0] <= version <= c.versions[1]]
        prefix = (domain + "." if domain else "") + f"{op}-{version}"
        if not here:
            yield Test(prefix, op, version, None)
        for i, case in enumerate(here):
            yield Test(f"{prefix}.{i}", op, version, case)
        for dtype in [] if domain or not here else new_types(op, version):
            if (isinstance((here[0].operands or [None])[0], Random)
                    and "body" not in here[0].named):
                yield Test(f"{prefix}.{dtype}", op, version, here[0], dtype)


def all_tests(pattern):
    tests = [test for op, domain in claimed_ops()
             for test in tests_of(op, domain)]
    return [test for test in tests if re.search(pattern, test.name)]


# Models -----------------------------------------------------------------------


def numbers(spec, dtype, seed):
    """The elements of a Random, the same wherever they are computed."""
    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(spec.shape))
    bits = numpy.arange(1, count + 1, dtype=numpy.uint64) + numpy.uint64(
        zlib.crc32(seed.encode()))
    for multiplier in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        bits = (bits ^ (bits >> numpy.uint64(29))) * numpy.uint64(multiplier)
    steps = numpy.uint64((spec.high - spec.low) / spec.step)
    places = ((bits >> numpy.uint64(32)) % steps).astype("float64")
    values = spec.low + spec.step * places
    if dtype.kind == "u":
        values = numpy.abs(values)
    if dtype == bool:
        values = numpy.floor(values) % 2
    return values.reshape(spec.shape).astype(dtype)


class Builder:
    """One model of many tests, whose values are prefixed with a number."""

    def __init__(self, opset):
        self.opset = opset
        self.nodes, self.inputs, self.weights, self.outputs = [], {}, [], []
        self.count = 0

    def add(self, test):
        """Returns the names of the test's results."""
        prefix = f"c{self.count}_"
        self.count += 1
        schema = None if test.case.domain else defs.get_schema(
            test.op, test.version, "")
        operands = [self.operand(test, prefix, i, value, schema)
                    for i, value in enumerate(test.case.operands)]
        attributes = {}
        for name, value in test.case.named.items():
            self.place(test, schema, prefix, name, value, operands, attributes)
        names = [f"{prefix}y{i}" for i in range(test.case.outputs)]
        node = helper.make_node(test.op, operands, names, name=test.name,
                                domain=test.case.domain, **attributes)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                self.rename(attribute.g, prefix)
        self.nodes.append(node)
        self.outputs += names
        return names

    def rename(self, graph, prefix):
        """Gives the values of a body a prefix. What it reads from outside is an
        input of the model."""
        for value in [*graph.input, *graph.output]:
            value.name = prefix + value.name
        for node in graph.node:
            for names in (node.input, node.output):
                names[:] = [prefix + name for name in names]
            for name in node.input:
                if name == prefix + "i_a":
                    self.inputs[name] = numpy.array([1.5, -2], numpy.float32)

    def operand(self, test, prefix, i, value, schema):
        name = f"{prefix}x{i}"
        if isinstance(value, str):
            return value
        if isinstance(value, Random):
            dtype = self.dtype_of(test, i, schema) or value.dtype
            self.inputs[name] = numbers(value, dtype, f"{test.name}/{i}")
            return name
        return self.weight(name, value.astype(
            self.dtype_of(test, i, schema) or value.dtype))

    @staticmethod
    def dtype_of(test, i, schema):
        """The type that the test is of, where the operand has the type of the
        first one."""
        if not test.dtype:
            return None
        formals = schema.inputs
        formal = formals[min(i, len(formals) - 1)]
        return test.dtype if formal.type_str == formals[0].type_str else None

    def weight(self, name, value):
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def place(self, test, schema, prefix, name, value, operands, attributes):
        """Something named is an attribute, an operand, or not there yet."""
        if schema is None or name in schema.attributes:
            attributes[name] = value
            return
        formals = [formal.name for formal in schema.inputs]
        if name not in formals:
            return
        i = formals.index(name)
        operands += [""] * (i + 1 - len(operands))
        value = op_version_cases.array(value)
        dtype = self.dtype_of(test, i, schema)
        operands[i] = self.weight(prefix + name,
                                  value.astype(dtype) if dtype else value)

    def model(self):
        inputs = [helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
                  for name, value in self.inputs.items()]
        graph = helper.make_graph(
            self.nodes, "g", inputs, [onnx.ValueInfoProto(name=name)
                                      for name in self.outputs], self.weights)
        domains = [helper.make_opsetid("", self.opset)]
        if self.opset == LAST_OPSET:
            domains.append(helper.make_opsetid("com.microsoft", 1))
        model = helper.make_model(graph, opset_imports=domains)
        model.ir_version = IR_VERSION
        return model


# ONNX Runtime's results --------------------------------------------------------


def compute(test):
    """The results of a test in ONNX Runtime, as text."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = (
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    builder = Builder(test.opset)
    try:
        builder.add(test)
        session = onnxruntime.InferenceSession(
            builder.model().SerializeToString(), options,
            providers=["CPUExecutionProvider"])
        return "\t".join(map(as_text, session.run(None, builder.inputs)))
    except Exception as error:  # pylint: disable=broad-except
        reason = " ".join(str(error).split())
        reason = re.sub(r"^\[ONNXRuntimeError\] : \d+ : ", "", reason)
        return "none: " + reason[:120]


def parameters(test):
    """What of the case's named things the version has."""
    schema = defs.get_schema(test.op, test.version, "")
    known = {*schema.attributes, *(formal.name for formal in schema.inputs)}
    return known & {*test.case.named} - IMPLIED


def compute_somehow(test):
    """As `compute`, or else by another version of the op."""
    if test.case is None:
        return "none: no case"
    text = compute(test)
    if not text.startswith("none: NOT_IMPLEMENTED") or test.case.domain:
        return text
    others = sorted((v for v in versions_of(test.op) if v != test.version),
                    key=lambda v: abs(v - test.version))
    for version in others:
        other = dataclasses.replace(test, version=version)
        if (test.case.versions[0] <= version <= test.case.versions[1]
                and parameters(other) == parameters(test)
                and not (values := compute(other)).startswith("none:")):
            return f"version {version}\t{values}"
    return text


def as_text(array):
    words = [str(n) for n in array.flatten().tolist()]
    if array.dtype.kind == "f":
        words = [f"{n:.9g}" for n in array.astype("float64").flatten().tolist()]
    if array.dtype == bool:
        words = [str(int(n)) for n in array.flatten()]
    shape = ",".join(map(str, array.shape))
    return f"{array.dtype.name}[{shape}] {' '.join(words)}".rstrip()


def from_text(text):
    kind, shape, words = re.fullmatch(r"(\w+)\[([\d,]*)\] ?(.*)", text).groups()
    dtype = numpy.dtype(kind)
    values = [int(word) if dtype.kind in "iub" else float(word)
              for word in words.split()]
    return numpy.array(values, dtype).reshape(
        [int(n) for n in shape.split(",") if n])


def read_values():
    lines = VALUES.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if line[:1] != "#")


def update(pattern):
    import onnxruntime
    known = read_values() if VALUES.exists() and pattern else {}
    known |= {test.name: compute_somehow(test) for test in all_tests(pattern)}
    text = (f"# Results of ONNX Runtime {onnxruntime.__version__}, or why there"
            " are none. Written by onnx_op_versions.py --update.\n")
    names = [test.name for test in all_tests("") if test.name in known]
    VALUES.write_text(text + "".join(f"{n}\t{known[n]}\n" for n in names),
                      encoding="utf-8")


# Running ------------------------------------------------------------------------


def run(tandem_run, tests, tier):
    """The results of tests of one operator set, or a message."""
    builder = Builder(tests[0].opset)
    names = [builder.add(test) for test in tests]
    results = run_model(tandem_run, builder.model(), builder.inputs, tier)
    if isinstance(results, str):
        return results
    values = iter(results)
    return [[next(values) for _ in some] for some in names]


def difference(actual, expected):
    """Why two arrays do not agree; None if they do."""
    if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
        return (f"{actual.dtype}{list(actual.shape)}, not"
                f" {expected.dtype}{list(expected.shape)}")
    error = ERRORS.get(expected.dtype.name, 0)
    wide = "float64" if error else expected.dtype
    try:
        numpy.testing.assert_allclose(actual.astype(wide), expected.astype(wide),
                                      rtol=error, atol=error)
    except AssertionError as failure:
        return " ".join(str(failure).split())
    return None


def failures(tandem_run, tests, tier, expected):
    """{name: why} of the tests of one operator set that fail. Where all do not
    run as one model, each half does."""
    results = run(tandem_run, tests, tier)
    if isinstance(results, str):
        if len(tests) == 1:
            return {tests[0].name: results}
        half = len(tests) // 2
        return {**failures(tandem_run, tests[:half], tier, expected),
                **failures(tandem_run, tests[half:], tier, expected)}
    found = {}
    for test, values in zip(tests, results):
        wanted = [from_text(field) for field in expected[test.name].split("\t")
                  if not field.startswith("version ")]
        reasons = [why for pair in zip(values, wanted)
                   if (why := difference(*pair))]
        if reasons:
            found[test.name] = reasons[0]
    return found


def check(options):
    expected = read_values()
    tests = all_tests(options.filter)
    claimed = {(test.op, test.version) for test in tests}
    bad = 0
    for test in tests:
        if test.name not in expected:
            print(f"error: {test.name} is not in {VALUES.name} (--update)")
            bad += 1
    tests = [test for test in tests
             if not expected.get(test.name, "none:").startswith("none:")]
    groups = collections.defaultdict(list)
    for test in tests:
        groups[test.opset].append(test)
    for tier in options.tiers.split(","):
        found = {}
        for group in groups.values():
            found |= failures(options.tandem_run, group, tier, expected)
        for name, why in found.items():
            print(f"error: {tier}: {name}: {why}")
        pairs = {(test.op, test.version) for test in tests}
        print(f"{tier}: {len(tests) - len(found)} of {len(tests)} cases of"
              f" {len(pairs)} versions of ops, of {len(claimed)}, agree with"
              " ONNX Runtime")
        bad += len(found)
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tandem_run", nargs="?", default="build/bin/tandem-run")
    parser.add_argument("--filter", default="", help="a regular expression")
    parser.add_argument("--tiers", default=",".join(TIERS))
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    if options.update:
        update(options.filter)
        return 0
    return check(options)


if __name__ == "__main__":
    sys.exit(main())
