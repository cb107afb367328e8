"""Networks of torchvision, timm and transformers with random weights, for measurements.

`make(name, batch)` returns a network and the inputs of a call. The packages are those of
utils/requirements/torch-peers.txt.
"""

import torch
from torch import nn

TORCHVISION = ("resnet18 resnet50 mobilenet_v3_small efficientnet_b0 densenet121 "
               "convnext_tiny swin_t regnet_y_400mf vit_b_16").split()
TIMM = "ghostnet_100 mobilevit_s resmlp_12_224 deit_tiny_patch16_224".split()
IMAGE = {"mobilevit_s": 256}
# Tokens of a call of BERT and GPT-2, and tokens in the cache of the decoder, which
# has room for twice as many.
TOKENS = 128


def initialize(network, image):
    """Random weights; a norm's statistics become those of its input, so that the
    activations neither vanish nor grow."""
    torch.manual_seed(0)
    for module in network.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
            if module.bias is not None:
                nn.init.normal_(module.bias, std=0.1)
        elif isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.normal_(module.bias, std=0.1)
            module.momentum = 1.0
            module.train()
    with torch.no_grad():
        network(torch.cat([image, image + torch.randn_like(image)]))
    network.eval()


@torch.no_grad()
def vary(network):
    """Adds noise to parameters whose elements are all equal, such as heads of zeros and
    scales of 1e-6, so that results depend on all layers."""
    torch.manual_seed(0)
    for parameter in network.parameters():
        if bool((parameter == parameter.flatten()[0]).all()):
            parameter.add_(torch.randn_like(parameter), alpha=0.1)


def _image(batch, size):
    return torch.randn(batch, 3, size, size, generator=torch.Generator().manual_seed(1))


def vision(name, batch=1):
    """A network for images, and images."""
    if name in TIMM:
        import timm
        network = timm.create_model(name, pretrained=False).eval()
    else:
        import torchvision
        network = getattr(torchvision.models, name)(weights=None).eval()
    size = IMAGE.get(name, 224)
    vary(network)
    initialize(network, _image(1, size))
    return network, (_image(batch, size),)


class _Conv(nn.Sequential):
    """A convolution, a batch norm and SiLU."""

    def __init__(self, inputs, outputs, size=1, stride=1):
        super().__init__(nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False),
                         nn.BatchNorm2d(outputs), nn.SiLU())


class _Split(nn.Module):
    """Residual blocks on one half of the channels; the other half goes past them."""

    def __init__(self, inputs, outputs, blocks):
        super().__init__()
        half = outputs // 2
        self.first, self.past = _Conv(inputs, half), _Conv(inputs, half)
        self.blocks = nn.ModuleList(
            nn.Sequential(_Conv(half, half), _Conv(half, half, 3)) for _ in range(blocks))
        self.last = _Conv(outputs, outputs)

    def forward(self, x):
        y = self.first(x)
        for block in self.blocks:
            y = y + block(y)
        return self.last(torch.cat([y, self.past(x)], 1))


class Detector(nn.Module):
    """A detector like YOLO: features at strides 8, 16 and 32, of which coarse ones are
    enlarged and joined to finer ones, and 85 numbers for each of three boxes at each
    place. The result has all boxes, without the suppression of overlapping ones."""
    WIDTHS = (32, 64, 128, 256)
    NUMBERS = 3 * 85

    def __init__(self):
        super().__init__()
        a, b, c, d = self.WIDTHS
        self.stem = nn.Sequential(_Conv(3, a // 2, 3, 2), _Conv(a // 2, a, 3, 2),
                                  _Split(a, a, 1))
        self.down = nn.ModuleList(
            nn.Sequential(_Conv(x, y, 3, 2), _Split(y, y, blocks))
            for x, y, blocks in [(a, b, 2), (b, c, 3), (c, d, 1)])
        self.reduce = nn.ModuleList([_Conv(d, c), _Conv(c, b)])
        self.up = nn.ModuleList([_Split(2 * c, c, 1), _Split(2 * b, b, 1)])
        self.pool = nn.MaxPool2d(5, 1, 2)
        self.heads = nn.ModuleList(nn.Conv2d(x, self.NUMBERS, 1) for x in (b, c, d))

    def forward(self, x):
        x = self.stem(x)
        levels = []
        for stage in self.down:
            x = stage(x)
            levels.append(x)
        fine, middle, coarse = levels
        coarse = coarse + self.pool(self.pool(coarse))
        enlarge = nn.functional.interpolate
        middle = self.up[0](torch.cat(
            [enlarge(self.reduce[0](coarse), scale_factor=2.0), middle], 1))
        fine = self.up[1](torch.cat(
            [enlarge(self.reduce[1](middle), scale_factor=2.0), fine], 1))
        return torch.cat([head(level).flatten(2) for head, level
                          in zip(self.heads, (fine, middle, coarse))], 2)


class Result(nn.Module):
    """A network of transformers, with the given arguments, as a function from tokens to a
    tensor."""

    def __init__(self, network, result, **arguments):
        super().__init__()
        self.network, self.result, self.arguments = network, result, arguments

    def forward(self, tokens):
        return getattr(self.network(tokens, **self.arguments), self.result)


class _DecoderStep(nn.Module):
    """A step of a decoder: the token at a position, after those in a static cache."""

    def __init__(self, network, cache):
        super().__init__()
        self.network, self.cache = network, cache

    def forward(self, token, position):
        # Calls at the same position have the same result.
        for layer in self.cache.layers:
            layer.cumulative_length.copy_(position)
        return self.network(token, cache=self.cache, use_cache=True).logits


def tokens(batch, length, vocabulary, seed=1):
    """Random tokens."""
    return torch.randint(0, vocabulary, (batch, length),
                         generator=torch.Generator().manual_seed(seed))


def bert(batch=1):
    """BERT base, up to the last hidden state."""
    from transformers import BertConfig, BertModel
    torch.manual_seed(0)
    config = BertConfig()
    network = BertModel(config, add_pooling_layer=False).eval()
    vary(network)
    return Result(network, "last_hidden_state", use_cache=False), (tokens(batch, TOKENS, config.vocab_size),)


def gpt2(batch=1):
    """The small GPT-2, from tokens to logits."""
    from transformers import GPT2Config, GPT2LMHeadModel
    torch.manual_seed(0)
    config = GPT2Config()
    network = GPT2LMHeadModel(config).eval()
    vary(network)
    return Result(network, "logits", use_cache=False), (tokens(batch, TOKENS, config.vocab_size),)


def llama(batch=1):
    """A step of a decoder like Llama, with 8 layers, grouped heads and a static cache."""
    from transformers import LlamaConfig, LlamaForCausalLM, StaticCache
    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=32000, hidden_size=512, intermediate_size=1376,
                         num_hidden_layers=8, num_attention_heads=8, num_key_value_heads=4)
    network = LlamaForCausalLM(config).eval()
    vary(network)
    cache = StaticCache(config=config, max_cache_len=2 * TOKENS)
    with torch.no_grad():
        network(tokens(batch, TOKENS, config.vocab_size), cache=cache, use_cache=True)
    step = tokens(batch, 1, config.vocab_size, seed=2)
    return _DecoderStep(network, cache), (step, torch.tensor(TOKENS))


OTHERS = {"bert": bert, "gpt2": gpt2, "llama": llama}
NETWORKS = [*TORCHVISION, *TIMM, *OTHERS]


def make(name, batch):
    """A network and the inputs of a call."""
    return OTHERS[name](batch) if name in OTHERS else vision(name, batch)


def make_bert():
    return bert()[0]


def make_resnet18():
    return vision("resnet18")[0]
