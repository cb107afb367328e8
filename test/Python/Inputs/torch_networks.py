"""Small networks of torch whose gradients are tested, each with its loss."""

import torch
from torch import nn
from torch.nn import functional

CLASSES, WORDS, LENGTH = 10, 64, 16


class SimpleCNN(nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.conv1, self.conv2 = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
        self.pool = nn.MaxPool2d(2, 2)
        self.linear1, self.linear2 = nn.Linear(32 * 8 * 8, 64), nn.Linear(64, CLASSES)

    def forward(self, x):
        x = self.pool(functional.relu(self.conv1(x)))
        x = self.pool(functional.relu(self.conv2(x)))
        return self.linear2(self.dropout(functional.relu(self.linear1(x.flatten(1)))))


class ResidualBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                          nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = functional.relu(self.norm1(self.conv1(x)))
        return functional.relu(self.norm2(self.conv2(y)) + self.shortcut(x))


class ResNet18(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 7, 2, 3, bias=False),
                                  nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        blocks, inputs = [], width
        for stage in range(4):
            outputs = width * 2 ** stage
            blocks += [ResidualBlock(inputs, outputs, 1 if stage == 0 else 2),
                       ResidualBlock(outputs, outputs, 1)]
            inputs = outputs
        self.blocks, self.linear = nn.Sequential(*blocks), nn.Linear(inputs, CLASSES)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.linear(functional.adaptive_avg_pool2d(x, 1).flatten(1))


class ViT(nn.Module):
    def __init__(self, width=32, heads=4, layers=2):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 8, 8)
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, 17, width))
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu",
                                           batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width),
                                             enable_nested_tensor=False)
        self.linear = nn.Linear(width, CLASSES)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        return self.linear(self.encoder(x)[:, 0])


class DecoderBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        n, length, width = x.shape
        q, k, v = (each.view(n, length, self.heads, -1).transpose(1, 2)
                   for each in self.qkv(self.norm1(x)).chunk(3, -1))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(n, length, width))
        return x + self.down(functional.gelu(self.up(self.norm2(x)), approximate="tanh"))


class GPT(nn.Module):
    """The weights of the last layer are those of the embedding."""

    def __init__(self, width=32, heads=4, layers=2):
        super().__init__()
        self.embedding, self.position = nn.Embedding(WORDS, width), nn.Embedding(LENGTH, width)
        self.blocks = nn.Sequential(*(DecoderBlock(width, heads) for _ in range(layers)))
        self.norm, self.linear = nn.LayerNorm(width), nn.Linear(width, WORDS, bias=False)
        self.linear.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens) + self.position(torch.arange(tokens.shape[1]))
        return self.linear(self.norm(self.blocks(x)))


class BERT(nn.Module):
    """Attention in both directions, with a norm behind each part."""

    def __init__(self, width=32, heads=4, layers=2, dropout=0.1):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, width, padding_idx=0)
        self.position = nn.Embedding(LENGTH, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout, "gelu",
                                           batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.linear = nn.Linear(width, WORDS)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.position(torch.arange(tokens.shape[1]))
        return self.linear(self.encoder(x))


class WithLoss(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x, labels):
        return functional.cross_entropy(self.network(x).flatten(0, -2), labels.flatten())


def make(network, dtype, training):
    """A network with its loss, and the inputs of a call."""
    torch.manual_seed(0)
    loss = WithLoss(network()).train(training)
    if network in (GPT, BERT):
        return loss.to(dtype), (torch.randint(0, WORDS, (2, LENGTH)),
                                torch.randint(0, WORDS, (2, LENGTH)))
    x = torch.randn(4, 3, 32, 32)
    return loss.to(dtype), (x.to(dtype), torch.randint(0, CLASSES, (4,)))
