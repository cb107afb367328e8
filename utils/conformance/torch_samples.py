"""Samples of PyTorch's own op tests: how one is traced, run in each tier and judged.

A verdict is one of
  pass                  every tier has torch's results
  pass TIER; TIER: ...  one tier has torch's results, and the other differs or fails
  TIER: ...             no tier has torch's results
  left: OP: REASON      an op that Tandem covers is left to torch in this use
  other: OP             the graph has an op that Tandem does not cover
  never: REASON         such samples are always left to torch
"""

import contextlib
import logging
import operator
import random
import warnings
import zlib

import numpy
import torch
from torch._subclasses.functional_tensor import dispatch_functionalize
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

from tandem.torch._backend import build_with, check_options, decompositions
from tandem.torch._compiled import CompiledGraph
from tandem.torch._importer import find_fallbacks
from tandem.torch._table import HANDLERS
from tandem.torch._taps import use_taps

from torch_gradients import Gradients
from torch_list import TIERS

DTYPES = {"bfloat16": torch.bfloat16, "bool": torch.bool, "float32": torch.float32,
          "float64": torch.float64, "int64": torch.int64}
OPS = {op.full_name: op for op in op_db}

# The values of their results are not defined, so only types and shapes are compared.
UNDEFINED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty",
             "new_empty_strided"}

# The last result of these ops is an index. torch leaves open which of several equal
# elements an index names, so the elements are compared instead. With the position of the
# argument `dim`.
TIES = {"argsort": 0, "sort": 0, "topk": 1}

# How often inputs are moved to learn how far an f32 result moves (get_limits), and the
# multiple of that distance by which the result may differ.
MOVES, SPREADS = 4, 8

# ATen ops without a handler that the backend covers: copy_ runs after the call.
RUN_BY_BACKEND = {"aten.copy_"}


class Never(Exception):
    """A sample that is always left to torch."""


def packet_of(target):
    """The name of an op without its overload, such as aten.div."""
    return ".".join(str(target).split(".")[:2])


DECOMPOSITIONS = decompositions()
COVERED = {packet_of(op) for op in HANDLERS} | RUN_BY_BACKEND


def quiet():
    """Keeps warnings of torch off the screen."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)


def dtypes_of(op, gradients):
    """The dtypes whose samples run; with `gradients`, those of gradients."""
    if gradients:
        given = op.supported_backward_dtypes("cpu") if op.supports_autograd else ()
        return [name for name in ("float32", "float64") if DTYPES[name] in given]
    return [name for name, dtype in DTYPES.items()
            if name != "float64" and dtype in op.supported_dtypes("cpu")]


def samples_of(name, dtype, gradients):
    """All samples of an op in a dtype; the same in every process."""
    seed = zlib.crc32(f"{name} {dtype}".encode())
    torch.manual_seed(seed)
    numpy.random.seed(seed)
    random.seed(seed)
    return list(OPS[name].sample_inputs("cpu", DTYPES[dtype], requires_grad=gradients))


def is_tensor(value):
    return isinstance(value, torch.Tensor)


def trace(op, sample, gradients):
    """(graph, inputs, expected results, Gradients) of a sample. Writes to tensors are
    replaced by ops without side effects, as torch.compile replaces them. With `gradients`,
    the last results are gradients; otherwise, there are no Gradients."""
    flat, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [i for i, value in enumerate(flat) if is_tensor(value)]
    inputs = [flat[i].detach() for i in places]
    _check_kinds(inputs)

    def run(*tensors):
        values = list(flat)
        for place, tensor in zip(places, tensors):
            values[place] = tensor
        given, args, kwargs = pytree.tree_unflatten(values, spec)
        results = op.op(given, *args, **kwargs)
        if gradients:
            results = sample.output_process_fn_grad(results)
        return [r for r in pytree.tree_leaves(results) if is_tensor(r)]

    made = None
    if gradients:
        made = Gradients(run, [flat[i].requires_grad for i in places], inputs)
        if not made.wanted:
            raise Never("no gradient is computed")
        run, inputs = made.run, inputs + made.seeds
    with contextlib.nullcontext() if gradients else torch.no_grad():
        expected = run(*(tensor.clone() for tensor in inputs))
        _check_kinds(expected)
        if not expected:
            raise Never("no tensor is computed")
        with sdpa_kernel(SDPBackend.MATH) if gradients else contextlib.nullcontext():
            graph = make_fx(dispatch_functionalize(run), decomposition_table=DECOMPOSITIONS,
                            tracing_mode="fake")(*inputs)
    graph.graph.eliminate_dead_code()
    use_taps(graph.graph)
    return graph, inputs, expected, made


def _check_kinds(tensors):
    for tensor in tensors:
        if tensor.layout is not torch.strided:
            raise Never("sparse tensors")
        if tensor.is_complex():
            raise Never("complex numbers")
        if tensor.is_quantized:
            raise Never("quantized tensors")


def _check_nodes(graph):
    for node in graph.nodes:
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            raise Never("random numbers")
        if torch.Tag.data_dependent_output in getattr(node.target, "tags", ()):
            raise Never("a number depends on the data")
        values = [v for v in pytree.tree_leaves(node.meta.get("val")) if is_tensor(v)]
        _check_kinds(values)


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


def get_spreads(graph, inputs):
    """For each result, the largest change of an element if torch runs the graph on inputs
    that are moved by one unit in the last place."""
    generator = torch.Generator().manual_seed(0)
    expected = graph(*(tensor.clone() for tensor in inputs))
    spreads = [0.0] * len(expected)
    for _ in range(MOVES):
        moved = []
        for tensor in inputs:
            if tensor.dtype == torch.float32:
                signs = torch.randint(2, tensor.shape, generator=generator)
                infinity = torch.full_like(tensor, torch.inf)
                tensor = tensor.nextafter(torch.where(signs == 0, -infinity, infinity))
            moved.append(tensor.clone())
        for number, (near, right) in enumerate(zip(graph(*moved), expected, strict=True)):
            change = (near.double() - right.double()).abs()
            change = change[change.isfinite()]
            if change.numel():
                spreads[number] = max(spreads[number], change.max().item())
    return spreads


def get_limits(graph, inputs, results, expected):
    """The tolerances of each result. Softmax of large numbers, for example, amplifies the
    rounding errors of its inputs, whose sums torch computes in another order on another
    processor: an f32 result may also differ by SPREADS times what it moves by."""
    limits = [tolerances(right) for right in expected]
    far = [number for number, (result, right) in enumerate(zip(results, expected, strict=True))
           if right.dtype == torch.float32 and result.shape == right.shape and
           not torch.allclose(result, right, equal_nan=True, **limits[number])]
    if far:
        spreads = get_spreads(graph, inputs)
        for number in far:
            limit = limits[number]
            limit["atol"] = max(limit["atol"], SPREADS * spreads[number])
    return limits


def dim_of(op, sample):
    """The dim of an op that orders elements."""
    numbers = [a for a in sample.args if isinstance(a, int) and not isinstance(a, bool)]
    named = sample.kwargs.get("dim", -1)
    return dict(enumerate(numbers)).get(TIES[op.name], named)


def check(op, sample, results, expected, graph, inputs, gradients=None):
    """Raises AssertionError if results are not those of torch."""
    limits = get_limits(graph, inputs, results, expected)
    if gradients:
        count = len(expected) - gradients.count
        gradients.check(results[count:], expected[count:], inputs)
        results, expected = results[:count], expected[:count]
    limits = limits[:len(expected)]
    if op.name in TIES and sample.input.dim():
        dim = dim_of(op, sample)
        *results, index = results
        *expected, right = expected
        torch.testing.assert_close(index.sort(dim).values.diff(dim=dim) == 0,
                                   torch.zeros_like(right, dtype=torch.bool).diff(dim=dim))
        results.append(sample.input.gather(dim, index))
        expected.append(sample.input.gather(dim, right))
        limits[-1] = tolerances(expected[-1])
    for result, right, limit in zip(results, expected, limits, strict=True):
        if op.name in UNDEFINED:
            result = torch.zeros_like(right) if (result.shape, result.dtype) == (
                right.shape, right.dtype) else result
            right = torch.zeros_like(right)
        torch.testing.assert_close(result, right, equal_nan=True, check_stride=False,
                                   **limit)


def run_tier(tier, op, sample, graph, inputs, expected, gradients):
    """Why the results of a tier differ from torch's, in one line; "" if they do not."""
    options = check_options({"mode": tier})
    try:
        run = CompiledGraph(graph, [], build_with(options))
        results = run([tensor.clone() for tensor in inputs])
        check(op, sample, results, expected, graph, inputs, gradients)
    except AssertionError as error:
        return "wrong: " + " ".join(str(error).split())
    except Exception as error:
        return f"{type(error).__name__}: " + " ".join(str(error).split())
    return ""


def fallback_of(graph):
    """The verdict on a graph with an op that is left to torch; "" without one."""
    fallbacks = find_fallbacks(graph.graph)
    for node, fallback in fallbacks.items():
        target = node.args[0].target if node.target is operator.getitem else node.target
        if packet_of(target) not in COVERED:
            return _uncovered(target)
        if "depends on the data" in fallback.reason:
            return "never: a size depends on the data"
    for fallback in fallbacks.values():
        return f"left: {fallback.op}: {fallback.reason}"
    return ""


def _uncovered(target):
    if torch.Tag.dynamic_output_shape in getattr(target, "tags", ()):
        return "never: a size depends on the data"
    if getattr(target, "namespace", "aten") not in ("aten", "prims", "tandem"):
        return "never: a custom op"
    return f"other: {target}"


def judge(name, sample, with_gradients):
    """The verdict on a sample."""
    op = OPS[name]
    try:
        graph, inputs, expected, gradients = trace(op, sample, with_gradients)
        _check_nodes(graph.graph)
    except Never as reason:
        return f"never: {reason}"
    except (torch._subclasses.fake_tensor.DataDependentOutputException,
            torch._subclasses.fake_tensor.DynamicOutputShapeException):
        return "never: a size depends on the data"
    except Exception as error:
        return f"never: torch cannot trace it: {type(error).__name__}"
    try:
        left = fallback_of(graph)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return "; ".join(f"{tier}: {text}" for tier in TIERS)
    if left:
        return left
    failures = {tier: run_tier(tier, op, sample, graph, inputs, expected, gradients)
                for tier in TIERS}
    passed = [tier for tier in TIERS if not failures[tier]]
    if len(passed) == len(TIERS):
        return "pass"
    texts = [f"pass {tier}" if not text else f"{tier}: {text}"
             for tier, text in sorted(failures.items(), key=lambda each: bool(each[1]))]
    return "; ".join(texts)
