"""Graphs of AOTAutograd for training: what they are traced with, and how the joint graph
is cut into a forward and a backward graph."""

from __future__ import annotations

import contextlib
import typing
from collections.abc import Iterator, Sequence

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from ._taps import use_taps


def partition(joint: torch.fx.GraphModule, inputs: Sequence[typing.Any],
              **options: typing.Any) -> tuple[torch.fx.GraphModule, torch.fx.GraphModule]:
    """Cuts a joint graph into a forward and a backward graph, such that few bytes are
    kept for the backward graph."""
    from torch._functorch.partitioners import min_cut_rematerialization_partition

    use_taps(joint.graph)
    joint.recompile()
    return typing.cast("tuple[torch.fx.GraphModule, torch.fx.GraphModule]",
                       min_cut_rematerialization_partition(joint, inputs, **options))


@contextlib.contextmanager
def math_attention(module: torch.fx.GraphModule,
                   inputs: Sequence[typing.Any]) -> Iterator[None]:
    """While this runs, attention that needs gradients is traced as matrix products and a
    softmax, because the backward op of the fused attention is opaque."""
    needs_gradients = torch.is_grad_enabled() and any(
        t.requires_grad for t in (*inputs, *module.parameters())
        if isinstance(t, torch.Tensor))
    has_backward = any(node.target is torch.autograd.grad for node in module.graph.nodes)
    with (sdpa_kernel(SDPBackend.MATH) if needs_gradients or has_backward
          else contextlib.nullcontext()):
        yield


__all__ = ["math_attention", "partition"]
