"""SimpleCNN and its loss, as a function of the images, the labels and the parameters."""

from __future__ import annotations

import typing
from collections.abc import Callable

import numpy as np
import tandem

CLASSES = 10


def shapes() -> dict[str, tuple[int, ...]]:
    """The shapes of the parameters. Weights of linear layers are [inputs, outputs]."""
    return {"conv1.weight": (32, 3, 3, 3), "conv1.bias": (32,),
            "conv2.weight": (64, 32, 3, 3), "conv2.bias": (64,),
            "linear1.weight": (64 * 8 * 8, 512), "linear1.bias": (512,),
            "linear2.weight": (512, CLASSES), "linear2.bias": (CLASSES,)}


def initial(seed: int) -> dict[str, np.ndarray]:
    """Uniform random parameters with the bounds of PyTorch: 1 / sqrt(number of inputs)."""
    random = np.random.default_rng(seed)
    parameters, bound = {}, 0.0
    for name, shape in shapes().items():
        if len(shape) > 1:  # A bias has the bound of its weights, which come first.
            bound = (np.prod(shape[1:]) if len(shape) == 4 else shape[0]) ** -0.5
        parameters[name] = random.uniform(-bound, bound, shape).astype(np.float32)
    return parameters


# Adds a dropout of a value, given the number of steps that were done.
Drop = Callable[[tandem.Builder, tandem.Value, tandem.Value], tandem.Value]


def random_dropout(probability: float, seed: int) -> Drop:
    """A dropout whose random numbers depend on the seed and on the number of the step."""
    def drop(b: tandem.Builder, x: tandem.Value, steps: tandem.Value) -> tandem.Value:
        key = b.constant(np.array(seed, np.uint64))
        return tandem.training.dropout(b, x, probability, key=key, step=steps,
                                       shape=("n", 512))
    return drop


def build(drop: Drop | None = None, dtype: str = "float32",
          **options: typing.Any) -> tandem.Function:
    """The function (images, labels, steps, parameters…) -> (loss, number of images whose
    class is predicted right). Images are [n, 3, 32, 32]. `drop` is applied to the hidden
    layer. `options` are those of Builder.build."""
    b = tandem.Builder("simplecnn")
    images = b.input(dtype, (None, 3, 32, 32), ("n", "", "", ""), name="images")
    labels = b.input("int64", (None,), ("n",), name="labels")
    steps = b.input("uint64", (), name="steps")
    p = {name: b.input(dtype, shape, name=name) for name, shape in shapes().items()}

    x = images
    for layer in ("conv1", "conv2"):
        b.set_location(layer)
        x = b.relu(b.conv(x, p[f"{layer}.weight"], p[f"{layer}.bias"],
                          pad_low=[1, 1], pad_high=[1, 1]))
        x = b.max_pool(x, window=[2, 2], strides=[2, 2])
    b.set_location("linear1")
    x = b.reshape(x, shape=[-1, 64 * 8 * 8])
    x = b.relu(b.add(b.matmul(x, p["linear1.weight"]), p["linear1.bias"]))
    if drop:
        b.set_location("dropout")
        x = drop(b, x, steps)
    b.set_location("linear2")
    logits = b.add(b.matmul(x, p["linear2.weight"]), p["linear2.bias"])
    b.set_location("loss")
    loss = tandem.training.cross_entropy(b, logits, labels)
    right = b.compare(b.reduce(logits, kind="argmax", dims=[1]), labels, predicate="eq")
    count = b.reduce(b.cast(right, dtype="i64"), kind="sum", dims=[0])
    return b.build([loss, count], names=["loss", "right"], **options)
