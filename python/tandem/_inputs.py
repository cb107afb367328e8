"""Random inputs for measurements, and the inputs of calls."""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence

from ._errors import Error

if typing.TYPE_CHECKING:
    import numpy as np

    from ._function import Function, Spec
    from .training import TrainingStep


def random_inputs(function: Function | TrainingStep, dims: Mapping[str, int],
                  seed: int = 0) -> list[np.ndarray]:
    """An array of random values for each input, with sizes of free dims by name."""
    return [_random(spec, dims, seed) for spec in function.inputs]


def in_order(inputs: Sequence[Spec], given: Sequence[typing.Any],
             named: Mapping[str, typing.Any]) -> list[typing.Any]:
    """The arrays of a call in the order of the inputs. `given` are the inputs without a
    name, and `named` the inputs by name. Raises TypeError if an input is missing,
    unknown, given twice or not an array."""
    arrays, left = list(given), dict(named)
    for spec in inputs[len(given):]:
        if spec.name not in left:
            raise TypeError(f"input {spec.name!r} is missing")
        arrays.append(left.pop(spec.name))
    if left or len(arrays) > len(inputs):
        extra = repr(next(iter(left))) if left else str(len(inputs))
        raise TypeError(f"there is no input {extra}, or it is given twice")
    for number, array in enumerate(arrays):
        if not hasattr(array, "shape"):
            raise TypeError(f"input {number} is no array: {type(array).__name__}")
    return arrays


def free_dims(function: Function | TrainingStep) -> list[str]:
    """The names of the free dims of the inputs, in order."""
    return list(dict.fromkeys(dim for spec in function.inputs for dim in spec.shape
                              if isinstance(dim, str)))


def _random(spec: Spec, dims: Mapping[str, int], seed: int) -> np.ndarray:
    import numpy as np
    shape = []
    for dim in spec.shape:
        size = dims.get(dim) if isinstance(dim, str) else dim
        if size is None:
            raise Error(f"input '{spec.name}' has a free dim "
                        + (f"'{dim}' of unknown size" if dim else "without a name"),
                        "input", hint="pass its size" if dim else
                        "name it when the model is exported, or fix it by dims=")
        shape.append(size)
    random = np.random.default_rng(seed)
    if spec.dtype == "bfloat16":
        import ml_dtypes
        return random.standard_normal(shape, np.float32).astype(ml_dtypes.bfloat16)
    if spec.dtype.startswith("float"):
        return random.standard_normal(shape, np.float32).astype(spec.dtype)
    return random.integers(0, 2, shape).astype(spec.dtype)
