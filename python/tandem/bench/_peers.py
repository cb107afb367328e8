"""The systems that are compared. Their functions run in processes of their own."""

from __future__ import annotations

import dataclasses
import logging
import typing
from collections.abc import Callable

# A model, and a model that one of the systems has compiled.
Model = Callable[..., typing.Any]
OPENVINO_LOGGER = "openvino.frontend.pytorch.torchdynamo.backend"


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings that all systems share.

    Attributes:
      threads: the number of threads of each system.
      cache: the folder for files that the system keeps for later processes.
    """

    threads: int
    cache: str


@dataclasses.dataclass(frozen=True)
class Peer:
    """A system that runs models of torch.

    Attributes:
      title: its name in tables.
      color: its color in pictures, a variable of STYLE.
      compile: makes the model that is called.
      is_unbacked: whether Dynamo is told which dims vary between calls, by
        `torch._dynamo.decorators.mark_unbacked`.
    """

    title: str
    color: str
    compile: Callable[[Model, Settings], Model]
    is_unbacked: bool = False


def _eager(model: Model, settings: Settings) -> Model:
    return model


def _inductor(dynamic: bool | None) -> Callable[[Model, Settings], Model]:
    def compile_model(model: Model, settings: Settings) -> Model:
        import torch
        return typing.cast(Model, torch.compile(model, dynamic=dynamic))

    return compile_model


def _openvino(model: Model, settings: Settings) -> Model:
    import openvino.torch
    import torch

    # This logger is the only place where the backend reports that it hands a graph
    # to Inductor (`_counters`).
    logging.getLogger(OPENVINO_LOGGER).setLevel(logging.DEBUG)
    # With torch 2.15, the backend runs convolutions only by AOTAutograd, and only if no
    # parameter needs a gradient.
    if isinstance(model, torch.nn.Module):
        model.requires_grad_(False)
    config = {"INFERENCE_NUM_THREADS": settings.threads, "INFERENCE_PRECISION_HINT": "f32",
              "PERFORMANCE_HINT": "LATENCY", "CACHE_DIR": settings.cache}
    return typing.cast(Model, torch.compile(
        model, backend="openvino", options={"aot_autograd": True, "config": config}))


def _tandem(model: Model, settings: Settings) -> Model:
    import torch

    import tandem.torch
    tandem.set_num_threads(settings.threads)
    return typing.cast(Model, torch.compile(model, backend=tandem.torch.backend,
                                            options={"cache": settings.cache}))


PEERS = {
    "eager": Peer("torch eager", "eager", _eager),
    "inductor": Peer("Inductor", "third", _inductor(None)),
    "inductor-static": Peer("Inductor, dynamic=False", "fourth", _inductor(False)),
    "inductor-dynamic": Peer("Inductor, dynamic=True", "fifth", _inductor(True)),
    "openvino": Peer("OpenVINO", "sixth", _openvino),
    "tandem": Peer("Tandem", "compiled", _tandem),
    "tandem-unbacked": Peer("Tandem, mark_unbacked", "seventh", _tandem,
                            is_unbacked=True),
}
