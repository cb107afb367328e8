#!/usr/bin/env python3
"""Writes test/Python/Inputs/golden-gradients.npz: operands of ops at ties, bounds,
infinities and NaN, and the gradients that JAX and torch have there.

  make-golden-gradients.py OUTPUT

The file was made with the versions of JAX and torch that it names in "versions". The test
test/Python/golden_gradients.py reads it and needs neither. Cases are in
test/Python/Inputs/gradient_cases.py; this program has the same ops for JAX and torch. One of
the two is None if that library has no such op.

The file has an array "index" with the lines of a table, and an array for each dtype, in which
the arrays of all cases follow one another:

  name / dtype of the case / what / dtype / shape

`what` is "x0", "x1", … for the operands, "jax0" for JAX's gradient of operand 0, and
"torch0" for torch's.
"""

import pathlib
import sys

import golden_ops
import jax
import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/Python/Inputs"))
import gradient_cases as cases  # noqa: E402

jax.config.update("jax_enable_x64", True)


def floats_of(operands):
    return [i for i, x in enumerate(operands) if cases.is_float(x)]


def jax_gradients(function, operands):
    """The gradients of the operands of floats."""
    wanted = floats_of(operands)

    def of_floats(*values):
        given = [jax.numpy.asarray(x) for x in operands]
        for i, value in zip(wanted, values):
            given[i] = value
        return function(*given)

    result, backward = jax.vjp(of_floats, *(jax.numpy.asarray(operands[i]) for i in wanted))
    seed = cases.seed_like(result.shape, result.dtype)
    return [np.asarray(g) for g in backward(jax.numpy.asarray(seed))]


def torch_gradients(function, operands):
    given = [torch.from_numpy(x) for x in operands]
    wanted = [given[i].requires_grad_() for i in floats_of(operands)]
    result = function(*given)
    seed = torch.from_numpy(cases.seed_like(tuple(result.shape), str(result.dtype)[6:]))
    if not result.requires_grad:  # A function that torch takes for a constant.
        return [np.zeros_like(x.detach().numpy()) for x in wanted]
    gradients = torch.autograd.grad(result, wanted, seed, allow_unused=True)
    return [np.zeros(x.shape, str(x.dtype)[6:]) if g is None else g.numpy()
            for g, x in zip(gradients, wanted)]


def arrays_of(name, dtype):
    """(what, array) of a case."""
    operands = cases.CASES[name].operands(dtype)
    found = [(f"x{i}", x) for i, x in enumerate(operands)]
    for library, gradients_of in (("jax", jax_gradients), ("torch", torch_gradients)):
        function = getattr(golden_ops, library.upper())[name]
        if function is not None:
            gradients = gradients_of(function, [x.copy() for x in operands])
            found += [(f"{library}{i}", g) for i, g in zip(floats_of(operands), gradients)]
    return found


def main():
    (output,) = sys.argv[1:]
    lines, by_dtype = [], {}
    for name, dtype in cases.names():
        for what, array in arrays_of(name, dtype):
            shape = ",".join(map(str, array.shape))
            lines.append(f"{name}/{dtype}/{what}/{array.dtype}/{shape}")
            by_dtype.setdefault(str(array.dtype), []).append(array.ravel())
    versions = f"jax {jax.__version__}, torch {torch.__version__}"
    np.savez_compressed(output, versions=versions, index="\n".join(lines),
                        **{dtype: np.concatenate(parts) for dtype, parts in by_dtype.items()})
    print(f"{len(lines)} arrays, {pathlib.Path(output).stat().st_size} bytes, {versions}")


if __name__ == "__main__":
    main()
