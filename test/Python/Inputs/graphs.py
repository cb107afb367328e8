"""Graphs that several tests use."""

import numpy as np
import tandem


def unary(dtype, op="neg", **options):
    """The op `op` of a vector `x`, as `y`."""
    builder = tandem.Builder()
    x = builder.input(dtype, (None,), dims=("n",), name="x")
    return builder.build(builder.op(op, x), names=["y"], **options)


def elementwise(op, *dtypes, rank=1):
    """A function of one op, with an output "result". It has an input for each dtype,
    "x", "y" and "z", all of the same sizes."""
    builder = tandem.Builder()
    dims = tuple(f"n{i}" for i in range(rank))
    inputs = [builder.input(dtype, (None,) * rank, dims=dims, name=name)
              for name, dtype in zip("xyz", dtypes)]
    return builder.build(builder.op(op, *inputs), names=["result"])


class Layer:
    """relu(x @ weights + bias) for 16 columns and any number of rows. The values
    are small integers, so that every tier computes what numpy computes."""

    weights = (np.arange(16 * 8).reshape(16, 8) % 7 - 3).astype(np.float32)
    bias = np.arange(-4, 4, dtype=np.float32)

    @classmethod
    def build(cls, **options):
        builder = tandem.Builder()
        x = builder.input("float32", (None, 16), dims=("n", ""), name="x")
        y = builder.matmul(x, builder.constant(cls.weights))
        y = builder.relu(builder.add(y, builder.constant(cls.bias)))
        return builder.build(y, names=["y"], **options)

    @classmethod
    def expected(cls, x):
        return np.maximum(x @ cls.weights + cls.bias, 0)

    @staticmethod
    def input(rows, seed=0):
        return np.random.default_rng(seed).integers(-9, 10, (rows, 16)).astype(np.float32)


def slow_to_compile(layers=60, **options):
    """A function of a vector of any length. Its kernels differ, so that each of them
    must be compiled."""
    builder = tandem.Builder()
    y = builder.input("float32", (None, 16), dims=("n", ""), name="x")
    for i in range(layers):
        columns = builder.type(y)[1][1]
        weights = np.full((columns, 17 + i), 1 / columns, np.float32)
        y = builder.tanh(builder.matmul(y, builder.constant(weights)))
    return builder.build(y, **options)


def convnet(filters, weights):
    """softmax(mean(relu(conv(x, filters))) @ weights) for images x, NCHW."""
    b = tandem.Builder()
    x = b.input("float32", (None, filters.shape[1], None, None),
                dims=("n", "", "h", "w"), name="x")
    y = b.conv(x, b.constant(filters))
    y = b.reduce(b.relu(y), kind="mean", dims=[2, 3])
    return b.build(b.softmax(b.matmul(y, b.constant(weights)), axis=1))
