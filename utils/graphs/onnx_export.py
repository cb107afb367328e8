"""Networks with random weights as ONNX models, for utils/graphs/onnx-networks.py.

Besides torchvision's networks, there are a detector like YOLO, the encoders BERT and
DistilBERT for 128 tokens, and a decoder like Llama for its first token. All have one
input, images or tokens, and the free dim "batch".
"""

import numpy

TOKENS = {"bert": 128, "distilbert": 128, "decoder": 1}
VOCABULARY = 30000
IMAGE = {"inception_v3": 299, "yolo": 320}


def is_text(name):
    return name in TOKENS


def input_name(name):
    return "tokens" if is_text(name) else "image"


def make_input(name, batch):
    """A random input of a network."""
    random = numpy.random.default_rng(batch)
    if is_text(name):
        return random.integers(0, VOCABULARY, (batch, TOKENS[name]))
    size = IMAGE.get(name, 224)
    return random.standard_normal((batch, 3, size, size), dtype=numpy.float32)


def _vision(name, image):
    from torch_networks import Detector, initialize
    import torchvision
    if name == "yolo":
        network = Detector().eval()
    else:
        # Heads for training are not exported.
        more = {"aux_logits": False, "init_weights": False} if name in (
            "googlenet", "inception_v3") else {}
        network = getattr(torchvision.models, name)(weights=None, **more).eval()
    initialize(network, image)
    return network


def _text(name):
    from torch_networks import Result, vary
    import torch
    import transformers as t
    torch.manual_seed(0)
    if name == "bert":
        network = t.BertModel(t.BertConfig(attn_implementation="eager"),
                              add_pooling_layer=False)
    elif name == "distilbert":
        network = t.DistilBertModel(t.DistilBertConfig(attn_implementation="eager"))
    else:
        network = t.LlamaForCausalLM(t.LlamaConfig(
            vocab_size=VOCABULARY, hidden_size=1024, intermediate_size=2816,
            num_hidden_layers=8, num_attention_heads=16, num_key_value_heads=8,
            attn_implementation="eager"))
    vary(network.eval())
    if name != "decoder":
        return Result(network, "last_hidden_state")
    # The mask and the position are constants, because computing them needs ops that ONNX
    # does not have.
    return Result(network, "logits", use_cache=False,
                  attention_mask=torch.zeros(1, 1, 1, 1),
                  position_ids=torch.zeros(1, 1, dtype=torch.int64))


def export(name, path):
    """Writes the network as an ONNX model."""
    import torch
    if is_text(name):
        network, example = _text(name), torch.from_numpy(make_input(name, 1))
    else:
        size = IMAGE.get(name, 224)
        example = torch.randn(1, 3, size, size,
                              generator=torch.Generator().manual_seed(1))
        network = _vision(name, example)
    names = [input_name(name), "result"]
    torch.onnx.export(network, (example,), str(path), dynamo=False, opset_version=17,
                      input_names=names[:1], output_names=names[1:],
                      dynamic_axes={each: {0: "batch"} for each in names})
