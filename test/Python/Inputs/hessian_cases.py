"""Functions of several operands whose Hessian-vector products are compared with those of
JAX. Each adds its ops to a builder and returns a scalar.

utils/conformance/make-golden-hessians.py has the same functions in JAX, and stores their
products in golden-hessians.npz; the test hessian_products.py reads that file.
"""

import numpy as np

CONV = {"input_layout": "NCHW", "kernel_layout": "OIHW", "output_layout": "NCHW"}


def operands(name):
    """The operands of a case and one direction for each, in float64."""
    shapes, low, high = SHAPES[name]
    rng = np.random.default_rng(len(name))
    x = [rng.uniform(low, high, shape) for shape in shapes]
    return x, [rng.standard_normal(shape) for shape in shapes]


class Graph:
    """A builder with shorthands for graphs in float64."""

    def __init__(self, b):
        self.b = b

    def number(self, value):
        return self.b.splat("float64", (), value)

    def constant(self, values):
        return self.b.constant(np.array(values))

    def sum(self, x, dims=None, keep=False, kind="sum"):
        rank = len(self.b.type(x)[1])
        return self.b.reduce(x, kind=kind, dims=list(range(rank)) if dims is None else dims,
                             keep_dims=keep)

    def mean(self, x, dims=None, keep=False):
        return self.sum(x, dims, keep, "mean")

    def plus(self, x, value):
        return self.b.add(x, self.number(value))

    def times(self, x, value):
        return self.b.mul(x, self.number(value))

    def square(self, x):
        return self.b.mul(x, x)

    def dense(self, x, w, bias):
        return self.b.add(self.b.matmul(x, w), bias)

    def slice(self, x, start, limit, axis=0):
        shape = self.b.type(x)[1]
        starts, limits = [0] * len(shape), list(shape)
        starts[axis], limits[axis] = start, limit
        return self.b.slice(x, starts=starts, limits=limits, strides=[1] * len(shape))

    def transpose(self, x, *permutation):
        return self.b.transpose(x, permutation=list(permutation))


def rosenbrock(g, x):
    first, others = g.slice(x, 0, 5), g.slice(x, 1, 6)
    valley = g.square(g.b.sub(others, g.square(first)))
    return g.sum(g.b.add(g.times(valley, 100), g.square(g.b.sub(g.number(1), first))))


def softmax_cross_entropy(g, x, w):
    labels = g.constant(np.eye(4)[[0, 2, 3]])
    log = g.b.log(g.b.softmax(g.b.matmul(x, w), axis=1))
    return g.b.neg(g.mean(g.sum(g.b.mul(labels, log), [1])))


def logsumexp(g, x):
    largest = g.sum(x, [1], True, "max")
    total = g.sum(g.b.exp(g.b.sub(x, largest)), [1], True)
    return g.sum(g.square(g.b.add(g.b.log(total), largest)))


def layer_norm(g, x, scale, offset):
    centered = g.b.sub(x, g.mean(x, [1], True))
    variance = g.mean(g.square(centered), [1], True)
    y = g.b.mul(centered, g.b.rsqrt(g.plus(variance, 1e-5)))
    return g.sum(g.b.sin(g.b.add(g.b.mul(y, scale), offset)))


def rms_norm(g, x, scale):
    root = g.b.sqrt(g.plus(g.mean(g.square(x), [1], True), 1e-6))
    return g.sum(g.b.tanh(g.b.mul(g.b.div(x, root), scale)))


def _mlp(activation, **attributes):
    def function(g, x, w1, b1, w2, b2):
        hidden = g.b.op(activation, g.dense(x, w1, b1), **attributes)
        return g.mean(g.square(g.dense(hidden, w2, b2)))
    return function


def conv_net(g, x, kernel, bias, w):
    y = g.b.softplus(g.b.conv(x, kernel, bias, **CONV, pad_low=[1, 1], pad_high=[1, 1],
                              strides=[2, 1]))
    y = g.b.avg_pool(y, window=[2, 2], strides=[1, 2], pad_low=[0, 0], pad_high=[0, 0],
                     dilations=[1, 1], layout="NCHW", count_include_pad=True)
    y = g.b.reshape(y, shape=[2, 6])
    return g.mean(g.square(g.b.matmul(y, w)))


def conv_in_groups_with_max_pool(g, x, kernel):
    y = g.b.conv(x, kernel, **CONV, groups=2, dilations=[1, 2])
    y = g.b.max_pool(g.b.tanh(y), window=[2, 2], strides=[2, 1], pad_low=[1, 0],
                     pad_high=[0, 0], dilations=[1, 1], layout="NCHW")
    return g.sum(g.b.exp(y))


def transposed_conv(g, x, kernel):
    y = g.b.conv_backward_data(x, kernel, **CONV, strides=[2, 2], pad_low=[1, 0],
                               pad_high=[1, 0], output_padding=[0, 0])
    return g.sum(g.square(g.b.sigmoid(y)))


def batch_norm(g, x, scale, offset):
    mean = g.mean(x, [0, 2])
    centered = g.b.sub(x, g.b.reshape(mean, shape=[3, 1]))
    variance = g.mean(g.square(centered), [0, 2])
    y = g.b.batch_norm(x, scale, offset, mean, variance, epsilon=1e-3, axis=1)
    return g.sum(g.b.mul(g.b.relu(y), g.b.cos(y)))


def attention(g, q, k, v):
    scores = g.times(g.b.matmul(q, k, transpose_rhs=True), 0.5)
    return g.sum(g.square(g.b.matmul(g.b.softmax(scores, axis=2), v)))


def power(g, x, y):
    return g.sum(g.b.pow(x, y))


def cumulative_sum(g, x):
    y = g.b.scan(x, kind="sum", axis=1)
    z = g.b.scan(g.square(y), kind="sum", axis=0, exclusive=True, reverse=True)
    return g.sum(g.b.log1p(g.b.mul(z, x)))


def fourier_filter(g, x, gain):
    spectrum = g.b.mul(g.b.fft(x, kind="rfft", axis=1), g.b.reshape(gain, shape=[5, 1]))
    y = g.b.fft(spectrum, kind="irfft", axis=1, length=8)
    power_of = g.sum(g.square(spectrum), [2])
    return g.b.add(g.sum(g.b.mul(g.square(y), y)), g.sum(g.b.log1p(power_of)))


def complex_fourier(g, x):
    y = g.b.fft(x, kind="fft", axis=0)
    z = g.b.fft(g.b.mul(y, g.square(y)), kind="ifft", axis=0)
    return g.sum(g.b.tanh(z))


def embedding(g, table, w):
    rows = g.b.gather(table, g.constant([[0, 3], [3, 1]]), axis=0)
    y = g.b.tanh(g.b.matmul(rows, w))
    y = g.b.scatter(g.square(table), g.constant([2, 0, 2, 1]), g.b.reshape(y, shape=[4, 3]),
                    axis=0, kind="add")
    return g.sum(g.b.mul(y, g.square(y)))


def top_values(g, x):
    largest, _ = g.b.topk(x, k=3, axis=1)
    ordered, _ = g.b.sort(g.b.sin(x), axis=0)
    weights = g.constant([[1.0], [-2.0], [3.0]])
    return g.b.add(g.sum(g.b.exp(largest)), g.sum(g.b.mul(weights, g.square(ordered))))


def cosine_similarity(g, x, y):
    def norm(v):
        return g.b.sqrt(g.sum(g.square(v), [1]))
    return g.sum(g.square(g.b.div(g.sum(g.b.mul(x, y), [1]), g.b.mul(norm(x), norm(y)))))


def products(g, x):
    total = g.b.add(g.sum(g.square(g.sum(x, [0], kind="prod"))), g.sum(x, kind="prod"))
    for exclusive in (False, True):
        for reverse in (False, True):
            y = g.b.scan(x, kind="prod", axis=1, exclusive=exclusive, reverse=reverse)
            total = g.b.add(total, g.sum(g.square(y)))
    return total


def elementary_functions(g, x):
    names = ("sin", "cos", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "erf", "erfinv",
             "asin", "acos", "atan", "sigmoid", "tanh", "softplus", "abs", "neg")
    total = g.b.op(names[0], x)
    for number, name in enumerate(names[1:]):
        total = g.b.add(total, g.times(g.b.op(name, x), 1 + number / 16))
    return g.sum(g.square(total))


def resized(g, x):
    y = g.b.resize(x, dims=[2, 3], sizes=[5, 7], mode="linear", coordinates="half_pixel")
    return g.sum(g.b.mul(y, g.square(y)))


def huber(g, x, y):
    error = g.b.sub(x, y)
    size = g.b.abs(error)
    is_small = g.b.compare(size, g.number(1), predicate="lt")
    inner = g.times(g.square(error), 0.5)
    loss = g.b.select(is_small, inner, g.plus(size, -0.5))
    limited = g.b.clamp(g.square(x), g.number(0.25), g.number(2))
    return g.b.add(g.sum(loss), g.sum(g.b.mul(g.b.max(limited, y), g.b.min(x, g.square(y)))))


def lstm_cell(g, x, h, c, w, u):
    gates = g.b.add(g.b.matmul(x, w), g.b.matmul(h, u))
    i, f, o = (g.b.sigmoid(g.slice(gates, 3 * n, 3 * n + 3, 1)) for n in range(3))
    cell = g.b.add(g.b.mul(f, c), g.b.mul(i, g.b.tanh(g.slice(gates, 9, 12, 1))))
    return g.sum(g.square(g.b.mul(o, g.b.tanh(cell))))


def moved_elements(g, x, y):
    joined = g.b.concat(g.transpose(x, 1, 0), y, axis=0)
    padded = g.b.pad(joined, low=[1, 0], high=[0, 1], interior=[0, 1], value=2)
    spread = g.b.broadcast(padded, shape=[2, 6, 4], dims=[1, 2])
    every = g.b.slice(spread, starts=[0, 0, 0], limits=[2, 6, 4], strides=[1, 2, 3])
    factors = g.transpose(g.slice(x, 0, 1), 1, 0)
    return g.sum(g.b.mul(every, g.square(g.b.mul(every, factors))))


_MLP = ((4, 3), (3, 5), (5,), (5, 2), (2,))
# The operands' shapes, and the interval of their numbers.
SHAPES = {
    "rosenbrock": (((6,),), -1, 1), "softmax cross-entropy": (((3, 5), (5, 4)), -1, 1),
    "logsumexp": (((3, 4),), -3, 3), "layer norm": (((3, 6), (6,), (6,)), -1, 1),
    "rms norm": (((3, 6), (6,)), -1, 1), "tanh MLP": (_MLP, -1, 1), "gelu MLP": (_MLP, -1, 1),
    "gelu of tanh MLP": (_MLP, -1, 1),
    "conv net": (((2, 2, 4, 4), (3, 2, 3, 3), (3,), (6, 2)), -1, 1),
    "conv in groups with max pool": (((1, 4, 5, 5), (2, 2, 2, 2)), -1, 1),
    "transposed conv": (((1, 2, 3, 3), (2, 3, 2, 3)), -1, 1),
    "batch norm": (((2, 3, 4), (3,), (3,)), -1, 1),
    "attention": (((2, 3, 4), (2, 5, 4), (2, 5, 3)), -1, 1),
    "power": (((2, 3), (4, 1, 3)), 0.25, 2), "cumulative sum": (((3, 4),), 0.25, 1),
    "fourier filter": (((2, 8), (5,)), -1, 1), "complex fourier": (((5, 2, 2),), -1, 1),
    "embedding": (((4, 3), (3, 3)), -1, 1), "top values": (((3, 5),), -1, 1),
    "cosine similarity": (((3, 4), (3, 4)), -1, 1), "products": (((3, 5),), -2, 2),
    "elementary functions": (((3, 3),), 0.1, 0.9), "resized": (((1, 2, 4, 4),), -1, 1),
    "huber": (((3, 4), (3, 4)), -2, 2),
    "lstm cell": (((2, 4), (2, 3), (2, 3), (4, 12), (3, 12)), -1, 1),
    "moved elements": (((2, 3), (2, 2)), -1, 1),
}
FUNCTIONS = {
    "rosenbrock": rosenbrock, "softmax cross-entropy": softmax_cross_entropy,
    "logsumexp": logsumexp, "layer norm": layer_norm, "rms norm": rms_norm,
    "tanh MLP": _mlp("tanh"), "gelu MLP": _mlp("gelu"),
    "gelu of tanh MLP": _mlp("gelu", approximate_tanh=True), "conv net": conv_net,
    "conv in groups with max pool": conv_in_groups_with_max_pool,
    "transposed conv": transposed_conv, "batch norm": batch_norm, "attention": attention,
    "power": power, "cumulative sum": cumulative_sum, "fourier filter": fourier_filter,
    "complex fourier": complex_fourier, "embedding": embedding, "top values": top_values,
    "cosine similarity": cosine_similarity, "products": products,
    "elementary functions": elementary_functions, "resized": resized, "huber": huber,
    "lstm cell": lstm_cell, "moved elements": moved_elements,
}
