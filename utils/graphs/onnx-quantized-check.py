#!/usr/bin/env python3
"""Compares a quantized ONNX model with ONNX Runtime, from one integer to the next.

  utils/graphs/onnx-quantized-check.py build/bin/tandem-run MODEL.onnx
  utils/graphs/onnx-quantized-check.py build/bin/tandem-run MODEL.onnx --dim=batch=1
      --input=image=image.npy --tier=compiled --optimize

All quantized values of the model become inputs and outputs: Tandem computes each from
the values that ONNX Runtime has computed before it. A difference is therefore one of
the nodes that are named with it, and no difference is a consequence of another.

A value whose elements differ by at most one is off by one step: a sum that is rounded
in another order may be quantized to the next integer. A value is wrong if an element
differs by more, or if more elements are off by one step than --share. Means of two or
four integers are often halfway between two integers, so that rounding errors change up
to a quarter of them. An error, such as rounding down, changes half of the elements. The
last lines compare the outputs of the whole model, where differences add up.

The script reads the model with the onnx package. --python names a Python that has
onnxruntime, which runs the graph as it is written, or with --optimize as it is
deployed: with its own fusions, which may saturate on processors without VNNI. The
exit status is 1 where a value is wrong.
"""

import argparse
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import helper

VALUES = pathlib.Path(__file__).resolve().parents[1] / "measure/onnxruntime-values.py"
QUANTIZED = ("uint8", "int8", "uint16", "int16")
# Ops whose results are sums of integers, and exact.
SUMS = ("ConvInteger", "MatMulInteger")
LARGEST_ERROR = 0.01  # Of the spread of an output of floats.


class Model:
    """A model, and its values as ONNX Runtime computes them."""

    def __init__(self, path, given, dims):
        self.path, self.proto = path, onnx.load(path)
        self.graph = self.proto.graph
        self.makers = {name: node for node in self.graph.node
                       for name in node.output if name}
        weights = {weight.name for weight in self.graph.initializer}
        self.inputs = {value.name: read_input(value, given, dims)
                       for value in self.graph.input if value.name not in weights}
        self.varying = self.find_varying()
        self.values, self.version = {}, ""

    def find_varying(self):
        """The values that depend on inputs."""
        varying = set(self.inputs)
        for node in self.graph.node:
            # A subgraph may read any name.
            has_graph = any(attribute.HasField("g") or attribute.graphs
                            for attribute in node.attribute)
            if has_graph or varying.intersection(node.input):
                varying.update(name for name in node.output if name)
        return varying

    def run_peer(self, python, names, optimize, folder):
        """Values by name, without those that NumPy has no type for."""
        inputs = {}
        for i, (name, array) in enumerate(self.inputs.items()):
            inputs[name] = str(folder / f"given{i}.npy")
            numpy.save(inputs[name], array)
        task = folder / "task.json"
        task.write_text(json.dumps({
            "model": str(self.path), "inputs": inputs, "values": names,
            "folder": str(folder), "optimize": optimize}))
        answer = json.loads(run([python, VALUES, task]))
        self.version = answer["version"]
        return {name: numpy.load(folder / f"{i}.npy") for i, name in enumerate(names)
                if name not in answer["missing"]}

    def compute_values(self, python, optimize, folder):
        """Sets the values: quantized ones, sums of integers, and outputs."""
        outputs = [value.name for value in self.graph.output]
        names = [name for name in self.makers
                 if name in self.varying and name not in outputs]
        values = self.run_peer(python, [*names, *outputs], False, folder)
        kept = [name for name, array in values.items()
                if self.is_quantized(name, array) or name in outputs]
        if optimize:
            values = self.run_peer(python, kept, True, folder)
        self.values = {name: values[name] for name in kept if name in values}

    def is_quantized(self, name, array):
        node = self.makers.get(name)
        return node is not None and name in self.varying and (
            array.dtype.name in QUANTIZED or node.op_type in SUMS)

    def cuts(self):
        return [name for name, array in self.values.items()
                if self.is_quantized(name, array)]

    def cut(self):
        """The model whose quantized values are inputs `cutI` where they are read and
        outputs `stepI` where they are computed, and these inputs."""
        proto = onnx.ModelProto()
        proto.CopyFrom(self.proto)
        cuts = {name: i for i, name in enumerate(self.cuts())}
        for node in proto.graph.node:
            rename(node.input, cuts, "cut")
            rename(node.output, cuts, "step")
            for attribute in node.attribute:
                for graph in [attribute.g, *attribute.graphs]:
                    rename_reads(graph, cuts)
        inputs = dict(self.inputs)
        inputs |= {f"cut{i}": self.values[name] for name, i in cuts.items()}
        weights = {weight.name for weight in proto.graph.initializer}
        defaulted = [value for value in proto.graph.input if value.name in weights]
        del proto.graph.input[:], proto.graph.value_info[:]
        proto.graph.input.extend(defaulted)
        for name, array in inputs.items():
            proto.graph.input.append(helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape))
        others = [value for value in proto.graph.output if value.name not in cuts]
        del proto.graph.output[:]
        proto.graph.output.extend(onnx.ValueInfoProto(name=f"step{i}")
                                  for i in cuts.values())
        proto.graph.output.extend(others)
        return proto, inputs, [*cuts, *(value.name for value in others)]

    def nodes_before(self, name, cuts):
        """The nodes that compute a value from other cuts, in order."""
        found, open_names = set(), [name]
        while open_names:
            node = self.makers.get(open_names.pop())
            if node is None or id(node) in found:
                continue
            found.add(id(node))
            open_names += [read for read in node.input
                           if read in self.varying and read not in cuts]
        return [node for node in self.graph.node if id(node) in found]


def rename(names, cuts, prefix):
    for i, name in enumerate(names):
        if name in cuts:
            names[i] = f"{prefix}{cuts[name]}"


def rename_reads(graph, cuts):
    """In a subgraph, names of the outer graph are read only."""
    for node in graph.node:
        rename(node.input, cuts, "cut")
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                rename_reads(inner, cuts)
    for value in graph.output:
        if value.name in cuts:
            value.name = f"cut{cuts[value.name]}"


def read_input(value, given, dims):
    """The array of a file, or random numbers of floats."""
    if value.name in given:
        return numpy.load(given[value.name])
    of = value.type.tensor_type
    shape = []
    for dim in of.shape.dim:
        if not dim.HasField("dim_value") and dim.dim_param not in dims:
            sys.exit(f"input '{value.name}' has the free dim '{dim.dim_param}': give it"
                     f" a size, as in --dim={dim.dim_param or 'NAME'}=1")
        shape.append(dims.get(dim.dim_param, dim.dim_value))
    dtype = helper.tensor_dtype_to_np_dtype(of.elem_type)
    if dtype.kind != "f":
        sys.exit(f"input '{value.name}' is of {dtype}: give it by"
                 f" --input={value.name}=FILE.npy")
    return numpy.random.default_rng(1).standard_normal(shape).astype(dtype)


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        sys.exit((done.stderr.strip().splitlines() or ["?"])[-1])
    return done.stdout


def run_tandem(options, proto, inputs, folder):
    """The outputs of a model."""
    model, out = folder / "cut.onnx", folder / "out"
    onnx.save(proto, model)
    command = [options.tandem_run, model, f"--tier={options.tier}",
               f"--threads={options.threads}", f"--out-dir={out}"]
    for i, (name, array) in enumerate(inputs.items()):
        numpy.save(folder / f"in{i}.npy", numpy.array(array, order="C"))
        command.append(f"--input={name}={folder / f'in{i}.npy'}")
    run(command)
    return [numpy.load(out / f"output{i}.npy")
            for i in range(len(proto.graph.output))]


@dataclasses.dataclass
class Difference:
    """Of one value. `steps` is the largest difference of integers; `error` that of
    floats by their spread."""
    elements: int
    differing: int
    steps: int = 0
    error: float = 0

    def is_wrong(self, share):
        return (self.steps > 1 or self.error > LARGEST_ERROR
                or (self.steps == 1 and self.differing > share * self.elements))

    def __str__(self):
        of = (f"{self.differing} of {self.elements} elements"
              f" ({100 * self.differing / max(self.elements, 1):.2g} %)")
        if self.steps > 1:
            return f"{of} differ, by up to {self.steps} steps"
        if self.steps == 1:
            return f"{of} are off by one step"
        return f"{of} differ, by up to {self.error:.1e} of the spread"


def compare(actual, expected):
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        sys.exit(f"a result of {actual.dtype}{actual.shape} beside"
                 f" {expected.dtype}{expected.shape}")
    if actual.dtype.kind in "iu":
        steps = numpy.abs(actual.astype("int64") - expected.astype("int64"))
        return Difference(steps.size, int((steps > 0).sum()),
                          int(steps.max(initial=0)))
    same = (actual == expected) | (numpy.isnan(actual) & numpy.isnan(expected))
    with numpy.errstate(invalid="ignore"):
        error = numpy.abs(actual.astype("float64") - expected)
    largest = numpy.where(same, 0, error).max(initial=0)
    spread = float(numpy.std(expected.astype("float64"))) or 1.0
    error = float(largest) / spread
    return Difference(actual.size, int((~same).sum()), error=error if
                      numpy.isfinite(error) else numpy.inf)


def describe(nodes):
    """The last node, and the ops of all."""
    last = nodes[-1]
    name = last.name or next(filter(None, last.output))
    ops = [node.op_type for node in nodes]
    if len(ops) > 6:
        ops = [*ops[:3], "…", *ops[-2:]]
    return f"'{name}' ({', '.join(ops)})"


def print_steps(model, options, folder):
    """Returns the number of values that are wrong."""
    proto, inputs, names = model.cut()
    cuts = set(model.cuts())
    results = run_tandem(options, proto, inputs, folder)
    differences = {name: compare(result, model.values[name])
                   for name, result in zip(names, results)
                   if name in model.values and name in model.makers}
    order = {name: i for i, name in enumerate(model.makers)}
    count, wrong, off = len(differences), 0, 0
    first = "first: "
    for name in sorted(differences, key=order.get):
        difference = differences[name]
        if difference.steps == 0 and difference.error <= LARGEST_ERROR:
            continue
        is_wrong = difference.is_wrong(options.share)
        wrong += is_wrong
        off += not is_wrong
        nodes = model.nodes_before(name, cuts)
        print(f"{'WRONG' if is_wrong else 'one step'}: {first}node {describe(nodes)},"
              f" value '{name}': {difference}")
        first = ""
    print(f"ONNX Runtime {model.version} beside the {options.tier} tier, each value from"
          f" ONNX Runtime's: {count} values, {count - wrong - off} agree, {off} off by"
          f" one step, {wrong} wrong")
    return wrong


def print_whole(model, options, folder):
    proto = onnx.ModelProto()
    proto.CopyFrom(model.proto)
    results = run_tandem(options, proto, model.inputs, folder)
    for value, result in zip(model.graph.output, results):
        if value.name in model.values:
            difference = compare(result, model.values[value.name])
            text = str(difference) if difference.differing else "no element differs"
            print(f"whole model, output '{value.name}': {text}")


def pairs(words):
    return dict(word.split("=", 1) for word in words)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tandem_run")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--input", action="append", default=[],
                        metavar="NAME=FILE.npy", help="default: random floats")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE")
    parser.add_argument("--tier", default="compiled",
                        choices=["reference", "eager", "compiled"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--share", type=float, default=0.33,
                        help="the largest share of elements that are off by one step")
    parser.add_argument("--optimize", action="store_true",
                        help="let ONNX Runtime fuse nodes")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    dims = {name: int(size) for name, size in pairs(options.dim).items()}
    model = Model(options.model, pairs(options.input), dims)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        model.compute_values(options.python, options.optimize, folder)
        wrong = print_steps(model, options, folder)
        print_whole(model, options, folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
