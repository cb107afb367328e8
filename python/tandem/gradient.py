"""Gradients of functions, as jax.grad and jax.value_and_grad have them."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Sequence

from ._errors import check_type
from ._function import Function, as_shape
from ._inputs import in_order

# The number of signatures for which functions are kept.
_MOST_SIGNATURES = 256


def value_and_grad(function: Function, *, wrt: int | str | Sequence[int | str] = 0,
                   loss: int = 0) -> Callable[..., typing.Any]:
    """A callable that returns the outputs of a function and gradients of a loss.

    The callable takes the same arrays as the function, in the order of the inputs or
    by name. It returns a pair. The first item is the output of the function, or a
    tuple if there are several outputs. The second item is the gradient with respect to
    `wrt`, or a tuple of gradients if `wrt` is a list. Each gradient has the shape and
    dtype of its input.

    `wrt` names inputs by number or by name. `loss` is the number of the output
    that is differentiated, which must have one element. A function with gradients
    is made for each signature at its first call (`Function.with_gradient`).
    """
    check_type("function", function, Function, "a tandem.Function")
    is_one = isinstance(wrt, (int, str))
    inputs: list[int | str] = [wrt] if isinstance(wrt, (int, str)) else list(wrt)
    count = len(function.outputs)

    @functools.lru_cache(_MOST_SIGNATURES)
    def for_signature(shapes: tuple[tuple[int, ...], ...]) -> Function:
        return function.with_gradient(list(shapes), wrt=inputs, loss=loss)

    def call(*given: typing.Any, **named: typing.Any) -> tuple[typing.Any, typing.Any]:
        arrays = in_order(function.inputs, given, named)
        results = for_signature(tuple(as_shape(array) for array in arrays))(*arrays)
        values, gradients = results[:count], results[count:]
        return (values[0] if count == 1 else values,
                gradients[0] if is_one else gradients)

    return call


def grad(function: Function, *, wrt: int | str | Sequence[int | str] = 0,
         loss: int = 0) -> Callable[..., typing.Any]:
    """A callable that returns gradients only; see `value_and_grad`."""
    both = value_and_grad(function, wrt=wrt, loss=loss)
    return lambda *given, **named: both(*given, **named)[1]
