#!/usr/bin/env python3
"""Measures streams of calls under torch eager, Inductor and Tandem (docs/Streams.md).

  cache=~/.cache/tandem
  PYTHONPATH=build/python:$cache/onnx-tests:$cache/torch:$cache/torch-peers \\
    utils/measure/torch-streams.py

The streams are BERT over 100 sequence lengths and ResNet-18 over 30 batch sizes, drawn at
random from a fixed seed. Each system runs in a process of its own, --repeats times in turn.
All times are written to docs/streams/NAME.json. From these files the script makes
docs/images/stream-NAME.svg and the tables of docs/Streams.md; with --page, it does only
that. --output writes elsewhere, for example while trying.
"""

import argparse
import json
import math
import pathlib
import random
import sys

from tandem.bench import Stream, stream

import torch_page

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETWORKS = ROOT / "utils/graphs/torch_networks.py"


def draw(count, calls, sizes, draw_size):
    """Sizes of the range `sizes`, until `count` different ones have been drawn, and then
    more of these, until there are `calls`."""
    drawn = []
    while len(set(drawn)) < count or len(drawn) < calls:
        size = round(draw_size())
        if size in sizes and (len(set(drawn)) < count or size in drawn):
            drawn.append(size)
    return drawn


def bert_calls(count):
    """Tokens of sentences and paragraphs: half of them have at most 48 tokens."""
    sys.path.insert(0, str(NETWORKS.parent))
    import torch_networks
    generator = random.Random(0)
    lengths = draw(count, 400, range(8, 257),
                   lambda: generator.lognormvariate(math.log(48), 0.7))
    inputs = {n: (torch_networks.tokens(1, n, 30522),) for n in set(lengths)}
    return [inputs[n] for n in lengths]


def resnet18_calls(count):
    """Batches of a server that takes what has arrived: small ones are frequent."""
    generator = random.Random(0)
    return [(n, 3, 224, 224) for n in draw(count, 200, range(1, 41),
                                           lambda: 1 + generator.expovariate(1 / 8))]


# The calls, the number of different sizes, and the function that makes the network.
STREAMS = {"bert": (bert_calls, 100, "make_bert"),
           "resnet18": (resnet18_calls, 30, "make_resnet18")}


def measure(name, options):
    """Measures a stream, and writes its file."""
    calls, sizes, factory = STREAMS[name]
    result = stream(f"{NETWORKS}:{factory}", calls(options.sizes or sizes)[:options.calls],
                    peers=options.peers, repeats=options.repeats, threads=options.threads,
                    warm=options.warm, timeout=options.timeout)
    print(result, flush=True)
    file = options.output / f"streams/{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"machine": torch_page.machine(),
                                "stream": json.loads(result.json())}) + "\n", "utf-8")
    return result


def write_page(name, options):
    """Writes the picture of a stream, and its part of the page."""
    data = json.loads((options.output / f"streams/{name}.json").read_text("utf-8"))
    result = Stream.of_json(json.dumps(data["stream"]))
    images = options.output / "images"
    images.mkdir(exist_ok=True)
    result.save(images / f"stream-{name}.svg")
    page = options.output / "Streams.md"
    if page.exists():
        text = (f"{result.summary}\n{torch_page.describe(data['machine'])}\n\n"
                f"![Total time against calls](images/stream-{name}.svg)\n\n"
                f"{result.markdown()}")
        torch_page.replace_part(page, name, text)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("streams", nargs="*", help="default: all")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peers", type=lambda text: text.split(","),
                        default=["eager", "inductor-static", "inductor-dynamic", "tandem"])
    parser.add_argument("--calls", type=int, help="only this many calls")
    parser.add_argument("--sizes", type=int, help="another number of different sizes")
    parser.add_argument("--warm", action="store_true",
                        help="let systems use what they have compiled in earlier processes")
    parser.add_argument("--timeout", type=float, default=3600,
                        help="the seconds that a process may take")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs")
    parser.add_argument("--page", action="store_true", help="only make the page again")
    options = parser.parse_args()
    for name in options.streams:
        if name not in STREAMS:
            parser.error(f"there is no stream '{name}': {', '.join(STREAMS)}")
    failed = []
    for name in options.streams or STREAMS:
        if not options.page:
            result = measure(name, options)
            failed += [row for row in result.rows if not row.agrees]
        write_page(name, options)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
