"""SimpleCNN of examples/train in PyTorch, with the parameters of simplecnn.shapes()."""

from torch.nn import functional


def forward(p, images, drop=lambda x: x):
    """The logits. `drop` is applied to the hidden layer."""
    x = images
    for layer in ("conv1", "conv2"):
        x = functional.relu(functional.conv2d(x, p[f"{layer}.weight"], p[f"{layer}.bias"],
                                              padding=1))
        x = functional.max_pool2d(x, 2)
    x = drop(functional.relu(x.flatten(1) @ p["linear1.weight"] + p["linear1.bias"]))
    return x @ p["linear2.weight"] + p["linear2.bias"]
