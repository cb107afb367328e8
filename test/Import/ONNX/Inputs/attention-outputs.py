"""The optional results of Attention in each mode, against the operator's text
in NumPy.

usage: attention-outputs.py TANDEM_RUN FOLDER
"""

import itertools
import sys

import numpy
from onnx import helper

from tiers import Tiers, make_model

RANDOM = numpy.random.default_rng(23)
NAMES = ["q", "k", "v", "mask"]


def expected(q, k, v, mask, softcap, causal):
    """Y and qk_matmul_output in each mode, step by step as the text has
    them."""
    q, k, v = (array.astype("float64") for array in (q, k, v))
    k, v = (numpy.repeat(array, q.shape[1] // k.shape[1], axis=1)
            for array in (k, v))
    products = q @ k.swapaxes(2, 3) / numpy.sqrt(q.shape[3])
    capped = products
    if softcap:
        capped = softcap * numpy.tanh(products / softcap)
    bias = (numpy.where(mask, 0, -numpy.inf) if mask.dtype == bool
            else mask.astype("float64"))
    if causal:
        bias = bias + numpy.where(
            numpy.tri(q.shape[2], k.shape[2], dtype=bool), 0, -numpy.inf)
    biased = capped + bias
    bias = numpy.broadcast_to(bias, biased.shape)
    largest = biased.max(axis=3, keepdims=True)
    parts = numpy.exp(biased - numpy.where(numpy.isinf(largest), 0, largest))
    total = parts.sum(axis=3, keepdims=True)
    weights = numpy.where(numpy.isneginf(bias.max(axis=3, keepdims=True)), 0,
                          parts / numpy.where(total == 0, 1, total))
    return [weights @ v, products, capped, biased, weights]


def model(inputs, modes, **attributes):
    """A node for each mode."""
    names = [f"qk{mode}" for mode in modes]
    nodes = [helper.make_node("Attention", NAMES, [f"y{mode}", "", "", name],
                              name="attend", qk_matmul_output_mode=mode,
                              **attributes)
             for mode, name in zip(modes, names)]
    return make_model(
        nodes, inputs,
        dict.fromkeys([f"y{modes[0]}", *names], inputs["q"].dtype), opset=23)


def arrays(dtype, is_boolean):
    q = 3 * RANDOM.standard_normal((2, 4, 3, 8))
    k, v = RANDOM.standard_normal((2, 2, 2, 5, 8))
    mask = RANDOM.random((3, 5)) < 0.6
    mask[1] = False  # A query that may attend to no key.
    if not is_boolean:
        mask = RANDOM.standard_normal((3, 5)).astype(dtype)
    return {"q": q.astype(dtype), "k": k.astype(dtype), "v": v.astype(dtype),
            "mask": mask}


def main():
    tiers = Tiers(*sys.argv[1:])
    count = 0
    for dtype, is_boolean, softcap, causal in itertools.product(
            ["float32", "float16"], [False, True], [0.0, 1.5], [0, 1]):
        inputs = arrays(dtype, is_boolean)
        tolerance = 1e-5 if dtype == "float32" else 4e-3
        tiers.check(
            f"softcap {softcap}, {dtype}",
            model(inputs, range(4), softcap=softcap, is_causal=causal), inputs,
            [result.astype(dtype) for result in
             expected(*inputs.values(), softcap, causal)],
            rtol=tolerance, atol=2 * tolerance)
        count += 4
    tiers.check_refused("mode 4", model(arrays("float32", False), [4]),
                        "model.onnx:attend: error: import: Attention: "
                        "qk_matmul_output_mode 4 is not 0, 1, 2 or 3")
    print(count, "outputs in three tiers: all values are right")


if __name__ == "__main__":
    main()
