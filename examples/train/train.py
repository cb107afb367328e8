#!/usr/bin/env python3
"""Trains SimpleCNN on Fashion-MNIST (docs/Training.md).

    python3 train.py --epochs=5 --folder=run
    python3 train.py --epochs=10 --folder=run --resume
"""

from __future__ import annotations

import argparse
import pathlib
import time
from collections.abc import Callable

import fashion_mnist
import numpy as np
import simplecnn
import tandem


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=fashion_mnist.FOLDER,
                        help="the folder with the four files of Fashion-MNIST")
    parser.add_argument("--folder", type=pathlib.Path, default="run", help="of checkpoints")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--decay", type=float, default=0.8, help="of the rate, in each epoch")
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--patience", type=int, default=3, help="epochs without progress")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=tandem.num_threads())
    parser.add_argument("--mode", default="auto", help="auto, eager or compile")
    parser.add_argument("--phases", default="together", help="apart: kernels of one phase each")
    parser.add_argument("--limit", type=int, help="use so many training images only")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    return parser.parse_args()


class Run:
    """A training run and the times of its phases, in seconds."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.images, self.labels = (each[:options.limit]
                                    for each in fashion_mnist.read("train", options.data))
        self.test = fashion_mnist.read("t10k", options.data)
        loss = simplecnn.build(simplecnn.random_dropout(options.dropout, options.seed),
                               mode=options.mode)
        parameters = simplecnn.initial(options.seed)
        self.step = tandem.training_step(loss, tandem.training.adam(), phases=options.phases,
                                         parameters=list(parameters), steps_input="steps")
        self.state = self.step.init(parameters)
        self.evaluation = simplecnn.build(mode=options.mode)
        self.epoch, self.best, self.stale = 0, float("inf"), 0
        self.seconds = {"preprocess": 0.0, "steps": 0.0}
        self.scalars = open_scalars(options.folder)

    def resume(self) -> None:
        notes = self.state.load(self.options.folder / "last.safetensors")
        self.epoch, self.stale = int(notes["epoch"]), int(notes["stale"])
        self.best = float.fromhex(notes["best"])

    def save(self, name: str) -> None:
        self.state.save(self.options.folder / f"{name}.safetensors", epoch=str(self.epoch),
                        stale=str(self.stale), best=self.best.hex())

    def train_epoch(self) -> tuple[float, float]:
        """The mean loss and accuracy of an epoch. A resumed run sees the same batches."""
        order = np.random.default_rng((self.options.seed, self.epoch)).permutation(len(self.images))
        rate = self.options.rate * self.options.decay**self.epoch
        total, right = 0.0, 0
        for start in range(0, len(order), self.options.batch):
            began = time.perf_counter()
            batch = order[start:start + self.options.batch]
            images = fashion_mnist.prepare(self.images[batch])
            ready = time.perf_counter()
            loss, hits = self.step(self.state, images, self.labels[batch], rate=rate)
            self.seconds["preprocess"] += ready - began
            self.seconds["steps"] += time.perf_counter() - ready
            total, right = total + float(loss) * len(batch), right + int(hits)
        return total / len(order), right / len(order)

    def evaluate(self) -> tuple[float, float]:
        (images, labels), total, right = self.test, 0.0, 0
        for start in range(0, len(images), 500):
            part = fashion_mnist.prepare(images[start:start + 500])
            loss, hits = self.evaluation(images=part, labels=labels[start:start + 500],
                                         steps=np.array(0, np.uint64), **self.state.parameters)
            total, right = total + float(loss) * len(part), right + int(hits)
        return total / len(images), right / len(images)

    def run(self) -> None:
        self.options.folder.mkdir(parents=True, exist_ok=True)
        while self.epoch < self.options.epochs and self.stale < self.options.patience:
            began = time.perf_counter()
            loss, accuracy = self.train_epoch()
            speed = len(self.images) / (time.perf_counter() - began)
            self.epoch += 1
            test_loss, test_accuracy = self.evaluate()
            self.stale = 0 if test_loss < self.best else self.stale + 1
            self.best = min(test_loss, self.best)
            signature = self.step.report().signatures[0]
            print(f"epoch {self.epoch}: loss {loss:.4f}, accuracy {accuracy:.2%}; test loss "
                  f"{test_loss:.4f}, test accuracy {test_accuracy:.2%}; {speed:,.0f} images/s; "
                  f"{signature.tier}, {signature.verdict}", flush=True)
            self.scalars(self.epoch, {"loss": loss, "accuracy": accuracy, "images/s": speed,
                                      "test loss": test_loss, "test accuracy": test_accuracy})
            for name in ["last"] if self.stale else ["last", "best"]:
                self.save(name)

    def print_phases(self) -> None:
        """The time of all steps by phase, from a profile of one step."""
        count = self.options.batch
        phases = self.step.profile(self.state, fashion_mnist.prepare(self.images[:count]),
                                   self.labels[:count], rate=0).phases()
        share = self.seconds["steps"] / sum(phases.values())
        rows = {"preprocess": self.seconds["preprocess"],
                **{phase: time_ns * share for phase, time_ns in phases.items()}}
        for phase, seconds in rows.items():
            print(f"{phase:20} {seconds:8.2f} s {seconds / sum(rows.values()):6.1%}")


def open_scalars(folder: pathlib.Path) -> Callable[[int, dict[str, float]], None]:
    """Writes scalars for TensorBoard if the package tensorboardX is installed."""
    try:
        from tensorboardX import SummaryWriter
    except ImportError:
        return lambda epoch, scalars: None
    writer = SummaryWriter(str(folder))
    return lambda epoch, scalars: writer.add_scalars("SimpleCNN", scalars, epoch)


def main() -> None:
    options = arguments()
    tandem.set_num_threads(options.threads)
    try:
        run = Run(options)
        if options.resume:
            run.resume()
        run.run()
    except (tandem.Error, ValueError, OSError) as error:
        raise SystemExit(f"error: {error}") from None
    run.print_phases()
    print(run.step.report())


if __name__ == "__main__":
    main()
