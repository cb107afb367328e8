"""Networks whose training is measured (torch-training.py), with data of random numbers.

The layers are those of test/Python/Inputs/torch_networks.py. `make(name)` returns the
network, the optimizer's constructor and a batch.
"""

import pathlib
import sys

import torch
from torch import nn
from torch.nn import functional

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/Python/Inputs"))
import torch_networks as layers  # noqa: E402

WORDS, LENGTH = 1000, 64


class SimpleCNN(nn.Module):
    """Two convolutions and two linear layers, with a dropout; 2.1 million parameters."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 32, 3, padding=1), nn.Conv2d(32, 64, 3, padding=1)
        self.pool, self.dropout = nn.MaxPool2d(2, 2), nn.Dropout(0.5)
        self.linear1, self.linear2 = nn.Linear(64 * 8 * 8, 512), nn.Linear(512, 10)

    def forward(self, x):
        x = self.pool(functional.relu(self.conv1(x)))
        x = self.pool(functional.relu(self.conv2(x)))
        x = self.dropout(functional.relu(self.linear1(x.flatten(1))))
        return self.linear2(x)


class Transformer(nn.Module):
    """Four layers with attention in both directions, as in BERT, or to earlier tokens
    only, as in GPT."""

    def __init__(self, is_causal, width=128, heads=4, count=4):
        super().__init__()
        self.embedding, self.position = nn.Embedding(WORDS, width), nn.Embedding(LENGTH, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, 0.1, "gelu",
                                           batch_first=True, norm_first=is_causal)
        self.encoder = nn.TransformerEncoder(layer, count, enable_nested_tensor=False)
        self.norm, self.linear = nn.LayerNorm(width), nn.Linear(width, WORDS)
        self.is_causal = is_causal

    def forward(self, tokens):
        length = tokens.shape[1]
        x = self.embedding(tokens) + self.position(torch.arange(length))
        mask = nn.Transformer.generate_square_subsequent_mask(length) if self.is_causal else None
        return self.linear(self.norm(self.encoder(x, mask, is_causal=self.is_causal)))


def _images(batch, size):
    return torch.randn(batch, 3, size, size), torch.randint(0, 10, (batch,))


def _tokens(batch):
    return (torch.randint(0, WORDS, (batch, LENGTH)), torch.randint(0, WORDS, (batch, LENGTH)))


def _vit():
    network = layers.ViT(width=192, heads=3, layers=12)
    network.positions = nn.Parameter(torch.randn(1, 65, 192))
    return network


NETWORKS = {
    "simplecnn@32": (SimpleCNN, lambda: _images(32, 32)),
    "resnet18@8": (lambda: layers.ResNet18(width=64), lambda: _images(8, 64)),
    "vit_tiny@8": (_vit, lambda: _images(8, 64)),
    "bert4@8": (lambda: Transformer(False), lambda: _tokens(8)),
    "gpt4@8": (lambda: Transformer(True), lambda: _tokens(8)),
}


def loss(result, target):
    return functional.cross_entropy(result.flatten(0, -2), target.flatten())


def make(name):
    """A network in training, its optimizer and a batch."""
    torch.manual_seed(0)
    network, batch = NETWORKS[name]
    made = network().train()
    return made, torch.optim.Adam(made.parameters(), lr=1e-4), batch()
