#!/usr/bin/env python3
"""Writes test/Python/Inputs/golden-hessians.npz: Hessian-vector products that JAX computes.

  make-golden-hessians.py OUTPUT

The file was made with the version of JAX that it names in "versions". The test
test/Python/hessian_products.py reads it and does not need JAX. The functions are those of
test/Python/Inputs/hessian_cases.py. The file has these arrays of float64 for each function:

  NAME/xI    operand I
  NAME/vJ    a direction for operand J
  NAME/I,J   the gradient, with respect to operand I, of the scalar product of vJ and the
             gradient with respect to operand J
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/Python/Inputs"))
import hessian_cases as cases  # noqa: E402

jax.config.update("jax_enable_x64", True)


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def softmax_cross_entropy(x, w):
    log = nn.log_softmax(x @ w)
    return -log[jnp.arange(3), jnp.array([0, 2, 3])].mean()


def logsumexp(x):
    return (jax.scipy.special.logsumexp(x, 1) ** 2).sum()


def layer_norm(x, scale, offset):
    y = (x - x.mean(1, keepdims=True)) * lax.rsqrt(x.var(1, keepdims=True) + 1e-5)
    return jnp.sin(y * scale + offset).sum()


def rms_norm(x, scale):
    return jnp.tanh(x / jnp.sqrt((x ** 2).mean(1, keepdims=True) + 1e-6) * scale).sum()


def _mlp(activation):
    return lambda x, w1, b1, w2, b2: ((activation(x @ w1 + b1) @ w2 + b2) ** 2).mean()


def conv_net(x, kernel, bias, w):
    y = lax.conv_general_dilated(x, kernel, (2, 1), [(1, 1), (1, 1)]) + bias[:, None, None]
    y = lax.reduce_window(nn.softplus(y), 0.0, lax.add, (1, 1, 2, 2), (1, 1, 1, 2), "VALID") / 4
    return ((y.reshape(2, 6) @ w) ** 2).mean()


def conv_in_groups_with_max_pool(x, kernel):
    y = jnp.tanh(lax.conv_general_dilated(x, kernel, (1, 1), "VALID", rhs_dilation=(1, 2),
                                          feature_group_count=2))
    # The pool is the maximum of shifted slices, because JAX has no second derivative of
    # reduce_window.
    y = jnp.pad(y, ((0, 0), (0, 0), (1, 0), (0, 0)), constant_values=-jnp.inf)
    rows, columns = y.shape[2] - 1, y.shape[3] - 1
    windows = jnp.stack([y[:, :, i:rows + i:2, j:columns + j] for i in (0, 1) for j in (0, 1)])
    return jnp.exp(windows.max(0)).sum()


def transposed_conv(x, kernel):
    flipped = jnp.flip(kernel, (2, 3)).swapaxes(0, 1)
    y = lax.conv_general_dilated(x, flipped, (1, 1), [(0, 0), (2, 2)], lhs_dilation=(2, 2))
    return (nn.sigmoid(y) ** 2).sum()


def batch_norm(x, scale, offset):
    mean, variance = x.mean((0, 2), keepdims=True), x.var((0, 2), keepdims=True)
    y = (x - mean) / jnp.sqrt(variance + 1e-3) * scale[:, None] + offset[:, None]
    return (nn.relu(y) * jnp.cos(y)).sum()


def attention(q, k, v):
    return ((nn.softmax(q @ k.swapaxes(1, 2) / 2) @ v) ** 2).sum()


def power(x, y):
    return (x ** y).sum()


def cumulative_sum(x):
    y = jnp.cumsum(x, 1) ** 2
    z = lax.cumsum(y, 0, reverse=True) - y
    return jnp.log1p(z * x).sum()


def fourier_filter(x, gain):
    spectrum = jnp.fft.rfft(x, axis=1) * gain
    y = jnp.fft.irfft(spectrum, 8, 1)
    return (y ** 3).sum() + jnp.log1p(spectrum.real ** 2 + spectrum.imag ** 2).sum()


def complex_fourier(x):
    y = jnp.fft.fft(lax.complex(x[..., 0], x[..., 1]), axis=0)
    z = jnp.fft.ifft(lax.complex(y.real ** 3, y.imag ** 3), axis=0)
    return (jnp.tanh(z.real) + jnp.tanh(z.imag)).sum()


def embedding(table, w):
    y = jnp.tanh(table[jnp.array([0, 3, 3, 1])] @ w)
    return ((table ** 2).at[jnp.array([2, 0, 2, 1])].add(y) ** 3).sum()


def top_values(x):
    ordered = jnp.sort(jnp.sin(x), 0)
    return (jnp.exp(jnp.sort(x, 1)[:, 2:]).sum()
            + (jnp.array([[1.0], [-2.0], [3.0]]) * ordered ** 2).sum())


def cosine_similarity(x, y):
    norms = jnp.linalg.norm(x, axis=1) * jnp.linalg.norm(y, axis=1)
    return (((x * y).sum(1) / norms) ** 2).sum()


def products(x):
    total = (x.prod(0) ** 2).sum() + x.prod()
    for y in (x, x[:, ::-1]):
        all_products = jnp.cumprod(y, 1) ** 2
        total = total + all_products.sum() + all_products[:, :-1].sum() + len(y)
    return total


def elementary_functions(x):
    functions = (jnp.sin, jnp.cos, jnp.exp, jnp.expm1, jnp.log, jnp.log1p, jnp.sqrt, lax.rsqrt,
                 lax.erf, lax.erf_inv, jnp.asin, jnp.acos, jnp.atan, nn.sigmoid, jnp.tanh,
                 nn.softplus, jnp.abs, jnp.negative)
    total = functions[0](x)
    for number, function in enumerate(functions[1:]):
        total = total + function(x) * (1 + number / 16)
    return (total ** 2).sum()


def resized(x):
    return (jax.image.resize(x, (1, 2, 5, 7), "linear", antialias=False) ** 3).sum()


def huber(x, y):
    error = x - y
    size = jnp.abs(error)
    loss = jnp.where(size < 1, error ** 2 / 2, size - 0.5)
    limited = jnp.maximum(jnp.clip(x ** 2, 0.25, 2), y)
    return loss.sum() + (limited * jnp.minimum(x, y ** 2)).sum()


def lstm_cell(x, h, c, w, u):
    i, f, o, g = jnp.split(x @ w + h @ u, 4, 1)
    cell = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
    return ((nn.sigmoid(o) * jnp.tanh(cell)) ** 2).sum()


def moved_elements(x, y):
    joined = jnp.concatenate([x.T, y])
    padded = lax.pad(joined, 2.0, [(1, 0, 0), (0, 1, 1)])
    every = jnp.broadcast_to(padded, (2, 6, 4))[:, ::2, ::3]
    return (every * (every * x[:1].T) ** 2).sum()


FUNCTIONS = {name: globals()[function.__name__] for name, function in cases.FUNCTIONS.items()
             if function.__name__ in globals()} | {
    "tanh MLP": _mlp(jnp.tanh), "gelu MLP": _mlp(lambda x: nn.gelu(x, approximate=False)),
    "gelu of tanh MLP": _mlp(nn.gelu)}


def products_of(name):
    """The arrays that are stored for a function."""
    function, (x, v) = FUNCTIONS[name], cases.operands(name)
    found = {f"{name}/x{i}": each for i, each in enumerate(x)}
    for j, direction in enumerate(v):
        def slope(*operands, j=j, direction=direction):
            return jnp.vdot(jax.grad(function, j)(*operands), direction)

        found[f"{name}/v{j}"] = direction
        gradients = jax.grad(slope, tuple(range(len(x))))(*x)
        found |= {f"{name}/{i},{j}": np.asarray(each) for i, each in enumerate(gradients)}
    return found


def main():
    (output,) = sys.argv[1:]
    arrays = {}
    for name in cases.FUNCTIONS:
        arrays |= products_of(name)
    np.savez_compressed(output, versions=f"jax {jax.__version__}", **arrays)
    print(f"{len(arrays)} arrays, {pathlib.Path(output).stat().st_size} bytes")


if __name__ == "__main__":
    main()
