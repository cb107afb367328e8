//===- StepOrder.cpp - Orders of steps that hold less memory --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepOrder.h"

#include "tandem/Runtime/Tensor.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tandem {
namespace {

/// Picks one step after another.
class Scheduler {
public:
  explicit Scheduler(const Program &program);
  std::vector<uint32_t> run();

private:
  /// Bytes held after the step, less those held before it.
  int64_t growth(uint32_t step) const;
  void take(uint32_t step);

  const Program &program;
  /// By slot: the first slot of the memory it is in (a reshape's result is its
  /// operand), and the steps that read it.
  std::vector<uint32_t> storage;
  std::vector<std::vector<uint32_t>> readers;
  /// By storage: its bytes, or 0 where they are not freed (inputs, constants,
  /// outputs), and how often steps to come read it.
  std::vector<int64_t> bytes, reads;
  /// By step: operands that have not been computed.
  std::vector<size_t> missing;
  /// Steps that may come next, in program order.
  std::vector<uint32_t> ready;
};

Scheduler::Scheduler(const Program &program)
    : program(program), storage(program.slots.size()),
      readers(program.slots.size()), bytes(program.slots.size(), 0),
      reads(program.slots.size(), 0), missing(program.steps.size(), 0) {
  std::iota(storage.begin(), storage.end(), 0);
  std::vector<bool> isComputed(program.slots.size(), false);
  for (const auto &step : program.steps)
    for (uint32_t slot : step->results) {
      isComputed[slot] = true;
      if (step->op && step->op->kind == OpKind::reshape)
        storage[slot] = storage[step->operands[0]];
      else
        bytes[slot] = fromFlat(*program.slots[slot]->type).bytes();
    }
  for (uint32_t slot : program.outputs)
    bytes[storage[slot]] = 0;
  for (uint32_t i = 0; i < program.steps.size(); ++i) {
    for (uint32_t slot : program.steps[i]->operands) {
      ++reads[storage[slot]];
      if (!isComputed[slot])
        continue;
      readers[slot].push_back(i);
      ++missing[i];
    }
    if (missing[i] == 0)
      ready.push_back(i);
  }
}

int64_t Scheduler::growth(uint32_t step) const {
  const fb::StepT &what = *program.steps[step];
  int64_t growth = 0;
  for (uint32_t slot : what.results)
    if (storage[slot] == slot)
      growth += bytes[slot];
  // Each storage that dies is met as often as the step reads it.
  for (uint32_t slot : what.operands) {
    uint32_t memory = storage[slot];
    int64_t here =
        std::count_if(what.operands.begin(), what.operands.end(),
                      [&](uint32_t other) { return storage[other] == memory; });
    if (reads[memory] == here)
      growth -= bytes[memory] / here;
  }
  return growth;
}

void Scheduler::take(uint32_t step) {
  ready.erase(std::find(ready.begin(), ready.end(), step));
  for (uint32_t slot : program.steps[step]->operands)
    --reads[storage[slot]];
  for (uint32_t slot : program.steps[step]->results)
    for (uint32_t reader : readers[slot])
      if (--missing[reader] == 0)
        ready.insert(std::lower_bound(ready.begin(), ready.end(), reader),
                     reader);
}

std::vector<uint32_t> Scheduler::run() {
  std::vector<uint32_t> order;
  while (!ready.empty()) {
    uint32_t best = ready.front();
    int64_t least = std::numeric_limits<int64_t>::max();
    for (uint32_t step : ready)
      if (int64_t bytes = growth(step); bytes < least)
        best = step, least = bytes;
    take(best);
    order.push_back(best);
  }
  return order;
}

} // namespace

std::vector<uint32_t> orderByMemory(const Program &program) {
  return Scheduler(program).run();
}

void permuteSteps(Program &program, std::span<const uint32_t> order) {
  std::vector<std::unique_ptr<fb::StepT>> steps(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    steps[i] = std::move(program.steps[order[i]]);
  program.steps = std::move(steps);
}

} // namespace tandem
