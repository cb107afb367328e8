"""Loads a checkpoint and writes it again after a step, for checkpoints.py."""

import sys

import numpy as np
import tandem

NAMES = [f"p{number}" for number in range(30)]


def make_step():
    b = tandem.Builder()
    values = [b.input("float32", (40,), name=name) for name in NAMES]
    total = values[0]
    for value in values[1:]:
        total = b.add(total, value)
    loss = b.reduce(b.mul(total, total), kind="sum", dims=[0])
    return tandem.training_step(b.build([loss], mode="eager"), tandem.training.adam(),
                                parameters=NAMES)


def make_state(step):
    return step.init({name: np.full(40, number) for number, name in enumerate(NAMES)})


if __name__ == "__main__":
    step = make_step()
    state = make_state(step)
    state.load(sys.argv[1])
    step(state, rate=0.1)
    state.save(sys.argv[1], step=str(state.steps))
