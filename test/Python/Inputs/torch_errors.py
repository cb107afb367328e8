"""Errors of gradients in f32, and how large they may be."""

import copy

import torch

# In f64, an error is at most this share of the largest element of a gradient.
WIDE_TOLERANCE = 1e-9
# In f32, an error is at most this share, or this multiple of what roundings cause.
TOLERANCE, TIMES_ROUNDING = 1e-5, 8
# The largest share by which a number changes in a sample, and the number of samples.
CHANGE, SAMPLES = 2.0**-23, 8


def widened(tensors):
    return [t.double() if t.is_floating_point() else t for t in tensors]


def difference(actual, expected):
    """The largest difference as a share of the largest element."""
    scale = expected.abs().max().clamp(min=1e-30)
    return float((actual.double() - expected.double()).abs().max() / scale)


def _changed(tensor, generator):
    if not tensor.is_floating_point():
        return tensor
    share = 2 * torch.rand(tensor.shape, generator=generator, dtype=tensor.dtype) - 1
    return tensor * (1 + CHANGE * share)


def bounds(model, inputs, exact, of_torch):
    """The bounds of the errors of gradients in f32, by name. A network can amplify each
    rounding, and torch's own error is only one sample of that. Other samples are torch's
    errors after inputs and parameters have changed in the last place."""
    caused = {name: difference(of_torch[name], right) for name, right in exact.items()}
    for seed in range(SAMPLES):
        generator = torch.Generator().manual_seed(seed)
        other = copy.deepcopy(model)
        other.zero_grad(set_to_none=True)
        with torch.no_grad():
            for parameter in other.parameters():
                parameter.copy_(_changed(parameter, generator))
        other(*(_changed(t, generator) for t in inputs)).backward()
        for name, parameter in other.named_parameters():
            caused[name] = max(caused[name], difference(parameter.grad, exact[name]))
    return {name: max(TOLERANCE, TIMES_ROUNDING * error) for name, error in caused.items()}
