#!/usr/bin/env python3
"""Compares whole training runs of five networks through torch.compile with torch eager.

  cache=~/.cache/tandem
  PYTHONPATH=build/python:$cache/onnx-tests:$cache/torch utils/measure/torch-training-runs.py
  … utils/measure/torch-training-runs.py ViT GPT --steps=50

The networks are those of test/Python/torch_training.py, with four layers in BERT and GPT.
They learn --batches batches of random data, one after the other, again and again. For each
of --seeds seeds, which determine the first parameters and the masks of dropout, torch eager
and Tandem (backend="tandem") make --steps steps of Adam in f32.

- Gradients: at --points steps of the run of torch eager, Tandem computes the gradients from
  the same parameters and buffers, and torch computes them in f64 with the same masks. The
  error of a gradient is the largest difference from f64 as a share of the largest element.
  The bound is --times times the error of torch in f32, and at least 1e-5. Where the
  operand of a relu is nearly 0, or two elements in a window are nearly equal, rounding can
  change a gradient by more. If an error is above the bound, the bound is therefore raised
  to the largest change of the exact gradient when all parameters change by random shares
  of up to 2^-20. The table has the number of points at which this was needed.
- Losses: the mean of the last ten losses of Tandem must be at most the spread of the seeds
  in torch eager away from that of torch with the same seed. The spread is the largest
  minus the smallest mean of the seeds.

--page=FILE writes the table between the comments "<!-- torch-training-runs: begin -->" and
"<!-- torch-training-runs: end -->" of a page. The exit status is 1 if a check fails.
"""

import argparse
import copy
import functools
import pathlib
import statistics
import sys

import torch
import torch_page
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/Python/Inputs"))
import torch_networks as networks  # noqa: E402

NETWORKS = {"SimpleCNN": functools.partial(networks.SimpleCNN, dropout=0.5),
            "ResNet18": networks.ResNet18, "ViT": networks.ViT,
            "BERT": functools.partial(networks.BERT, layers=4),
            "GPT": functools.partial(networks.GPT, layers=4)}
HEAD = ("network", "worst error / bound", "points near a kink", "final loss, torch", "final loss, Tandem",
        "spread of seeds", "largest difference of final losses", "verdict")
LEAST_BOUND = 1e-5
# Changes of parameters that show how much rounding can change a gradient.
CHANGE, CHANGES = 2.0**-20, 16
# A gradient of smaller elements is zero but for rounding.
SMALLEST = 1e-6


def make(name, seed, count):
    """A network with its loss, and `count` batches, which are the same for all seeds."""
    loss, inputs = networks.make(getattr(networks, name), torch.float32, True)
    batches = []
    for number in range(count):
        torch.manual_seed(1000 + number)
        batches.append([torch.randn(t.shape) if t.is_floating_point() else
                        torch.randint(0, int(t.max()) + 1, t.shape) for t in inputs])
    torch.manual_seed(seed)
    loss.network = NETWORKS[name]()
    return loss, batches


def step_of(model, call, inputs, seed):
    """The loss and the gradients of a step, by name."""
    model.zero_grad(set_to_none=True)
    torch.manual_seed(seed)
    value = call(*inputs)
    value.backward()
    return float(value.detach()), {name: p.grad for name, p in model.named_parameters()}


def difference(actual, expected):
    """The largest difference as a share of the largest element."""
    scale = expected.abs().max().clamp(min=1e-30)
    return float((actual.double() - expected.double()).abs().max() / scale)


def exact_gradients(model, inputs, seed, change=0.0):
    """The gradients in f64, with parameters that are changed by shares up to `change`."""
    wide = copy.deepcopy(model).double()
    with torch.no_grad():
        for parameter in wide.parameters():
            parameter *= 1 + change * (2 * torch.rand_like(parameter) - 1)
    inputs = [t.double() if t.is_floating_point() else t for t in inputs]
    return step_of(wide, wide, inputs, seed)[1]


def check_masks():
    """In torch with MKL, masks of dropout do not depend on the dtype."""
    masks = []
    for dtype in (torch.float32, torch.float64):
        torch.manual_seed(0)
        x = torch.ones(1000, dtype=dtype, requires_grad=True)
        masks.append(nn.functional.dropout(x, 0.5) != 0)
    if not torch.equal(*masks):
        raise SystemExit("error: this torch draws other masks in f64 than in f32")


class Comparison:
    """Compares gradients at points of a run of torch eager."""

    def __init__(self, model, times):
        self.mine = copy.deepcopy(model)
        self.call = torch.compile(self.mine, backend="tandem", options={"fallback": "error"})
        self.times = times
        # The largest difference of a gradient as a share of its bound, and its name.
        self.worst = (0.0, "")
        self.near_kinks = 0

    def compare(self, model, inputs, seed):
        state = copy.deepcopy(model.state_dict())
        exact = exact_gradients(model, inputs, seed)
        _, expected = step_of(model, model, inputs, seed)
        self.mine.load_state_dict(state)
        _, actual = step_of(self.mine, self.call, inputs, seed)
        model.load_state_dict(state)  # A batch norm has counted the step.
        names = [name for name, right in exact.items() if float(right.abs().max()) > SMALLEST]
        errors = {name: difference(actual[name], exact[name]) for name in names}
        bounds = {name: max(LEAST_BOUND, self.times * difference(expected[name], exact[name]))
                  for name in names}
        if any(errors[name] > bounds[name] for name in names):
            self.near_kinks += 1
            for _ in range(CHANGES):
                changed = exact_gradients(model, inputs, seed, CHANGE)
                bounds = {name: max(bound, difference(changed[name], exact[name]))
                          for name, bound in bounds.items()}
        self.worst = max(self.worst, *((errors[name] / bounds[name], name) for name in names))


def train(model, call, batches, options, seed, look=None):
    """The losses of a run. `look(step)` is called before each step."""
    optimizer = torch.optim.Adam(model.parameters(), lr=options.rate)
    losses = []
    for number in range(options.steps):
        if look:
            look(number)
        value, _ = step_of(model, call, batches[number % len(batches)],
                           seed * options.steps + number)
        losses.append(value)
        optimizer.step()
    return losses


def run_seed(name, seed, options):
    """The final losses of torch and of Tandem, and the comparison of gradients."""
    torch._dynamo.reset()
    model, batches = make(name, seed, options.batches)
    comparison, mine = Comparison(model, options.times), copy.deepcopy(model)
    points = {round(i * (options.steps - 1) / max(options.points - 1, 1))
              for i in range(options.points)}

    def look(number):
        if number in points:
            comparison.compare(model, batches[number % len(batches)], number)

    theirs = train(model, model, batches, options, seed, look)
    call = torch.compile(mine, backend="tandem", options={"fallback": "error"})
    ours = train(mine, call, batches, options, seed)
    return statistics.mean(theirs[-10:]), statistics.mean(ours[-10:]), comparison


def check(name, options):
    """The row of a network, and whether all checks pass."""
    runs = [run_seed(name, seed, options) for seed in range(options.seeds)]
    theirs, ours, comparisons = zip(*runs)
    spread = max(theirs) - min(theirs)
    apart = max(abs(a - b) for a, b in zip(theirs, ours))
    gradient, parameter = max(each.worst for each in comparisons)
    near_kinks = sum(each.near_kinks for each in comparisons)
    passes = gradient <= 1 and apart <= spread
    return [name, f"{gradient:.2f} ({parameter})", near_kinks, f"{statistics.mean(theirs):.4g}",
            f"{statistics.mean(ours):.4g}", f"{spread:.2g}", f"{apart:.2g}",
            "passes" if passes else "fails"], passes


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=list(NETWORKS))
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--points", type=int, default=10)
    parser.add_argument("--batches", type=int, default=8)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--times", type=float, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    import tandem.torch  # noqa: F401
    from tandem._format import markdown_table
    torch.set_num_threads(options.threads)
    check_masks()
    rows, all_pass = [], True
    for name in options.networks:
        row, passes = check(name, options)
        rows.append(row)
        all_pass &= passes
        print(*row, sep=" | ", flush=True)
    text = markdown_table(HEAD, rows)
    print(text)
    if options.page:
        torch_page.replace_part(options.page, "torch-training-runs", text)
    return 0 if all_pass else 1


if __name__ == "__main__":
    sys.exit(main())
