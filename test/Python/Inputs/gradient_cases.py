"""Ops whose gradients are compared with those of JAX and torch, and their operands: zeros
of both signs, ties, bounds, infinities, NaN, huge and subnormal numbers.

utils/conformance/make-golden-gradients.py stores the operands and the gradients in
golden-gradients.npz; the test golden_gradients.py reads that file.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

# The sum of the loss multiplies the elements of a result by these numbers in turn. Products
# with them are exact.
SEED = (1.0, -2.0, 0.5)
ALL_FLOATS = ("float64", "float32", "float16")
WIDE_FLOATS = ("float64", "float32")

UNARY = ("neg", "abs", "sign", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "tanh",
         "sigmoid", "relu", "erf", "erfinv", "sin", "cos", "asin", "acos", "atan", "floor",
         "ceil", "round", "softplus")
BINARY = ("add", "sub", "mul", "div", "max", "min", "pow", "rem")


@dataclasses.dataclass(frozen=True)
class Case:
    """Attributes:
      build: adds the op to a builder, given the builder and the operands.
      operands: the operands for a dtype. Gradients are those of all operands of floats.
      dtypes: the dtypes of the operands of floats.
    """

    build: Callable
    operands: Callable[[str], list[np.ndarray]]
    dtypes: tuple[str, ...] = WIDE_FLOATS


def edge_values(dtype):
    info = np.finfo(dtype)
    huge = min(1e30, float(info.max))
    return np.array([0, 0.5, 1, 1.5, 2.5, 3, 18, 100, info.smallest_subnormal,
                     info.tiny, huge, np.inf], dtype)


def both_signs(values):
    return np.concatenate([values, -values, [np.array(np.nan, values.dtype)]])


def pairs(dtype):
    """All pairs of some edge values, as two tensors."""
    info = np.finfo(dtype)
    huge = min(1e30, float(info.max))
    values = both_signs(np.array([0, 0.75, 2, 3, info.smallest_subnormal, huge, np.inf], dtype))
    x, y = np.meshgrid(values, values, indexing="ij")
    return [x.copy(), y.copy()]


def triples(dtype):
    """All triples of a few values, in which bounds are out of order, too."""
    values = np.array([-np.inf, -1, 0, 2, np.inf, np.nan], dtype)
    return [each.copy() for each in np.meshgrid(values, values, values, indexing="ij")]


def rows(dtype):
    """Rows with ties, zeros of both signs, infinities and NaN."""
    huge = min(1e30, float(np.finfo(dtype).max))
    tiny = np.finfo(dtype).smallest_subnormal
    inf, nan = np.inf, np.nan
    return [np.array([[1, 3, 2, 3], [-1, -1, -1, -1], [0, -0.0, 0, -2], [0, 2, 3, 0.5],
                      [0, 2, 0, 3], [inf, 1, inf, 2], [-inf, 1, -inf, 2], [inf, -inf, 0, 1],
                      [-inf, -inf, -inf, -inf], [1, nan, 5, nan], [nan, inf, 0, 1],
                      [huge, 1, -huge, 2], [huge, 1.5, huge, 2], [tiny, 0, tiny, -tiny],
                      [1, 2, 3, 4]], dtype)]


def normal(*shapes, seed=1):
    """Operands of normally distributed numbers, the same for all dtypes."""
    def make(dtype):
        rng = np.random.default_rng(seed)
        # Multiples of 1 / 64 are exact in all dtypes.
        return [(np.round(rng.standard_normal(shape) * 64) / 64).astype(dtype)
                for shape in shapes]
    return make


def image(dtype):
    """An image (1, 1, 6, 6) with ties, infinities and NaN."""
    x = np.array([[1, 1, 2, 0, 3, 3], [1, 1, 0, 2, 3, 3], [-1, 5, 5, 5, 0, -0.0],
                  [np.inf, 0, -np.inf, -np.inf, np.nan, 1], [2, np.inf, -np.inf, -np.inf, 1, 7],
                  [4, 4, 1, np.nan, 7, np.nan]], dtype)
    return [x.reshape(1, 1, 6, 6)]


def with_indices(indices, *shapes):
    """Normal operands, the second of which are indices."""
    def make(dtype):
        x, *others = normal(*shapes)(dtype)
        return [x, np.array(indices, np.int64), *others]
    return make


def batch_norm_operands(dtype):
    x, scale, offset, mean, variance = normal((2, 3, 4), (3,), (3,), (3,), (3,))(dtype)
    variance = np.abs(variance)
    variance[1], scale[2] = 0, 0
    return [x, scale, offset, mean, variance]


def select_operands(dtype):
    x, y = pairs(dtype)
    return [(np.arange(x.size) % 2 == 0).reshape(x.shape), x, y]


def _unary(op, **attributes):
    def values(dtype):
        return [both_signs(edge_values(dtype))]
    return Case(lambda b, x: b.op(op, x, **attributes), values, ALL_FLOATS)


def _reduce(kind):
    return Case(lambda b, x: b.reduce(x, kind=kind, dims=[1]), rows)


def _resize(mode, coordinates, size, **attributes):
    return Case(lambda b, x: b.resize(x, dims=[2, 3], sizes=[size, size], mode=mode,
                                      coordinates=coordinates, **attributes),
                normal((1, 2, 4, 4)))


def _pool(op, window, strides, pad, operands=image, dilation=1, **attributes):
    return Case(lambda b, x: b.op(op, x, window=[window] * 2, strides=[strides] * 2,
                                  pad_low=[pad] * 2, pad_high=[pad] * 2,
                                  dilations=[dilation] * 2, layout="NCHW", **attributes),
                operands)


def _convolution(op, x, kernel, **attributes):
    layouts = {"input_layout": "NCHW", "kernel_layout": "OIHW", "output_layout": "NCHW"}
    channels = kernel[0] if op == "conv" else kernel[1] * attributes.get("groups", 1)
    return Case(lambda b, *v: b.op(op, *v, **layouts, **attributes),
                normal(x, kernel, (channels,)))


def _sort(op, **attributes):
    return Case(lambda b, x: b.results(op, x, axis=1, **attributes)[0], rows)


def _scan(exclusive, reverse, kind="sum"):
    return Case(lambda b, x: b.scan(x, kind=kind, axis=1, exclusive=exclusive,
                                    reverse=reverse), rows)


def _matmul(x, y, **attributes):
    return Case(lambda b, *v: b.matmul(*v, **attributes), normal(x, y))


def _with_infinities(dtype):
    x, y = normal((2, 3), (3, 2))(dtype)
    x[0, 1], y[2, 0], y[0, 1] = np.inf, np.nan, 0
    return [x, y]


def _gather(indices):
    return Case(lambda b, *v: b.gather(*v, axis=1), with_indices(indices, (2, 3, 2)))


def _scatter(kind, indices):
    shape = (2, *np.shape(indices), 2)
    return Case(lambda b, *v: b.scatter(*v, axis=1, kind=kind),
                with_indices(indices, (2, 4, 2), shape))


def _fft(kind, shape, length=0):
    return Case(lambda b, x: b.fft(x, kind=kind, axis=1, length=length), normal(shape))


CASES = {
    **{op: _unary(op) for op in UNARY},
    "gelu": _unary("gelu"), "gelu of tanh": _unary("gelu", approximate_tanh=True),
    "cast": Case(lambda b, x: b.cast(x, dtype="f32"),
                 lambda dtype: [both_signs(edge_values(dtype))], ("float64", "float16")),
    **{op: Case(lambda b, x, y, op=op: b.op(op, x, y), pairs, ALL_FLOATS) for op in BINARY},
    "select": Case(lambda b, *v: b.select(*v), select_operands),
    "clamp": Case(lambda b, *v: b.clamp(*v), triples),
    "clamp to constants": Case(
        lambda b, x: b.clamp(x, b.splat(b.type(x)[0], (), -1), b.splat(b.type(x)[0], (), 2.5)),
        lambda dtype: [np.append(both_signs(edge_values(dtype)), np.array(-1, dtype))],
        WIDE_FLOATS),
    "broadcast operands": Case(lambda b, x, y: b.mul(x, y), normal((2, 1, 3), (4, 1))),
    "reshape": Case(lambda b, x: b.reshape(x, shape=[3, 4]), normal((2, 6))),
    "transpose": Case(lambda b, x: b.transpose(x, permutation=[2, 0, 1]), normal((2, 3, 4))),
    "broadcast": Case(lambda b, x: b.broadcast(x, shape=[3, 2, 4], dims=[1, 2]),
                      normal((2, 1))),
    "slice": Case(lambda b, x: b.slice(x, starts=[1, -5], limits=[3, 6], strides=[1, 2]),
                  normal((4, 7))),
    "pad": Case(lambda b, x: b.pad(x, low=[1, 0], high=[0, 2], interior=[1, 0], value=3),
                normal((2, 3))),
    "concat": Case(lambda b, *v: b.concat(*v, axis=1), normal((2, 1), (2, 3), (2, 0))),
    "gather": _gather([[2, 0], [2, 2]]), "gather out of range": _gather([-1, 1, 7]),
    "scatter add": _scatter("add", [2, 0, 2]),
    "scatter add out of range": _scatter("add", [-1, 1, 4]),
    "scatter replace": _scatter("replace", [3, 0]),
    "scatter replace twice": _scatter("replace", [2, 0, 2]),
    "topk": _sort("topk", k=2), "topk ascending": _sort("topk", k=3, ascending=True),
    "sort": _sort("sort"), "sort descending": _sort("sort", descending=True),
    "scan": _scan(False, False), "scan reversed": _scan(False, True),
    "scan exclusive": _scan(True, False),
    "scan of products": _scan(False, False, "prod"),
    "scan of products exclusive": _scan(True, False, "prod"),
    "scan of products reversed": _scan(False, True, "prod"),
    "scan of maxima": _scan(False, False, "max"),
    "scan of minima": _scan(False, False, "min"),
    "scan of maxima reversed": _scan(False, True, "max"),
    "scan of logarithms": _scan(False, False, "log_sum_exp"),
    "fft": _fft("fft", (2, 5, 2)), "ifft": _fft("ifft", (2, 6, 2)),
    "rfft": _fft("rfft", (2, 6)), "rfft of odd length": _fft("rfft", (2, 5)),
    "irfft": _fft("irfft", (2, 4, 2), 6), "irfft of odd length": _fft("irfft", (2, 3, 2), 5),
    "conv": _convolution("conv", (2, 2, 5, 6), (3, 2, 3, 2), pad_low=[1, 0], pad_high=[1, 1]),
    "conv strided": _convolution("conv", (1, 2, 7, 6), (2, 2, 3, 3), strides=[2, 3],
                                 pad_low=[1, 1], pad_high=[1, 1]),
    "conv in groups": _convolution("conv", (2, 4, 6, 6), (6, 2, 2, 3), groups=2,
                                   dilations=[2, 1]),
    "conv_backward_data": _convolution("conv_backward_data", (1, 3, 4, 3), (3, 2, 3, 2),
                                       strides=[2, 1], pad_low=[1, 0], pad_high=[1, 0],
                                       output_padding=[1, 0]),
    "conv_backward_data in groups": _convolution(
        "conv_backward_data", (2, 4, 3, 3), (4, 1, 3, 3), groups=2, dilations=[1, 2]),
    "matmul": _matmul((2, 3), (3, 4)), "matmul of batches": _matmul((5, 1, 2, 3), (2, 3, 4)),
    "matmul transposed": _matmul((3, 2), (4, 3), transpose_lhs=True, transpose_rhs=True),
    "matmul of infinities": Case(lambda b, *v: b.matmul(*v), _with_infinities),
    "max_pool": _pool("max_pool", 2, 2, 0), "max_pool overlapping": _pool("max_pool", 3, 1, 1),
    "max_pool dilated": _pool("max_pool", 2, 2, 1, dilation=2),
    "avg_pool": _pool("avg_pool", 3, 2, 1, normal((1, 2, 6, 6)), count_include_pad=False),
    "avg_pool with padding": _pool("avg_pool", 3, 2, 1, normal((1, 2, 6, 6)),
                                   count_include_pad=True),
    "resize nearest": _resize("nearest", "asymmetric", 7, rounding="floor"),
    "resize linear": _resize("linear", "half_pixel", 7),
    "resize to fewer": _resize("linear", "half_pixel", 3),
    "resize aligned": _resize("linear", "align_corners", 6),
    "resize cubic": _resize("cubic", "half_pixel", 7, cubic_coeff_a=-0.75),
    "resize antialiased": _resize("linear", "half_pixel", 2, antialias=True,
                                  exclude_outside=True),
    **{f"reduce {kind}": _reduce(kind) for kind in ("sum", "mean", "prod", "max", "min")},
    "softmax": Case(lambda b, x: b.softmax(x, axis=1), rows, ALL_FLOATS),
    "batch_norm": Case(lambda b, *v: b.batch_norm(*v, epsilon=0.0625, axis=1),
                       batch_norm_operands),
}


def names():
    """(name, dtype) of all cases."""
    return [(name, dtype) for name, case in CASES.items() for dtype in case.dtypes]


def is_float(array):
    return np.issubdtype(array.dtype, np.floating)


def seed_like(shape, dtype):
    return np.resize(np.array(SEED, dtype), shape)


