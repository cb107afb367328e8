#!/usr/bin/env python3
"""Runs the samples of PyTorch's own op tests through Tandem.

  PYTHONPATH=build/python:~/.cache/tandem/torch:~/.cache/tandem/onnx-tests \\
      utils/conformance/torch_ops.py [--list=utils/conformance/torch-ops.txt]

torch.testing has a database of ops (`op_db`), each with sample inputs. A sample is
traced to ATen ops. If Tandem runs all of them, the results of each tier are compared
with torch's own (`tolerances`). A sample with an op that is left to
torch counts as "left", and the op is named. Exits with 1 if a sample is wrong.
"""

import argparse
import collections
import pathlib
import re
import sys
import warnings

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

from tandem.torch._backend import build_with, check_options, decompositions
from tandem.torch._compiled import CompiledGraph
from tandem.torch._importer import find_fallbacks

DTYPES = (torch.float32, torch.bfloat16, torch.int64, torch.bool)


# torch leaves open which of several equal elements comes first; the indices, which are
# int64, are not compared.
TIES = {"argsort", "kthvalue", "median", "mode", "sort", "topk"}


# The elements of their results are not defined.
UNDEFINED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty",
             "new_empty_strided"}


class Left(Exception):
    """A sample that Tandem does not run as a whole."""


def is_tensor(value):
    return isinstance(value, torch.Tensor)


def trace(op, sample):
    """(graph, inputs) of a sample."""
    flat, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [i for i, value in enumerate(flat) if is_tensor(value)]
    inputs = [flat[i].detach() for i in places]

    def run(*tensors):
        values = list(flat)
        for place, tensor in zip(places, tensors):
            values[place] = tensor
        given, args, kwargs = pytree.tree_unflatten(values, spec)
        results = op.op(given, *args, **kwargs)
        return [r for r in pytree.tree_leaves(results) if is_tensor(r)]

    with torch.no_grad():
        expected = run(*inputs)
        graph = make_fx(run, decomposition_table=decompositions(),
                        tracing_mode="fake")(*inputs)
    graph.graph.eliminate_dead_code()
    return graph, inputs, expected


def tolerances(expected):
    """50 units in the last place of the values and of their root mean square, because
    sums may cancel, but 4 of 16-bit floats; integers must be equal."""
    if not expected.is_floating_point():
        return {"rtol": 0, "atol": 0}
    finite = expected[expected.isfinite()].double()
    size = finite.square().mean().sqrt().item() if finite.numel() else 0
    units = 4 if expected.dtype.itemsize == 2 else 50
    epsilon = units * torch.finfo(expected.dtype).eps
    return {"rtol": epsilon, "atol": epsilon * max(1, size)}


def run_sample(op, sample, tiers):
    """Raises Left, or AssertionError with the difference."""
    try:
        graph, inputs, expected = trace(op, sample)
    except Exception as error:
        raise Left(f"torch cannot trace it: {type(error).__name__}") from error
    fallbacks = find_fallbacks(graph.graph)
    if fallbacks:
        first = next(iter(fallbacks.values()))
        raise Left(f"{first.op}: {first.reason}")
    if not expected or any(tensor.layout is not torch.strided for tensor in inputs):
        raise Left("no results")
    for tier in tiers:
        options = check_options({"mode": "eager" if tier == "eager" else "compile"})
        results = CompiledGraph(graph, [], build_with(options))(list(inputs))
        for result, right in zip(results, expected, strict=True):
            if op.name in TIES and right.dtype is torch.int64:
                continue
            torch.testing.assert_close(result, right, equal_nan=True, check_stride=False,
                                       **tolerances(right))


def run_op(op, dtype, options, counts, reasons):
    """Runs every N-th sample; the first wrong one as text, or ""."""
    wrong = ""
    samples = op.sample_inputs("cpu", dtype, requires_grad=False)
    for number, sample in enumerate(samples):
        if number % options.every:
            continue
        try:
            run_sample(op, sample, options.tier.split(","))
            counts["passed"] += 1
        except Left as left:
            counts["left"] += 1
            reasons[str(left)] += 1
        except Exception as error:
            counts["wrong"] += 1
            wrong = wrong or f"{type(error).__name__}: {str(error)[:options.width]}"
    return wrong


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="run one sample in N")
    parser.add_argument("--ops", default="", help="a regular expression of names")
    parser.add_argument("--dtype", default="", help="one dtype, such as float32")
    parser.add_argument("--tier", default="eager,compiled")
    parser.add_argument("--width", type=int, default=200, help="of messages")
    parser.add_argument("--reasons", type=int, default=0, help="list the N most frequent "
                        "reasons why samples are left to torch")
    parser.add_argument("--list", type=pathlib.Path, help="run the ops of this file, and "
                        "fail if fewer samples pass than it says")
    parser.add_argument("--part", type=int, default=1, help="with --list: one op in N")
    parser.add_argument("--write", type=pathlib.Path, help="write such a list")
    return parser.parse_args()


def read_list(options):
    """The number of samples that pass, by (op, dtype); empty without a list."""
    if not options.list:
        return {}
    lines = [line.split() for line in options.list.read_text().splitlines()
             if not line.startswith("#")]
    if options.every != 1:
        raise SystemExit("--list needs every sample of its own number: drop --every")
    return {(name, dtype): (int(every), int(passed))
            for name, dtype, every, passed in lines[::options.part]}


def selected(options, listed):
    """(op, dtype, the name of the dtype, every, the number that must pass)."""
    for op in op_db:
        for dtype in DTYPES:
            name = str(dtype).removeprefix("torch.")
            if dtype not in op.supported_dtypes("cpu") or op.name in UNDEFINED:
                continue
            if options.list and (op.full_name, name) not in listed:
                continue
            if not re.search(options.ops, op.full_name) or options.dtype not in ("", name):
                continue
            every, passed = listed.get((op.full_name, name), (options.every, 0))
            yield op, dtype, name, every, passed


def main():
    options = parse_arguments()
    warnings.simplefilter("ignore")
    total, reasons, lines, lost = collections.Counter(), collections.Counter(), [], 0
    for op, dtype, name, options.every, expected in selected(options, read_list(options)):
        counts = collections.Counter()
        wrong = run_op(op, dtype, options, counts, reasons)
        total += counts
        if wrong:
            print(f"{op.full_name} {name}: {counts['wrong']} of {counts.total()} wrong; "
                  f"{wrong}", flush=True)
        if counts["passed"] < expected:
            lost += 1
            print(f"{op.full_name} {name}: {counts['passed']} samples passed, and "
                  f"{expected} did", flush=True)
        if counts["passed"] and not wrong:
            lines.append(f"{op.full_name} {name} {options.every} {counts['passed']}\n")
    for reason, count in reasons.most_common(options.reasons):
        print(f"{count:6} left: {reason}")
    print(f"{total['passed']} passed, {total['wrong']} wrong, {total['left']} left to torch")
    if options.write:
        options.write.write_text(HEAD + "".join(lines))
    sys.exit(1 if total["wrong"] or lost else 0)


# The first lines of a list.
HEAD = """\
# The ops of torch.testing's op_db whose samples pass: the op, the dtype, which samples
# were run (one in N), and how many of them Tandem runs as a whole, all with the right
# values. Written by utils/conformance/torch_ops.py --write.
"""


if __name__ == "__main__":
    main()
