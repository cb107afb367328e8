"""The break-even table of a function over sizes of its free dims."""

import itertools
import statistics
import time

from ._errors import Error


def sweep(function, *, seconds=0.2, seed=0, **sizes):
    """Measures a function for all combinations of sizes of its free dims:

        tandem.sweep(f, batch=[1, 2, 4, 8])

    Each row has the sizes, the time of an eager call e, of a compiled call c, the
    cost of compiling C (all in seconds), the number of calls n_star after which
    compiling pays (None if it does not), and the verdict. Inputs are random.
    `seconds` is spent on each tier and combination.

    Returns a pandas.DataFrame if pandas is installed, otherwise a list of dicts.
    """
    free = {dim for spec in function.inputs for dim in spec.shape
            if isinstance(dim, str)}
    unknown = sorted(set(sizes) - free)
    if unknown or not sizes:
        raise Error(f"the function has no free dim '{unknown[0]}'" if unknown
                    else "no sizes are given", "input",
                    hint=f"free dims: {', '.join(sorted(free)) or 'none'}")
    missing = sorted(free - set(sizes))
    if missing:
        raise Error(f"dim '{missing[0]}' has no sizes", "input",
                    hint=f"pass {missing[0]}=[1]")
    rows = []
    for values in itertools.product(*sizes.values()):
        dims = dict(zip(sizes, values))
        rows.append(dims | _measure(function, dims, seconds, seed))
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _measure(function, dims, seconds, seed):
    inputs = [_random(spec, dims, seed) for spec in function.inputs]
    signature = [(spec.dtype, tuple(x.shape))
                 for spec, x in zip(function.inputs, inputs)]
    cost = function._impl.prepare(signature, "compiled") / 1e9
    eager = _time(lambda: function(*inputs, tier="eager"), seconds)
    compiled = _time(lambda: function(*inputs, tier="compiled"), seconds)
    n_star = cost / (eager - compiled) if eager > compiled else None
    return {"e": eager, "c": compiled, "C": cost, "n_star": n_star,
            "verdict": "compile" if n_star is not None else "eager"}


def _time(call, seconds):
    """The median time of a call, in seconds."""
    call()
    samples = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(samples) < 5:
        start = time.perf_counter()
        call()
        samples.append(time.perf_counter() - start)
    return statistics.median(samples)


def _random(spec, dims, seed):
    import numpy
    shape = [dims.get(dim, dim) if isinstance(dim, str) else dim
             for dim in spec.shape]
    if None in shape:
        raise Error(f"input '{spec.name}' has a free dim without a name", "input",
                    hint="name it when the model is exported, or fix it by dims=")
    random = numpy.random.default_rng(seed)
    if spec.dtype.startswith(("float", "bfloat")):
        values = random.standard_normal(shape, dtype=numpy.float32)
    else:
        values = random.integers(0, 2, shape)
    if spec.dtype == "bfloat16":
        import ml_dtypes
        return values.astype(ml_dtypes.bfloat16)
    return values.astype(spec.dtype)
