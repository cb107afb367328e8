#!/usr/bin/env python3
"""Trains SimpleCNN on Fashion-MNIST with Tandem and with PyTorch, and compares the accuracy.

  cache=~/.cache/tandem
  PYTHONPATH=build/python:$cache/onnx-tests:$cache/torch utils/measure/train-accuracy.py

Both start from the same parameters and see the same batches. With dropout, they draw
different masks, so that single runs differ; the means over --seeds are compared.
"""

import argparse
import statistics

import numpy as np
import train_peers

import fashion_mnist
import simplecnn


def accuracy_of_tandem(step, images, labels):
    evaluation = simplecnn.build(mode="eager")
    right = 0
    for start in range(0, len(images), 500):
        part = fashion_mnist.prepare(images[start:start + 500])
        right += int(evaluation(images=part, labels=labels[start:start + 500],
                                steps=np.array(0, np.uint64), **step.state.parameters)[1])
    return right / len(images)


def accuracy_of_torch(step, images, labels):
    import torch
    import torch_simplecnn
    right = 0
    with torch.no_grad():
        for start in range(0, len(images), 500):
            part = torch.from_numpy(fashion_mnist.prepare(images[start:start + 500]))
            logits = torch_simplecnn.forward(step.parameters, part)
            right += int((logits.argmax(1).numpy() == labels[start:start + 500]).sum())
    return right / len(images)


def train(step, seed, options):
    images, labels = fashion_mnist.read("train")
    for epoch in range(options.epochs):
        rate = train_peers.RATE * options.decay**epoch
        order = np.random.default_rng((seed, epoch)).permutation(len(images))
        for start in range(0, len(order), options.batch):
            batch = order[start:start + options.batch]
            step(fashion_mnist.prepare(images[batch]), labels[batch], rate)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--decay", type=float, default=0.8,
                        help="the factor of the rate after each epoch, as in the example")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--systems", default="tandem,torch")
    options = parser.parse_args()
    systems = {"tandem": (train_peers.tandem_step, accuracy_of_tandem),
               "torch": (train_peers.torch_step, accuracy_of_torch)}
    test = fashion_mnist.read("t10k")
    found = {}
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        for name in options.systems.split(","):
            make, accuracy = systems[name]
            step = make(options.threads, options.dropout, seed)
            train(step, seed, options)
            found.setdefault(name, []).append(accuracy(step, *test))
            print(f"seed {seed}, {name}: test accuracy {found[name][-1]:.2%}", flush=True)
    for name, each in found.items():
        print(f"{name}: mean {statistics.fmean(each):.2%} of {len(each)} seeds")


if __name__ == "__main__":
    main()
