"""Models for tests of tandem.bench, which other processes make."""

import os
import signal
import time

import torch
from torch import nn


class Scaled(nn.Module):
    """A layer, and what may go wrong with it in compiled calls."""

    def __init__(self, fault=""):
        super().__init__()
        torch.manual_seed(0)
        self.linear, self.fault = nn.Linear(8, 3), fault

    def forward(self, x, *others):
        y = torch.relu(self.linear(x))
        for other in others:
            y = y + other.sum()
        # Dynamo takes one branch, torch eager the other.
        return self.spoil(y) if torch.compiler.is_compiling() else y

    def spoil(self, y):
        return y * 1.01 if self.fault == "wrong" else y


def make():
    return Scaled().eval()


def make_wrong():
    return Scaled("wrong").eval()


def make_with_fallback():
    """A model with an op that Tandem lacks."""
    return lambda x: torch.special.i0(x.sigmoid() / 2)


def make_nothing():
    raise RuntimeError("no model here")


def make_failing():
    """A model that does not take batches of three."""
    model = make()

    def call(x):
        if x.shape[0] == 3:
            raise ValueError("three is not\nsupported")
        return model(x)

    return call


def make_killed():
    def call(x):
        os.kill(os.getpid(), signal.SIGSEGV)

    return call


def make_slow():
    def call(x):
        time.sleep(600)

    return call
