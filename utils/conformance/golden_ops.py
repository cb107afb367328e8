"""The ops of test/Python/Inputs/gradient_cases.py for JAX and for torch."""

import jax
import jax.numpy as jnp
import torch
from jax import lax
from torch.nn import functional

UNARY = {
    "neg": (jnp.negative, torch.neg), "abs": (jnp.abs, torch.abs),
    "sign": (jnp.sign, torch.sign), "exp": (jnp.exp, torch.exp),
    "expm1": (jnp.expm1, torch.expm1), "log": (jnp.log, torch.log),
    "log1p": (jnp.log1p, torch.log1p), "sqrt": (jnp.sqrt, torch.sqrt),
    "rsqrt": (lax.rsqrt, torch.rsqrt), "tanh": (jnp.tanh, torch.tanh),
    "sigmoid": (jax.nn.sigmoid, torch.sigmoid), "relu": (jax.nn.relu, torch.relu),
    "erf": (lax.erf, torch.erf), "erfinv": (lax.erf_inv, torch.erfinv),
    "sin": (jnp.sin, torch.sin), "cos": (jnp.cos, torch.cos), "asin": (jnp.asin, torch.asin),
    "acos": (jnp.acos, torch.acos), "atan": (jnp.atan, torch.atan),
    "floor": (jnp.floor, torch.floor), "ceil": (jnp.ceil, torch.ceil),
    "round": (jnp.round, torch.round), "softplus": (jax.nn.softplus, functional.softplus),
    "gelu": (lambda x: jax.nn.gelu(x, approximate=False), functional.gelu),
    "gelu of tanh": (lambda x: jax.nn.gelu(x, approximate=True),
                     lambda x: functional.gelu(x, approximate="tanh")),
    "cast": (lambda x: x.astype(jnp.float32), lambda x: x.float()),
    "clamp to constants": (lambda x: jnp.clip(x, -1, 2.5), lambda x: x.clamp(-1, 2.5)),
}
BINARY = {
    "add": (jnp.add, torch.add), "sub": (jnp.subtract, torch.sub),
    "mul": (jnp.multiply, torch.mul), "div": (jnp.divide, torch.div),
    "max": (jnp.maximum, torch.maximum), "min": (jnp.minimum, torch.minimum),
    "pow": (jnp.power, torch.pow), "rem": (lax.rem, torch.fmod),
    "select": (jnp.where, torch.where),
    "clamp": (lambda x, low, high: jnp.minimum(jnp.maximum(x, low), high), torch.clamp),
    "broadcast operands": (jnp.multiply, torch.mul),
}
SHAPE = {
    "reshape": (lambda x: x.reshape(3, 4),) * 2,
    "transpose": (lambda x: x.transpose(2, 0, 1), lambda x: x.permute(2, 0, 1)),
    "broadcast": (lambda x: jnp.broadcast_to(x, (3, 2, 4)), lambda x: x.expand(3, 2, 4)),
    "slice": (lambda x: x[1:3, 2:6:2],) * 2,
    "pad": (lambda x: lax.pad(x, jnp.array(3, x.dtype), [(1, 0, 1), (0, 2, 0)]), None),
    "concat": (lambda *x: jnp.concatenate(x, 1), lambda *x: torch.cat(x, 1)),
}


def _jax_scatter(change):
    def apply(x, indices, updates):
        # An index below 0 would count from the end.
        indices = jnp.where(indices < 0, x.shape[1], indices)
        return getattr(x.at[:, indices], change)(updates, mode="drop")
    return apply


INDEXING = {
    "gather": (lambda x, i: x[:, i],) * 2,
    "gather out of range": (lambda x, i: jnp.take(x, i, axis=1, mode="clip"), None),
    "scatter add": (_jax_scatter("add"), lambda x, i, u: x.index_add(1, i, u)),
    "scatter add out of range": (_jax_scatter("add"), None),
    "scatter replace": (_jax_scatter("set"), lambda x, i, u: x.index_copy(1, i, u)),
    "scatter replace twice": (_jax_scatter("set"), lambda x, i, u: x.index_copy(1, i, u)),
    "topk": (lambda x: lax.top_k(x, 2)[0], lambda x: x.topk(2).values),
    "topk ascending": (lambda x: -lax.top_k(-x, 3)[0],
                       lambda x: x.topk(3, largest=False).values),
    "sort": (lambda x: jnp.sort(x, 1), lambda x: x.sort(stable=True).values),
    "sort descending": (lambda x: jnp.sort(x, 1, descending=True),
                        lambda x: x.sort(descending=True, stable=True).values),
}


def _jax_of_complex(transform):
    """A transform of complex numbers whose parts are along the last dim."""
    def apply(x):
        y = transform(lax.complex(x[..., 0], x[..., 1]))
        return jnp.stack([y.real, y.imag], -1) if jnp.iscomplexobj(y) else y
    return apply


def _torch_of_complex(transform):
    def apply(x):
        y = transform(torch.view_as_complex(x))
        return torch.view_as_real(y) if y.is_complex() else y
    return apply


def _jax_rfft(x):
    y = jnp.fft.rfft(x, axis=1)
    return jnp.stack([y.real, y.imag], -1)


def _torch_rfft(x):
    return torch.view_as_real(torch.fft.rfft(x, dim=1))


LINES = {
    "scan": (lambda x: jnp.cumsum(x, 1), lambda x: x.cumsum(1)),
    "scan reversed": (lambda x: lax.cumsum(x, 1, reverse=True),
                      lambda x: x.flip(1).cumsum(1).flip(1)),
    "scan exclusive": (
        lambda x: jnp.pad(jnp.cumsum(x, 1)[:, :-1], ((0, 0), (1, 0))),
        lambda x: functional.pad(x.cumsum(1)[:, :-1], (1, 0))),
    "scan of products": (lambda x: jnp.cumprod(x, 1), lambda x: x.cumprod(1)),
    "scan of products exclusive": (
        lambda x: jnp.pad(jnp.cumprod(x, 1)[:, :-1], ((0, 0), (1, 0)), constant_values=1),
        lambda x: functional.pad(x.cumprod(1)[:, :-1], (1, 0), value=1)),
    "scan of maxima": (lambda x: lax.cummax(x, 1), lambda x: x.cummax(1).values),
    "scan of minima": (lambda x: lax.cummin(x, 1), lambda x: x.cummin(1).values),
    "scan of maxima reversed": (lambda x: lax.cummax(x, 1, reverse=True),
                                lambda x: x.flip(1).cummax(1).values.flip(1)),
    "scan of logarithms": (lambda x: lax.cumlogsumexp(x, 1), lambda x: x.logcumsumexp(1)),
    "scan of products reversed": (lambda x: lax.cumprod(x, 1, reverse=True),
                                  lambda x: x.flip(1).cumprod(1).flip(1)),
    "fft": (_jax_of_complex(lambda x: jnp.fft.fft(x, axis=1)),
            _torch_of_complex(lambda x: torch.fft.fft(x, dim=1))),
    "ifft": (_jax_of_complex(lambda x: jnp.fft.ifft(x, axis=1)),
             _torch_of_complex(lambda x: torch.fft.ifft(x, dim=1))),
    "rfft": (_jax_rfft, _torch_rfft), "rfft of odd length": (_jax_rfft, _torch_rfft),
    **{name: (_jax_of_complex(lambda x, n=n: jnp.fft.irfft(x, n, 1)),
              _torch_of_complex(lambda x, n=n: torch.fft.irfft(x, n, 1)))
       for name, n in (("irfft", 6), ("irfft of odd length", 5))},
}


def _conv(strides=(1, 1), padding=((0, 0), (0, 0)), dilations=(1, 1), groups=1):
    def in_jax(x, kernel, bias):
        return lax.conv_general_dilated(
            x, kernel, strides, padding, rhs_dilation=dilations,
            feature_group_count=groups) + bias[:, None, None]

    def in_torch(x, kernel, bias):
        (top, bottom), (left, right) = padding
        return functional.conv2d(functional.pad(x, (left, right, top, bottom)), kernel, bias,
                                 strides, 0, dilations, groups)
    return in_jax, in_torch


def _conv_transpose(strides, padding, output_padding, dilations=(1, 1), groups=1):
    return lambda x, kernel, bias: functional.conv_transpose2d(
        x, kernel, bias, strides, padding, output_padding, groups, dilations)


def _jax_conv_transpose(x, kernel, bias):
    """Strides (2, 1), padding (1, 0) and output padding (1, 0)."""
    kernel = jnp.flip(kernel, (2, 3)).swapaxes(0, 1)
    return lax.conv_general_dilated(x, kernel, (1, 1), [(1, 2), (1, 1)],
                                    lhs_dilation=(2, 1)) + bias[:, None, None]


CONTRACTIONS = {
    "conv": _conv(padding=((1, 1), (0, 1))),
    "conv strided": _conv((2, 3), ((1, 1), (1, 1))),
    "conv in groups": _conv(dilations=(2, 1), groups=2),
    "conv_backward_data": (_jax_conv_transpose, _conv_transpose((2, 1), (1, 0), (1, 0))),
    "conv_backward_data in groups": (None, _conv_transpose((1, 1), 0, 0, (1, 2), 2)),
    **{name: (jnp.matmul, torch.matmul)
       for name in ("matmul", "matmul of batches", "matmul of infinities")},
    "matmul transposed": (lambda x, y: x.T @ y.T,) * 2,
}


def _max_pool(window, stride, pad, dilation=1):
    def in_jax(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, window, window),
                                 (1, 1, stride, stride),
                                 ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    # JAX has no gradient with a dilation.
    return (in_jax if dilation == 1 else None,
            lambda x: functional.max_pool2d(x, window, stride, pad, dilation))


def _avg_pool(window, stride, pad, count_include_pad):
    def in_jax(x):
        def add(x):
            return lax.reduce_window(x, 0.0, lax.add, (1, 1, window, window),
                                     (1, 1, stride, stride),
                                     ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        return add(x) / (window * window if count_include_pad else add(jnp.ones_like(x)))
    return in_jax, lambda x: functional.avg_pool2d(x, window, stride, pad,
                                                   count_include_pad=count_include_pad)


def _resize(size, jax_method, torch_mode, antialias=False, **options):
    in_jax = jax_method and (lambda x: jax.image.resize(
        x, (*x.shape[:2], size, size), jax_method, antialias=antialias))
    return in_jax, lambda x: functional.interpolate(x, (size, size), mode=torch_mode,
                                                    antialias=antialias, **options)


WINDOWS = {
    "max_pool": _max_pool(2, 2, 0), "max_pool overlapping": _max_pool(3, 1, 1),
    "max_pool dilated": _max_pool(2, 2, 1, 2),
    "avg_pool": _avg_pool(3, 2, 1, False), "avg_pool with padding": _avg_pool(3, 2, 1, True),
    "resize nearest": _resize(7, None, "nearest"),
    "resize linear": _resize(7, "linear", "bilinear"),
    "resize to fewer": _resize(3, "linear", "bilinear"),
    "resize aligned": _resize(6, None, "bilinear", align_corners=True),
    # JAX has another coefficient.
    "resize cubic": _resize(7, None, "bicubic"),
    "resize antialiased": _resize(2, "linear", "bilinear", True),
}


def _jax_batch_norm(x, scale, offset, mean, variance):
    def along(v):
        return v[:, None]
    return ((x - along(mean)) * lax.rsqrt(along(variance) + 0.0625) * along(scale)
            + along(offset))


def _torch_batch_norm(x, scale, offset, mean, variance):
    # functional.batch_norm has no gradients of the statistics.
    def along(v):
        return v[:, None]
    return ((x - along(mean)) * torch.rsqrt(along(variance) + 0.0625) * along(scale)
            + along(offset))


REDUCTIONS = {
    "reduce sum": (lambda x: x.sum(1),) * 2, "reduce mean": (lambda x: x.mean(1),) * 2,
    "reduce prod": (lambda x: x.prod(1),) * 2,
    "reduce max": (lambda x: x.max(1), lambda x: x.amax(1)),
    "reduce min": (lambda x: x.min(1), lambda x: x.amin(1)),
    "softmax": (lambda x: jax.nn.softmax(x, 1), lambda x: x.softmax(1)),
    "batch_norm": (_jax_batch_norm, _torch_batch_norm),
}

_ALL = (UNARY | BINARY | SHAPE | INDEXING | LINES | CONTRACTIONS | WINDOWS | REDUCTIONS)
JAX = {name: functions[0] for name, functions in _ALL.items()}
TORCH = {name: functions[1] for name, functions in _ALL.items()}
