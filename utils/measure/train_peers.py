"""SimpleCNN of examples/train as a training step of Tandem, PyTorch and JAX, all from the
same parameters. Each function returns step(images, labels), which returns the loss. Those
of Tandem and PyTorch also take a rate."""

import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "examples/train"), str(ROOT / "test/Python/Inputs")]
import simplecnn  # noqa: E402

RATE = 1e-3


def tandem_step(threads, dropout, seed, mode="auto"):
    import tandem
    tandem.set_num_threads(threads)
    drop = simplecnn.random_dropout(dropout, seed) if dropout else None
    parameters = simplecnn.initial(seed)
    loss = simplecnn.build(drop, mode=mode, cache=False)  # C is that of a cold start.
    step = tandem.training_step(loss, tandem.training.adam(),
                                parameters=list(parameters), steps_input="steps")
    state = step.init(parameters)

    def run(images, labels, rate=RATE):
        return step(state, images, labels, rate=rate)[0]

    run.step, run.state = step, state
    return run


def torch_step(threads, dropout, seed, backend=None):
    import torch
    import torch_simplecnn
    from torch.nn import functional
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    p = {name: torch.tensor(array, requires_grad=True)
         for name, array in simplecnn.initial(seed).items()}
    optimizer = torch.optim.Adam(p.values(), lr=RATE)

    def loss_of(images, labels):
        logits = torch_simplecnn.forward(p, images, lambda x: functional.dropout(x, dropout))
        return functional.cross_entropy(logits, labels)

    compiled = torch.compile(loss_of, backend=backend) if backend else loss_of

    def run(images, labels, rate=RATE):
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        loss = compiled(torch.from_numpy(images), torch.from_numpy(labels))
        loss.backward()
        optimizer.step()
        return loss.item()

    run.parameters = p
    return run


def jax_step(threads, dropout, seed):
    """The whole step is jitted, and its state is donated. XLA takes the number of threads
    from the processors that the process may use."""
    import functools

    import jax
    import jax.numpy as jnp

    def forward(p, x, key):
        for layer in ("conv1", "conv2"):
            x = jax.lax.conv_general_dilated(x, p[f"{layer}.weight"], (1, 1), "SAME")
            x = jax.nn.relu(x + p[f"{layer}.bias"][:, None, None])
            x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2),
                                      "VALID")
        x = jax.nn.relu(x.reshape(len(x), -1) @ p["linear1.weight"] + p["linear1.bias"])
        if dropout:
            kept = jax.random.bernoulli(key, 1 - dropout, x.shape)
            x = jnp.where(kept, x / (1 - dropout), 0)
        return x @ p["linear2.weight"] + p["linear2.bias"]

    def loss_of(p, images, labels, key):
        logs = jax.nn.log_softmax(forward(p, images, key))
        return -jnp.take_along_axis(logs, labels[:, None], 1).mean()

    @functools.partial(jax.jit, donate_argnums=0)
    def update(state, images, labels):
        p, m, v, t = state
        loss, g = jax.value_and_grad(loss_of)(p, images, labels,
                                              jax.random.fold_in(jax.random.key(seed), t))
        t, tree = t + 1, jax.tree.map
        m = tree(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = tree(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        p = tree(lambda p, m, v: p - RATE * (m / (1 - 0.9 ** t))
                 / (jnp.sqrt(v / (1 - 0.999 ** t)) + 1e-8), p, m, v)
        return (p, m, v, t), loss

    parameters = {name: jnp.asarray(array) for name, array in simplecnn.initial(seed).items()}
    state = [(parameters, jax.tree.map(jnp.zeros_like, parameters),
              jax.tree.map(jnp.zeros_like, parameters), 0)]

    def run(images, labels):
        state[0], loss = update(state[0], images, labels.astype(np.int32))
        return float(loss)

    return run
