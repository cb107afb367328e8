//===- StepOrder.cpp - Orders of steps that hold less memory --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepOrder.h"
#include "Storage.h"

#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Runtime/Tensor.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tandem {
namespace {

/// Picks one step after another.
class Scheduler {
public:
  /// If `byMemory` is false, the next step is the first one in the program, and
  /// types need not be static.
  Scheduler(const Program &program, bool byMemory);
  std::vector<uint32_t> run();

private:
  void findBytes();
  void findOperands();
  /// Makes steps that update an input wait for the steps that read its old
  /// value.
  void orderUpdates();
  /// Bytes held after the step, less those held before it.
  int64_t growth(uint32_t step) const;
  /// The step to take next, which need not wait for other steps.
  uint32_t chooseNext() const;
  void take(uint32_t step);
  void release(uint32_t step) {
    if (!isTaken[step] && missing[step] == 0 && waits[step] == 0)
      ready.insert(std::lower_bound(ready.begin(), ready.end(), step), step);
  }

  const Program &program;
  /// By slot: the first slot of the memory it is in, as if all slices that can
  /// be were views, and the steps that read it.
  std::vector<uint32_t> storage;
  std::vector<std::vector<uint32_t>> readers;
  /// By storage: its bytes, or 0 where they are not freed (inputs, constants,
  /// outputs), and how often steps to come read it.
  std::vector<int64_t> bytes, reads;
  /// By step: the number of operands that have not been computed, the steps
  /// that should wait for this one because they overwrite what it reads, and
  /// the number of steps that it should wait for.
  std::vector<size_t> missing;
  std::vector<std::vector<uint32_t>> waiting;
  std::vector<size_t> waits;
  std::vector<bool> isTaken;
  /// Steps that may come next, in program order.
  std::vector<uint32_t> ready;
  const bool byMemory;
};

Scheduler::Scheduler(const Program &program, bool byMemory)
    : program(program), storage(program.slots.size()),
      readers(program.slots.size()), bytes(program.slots.size(), 0),
      reads(program.slots.size(), 0), missing(program.steps.size(), 0),
      waiting(program.steps.size()), waits(program.steps.size(), 0),
      isTaken(program.steps.size(), false), byMemory(byMemory) {
  std::iota(storage.begin(), storage.end(), 0);
  const std::vector<bool> isOutput = findOutputValues(program);
  for (const auto &step : program.steps)
    if (findViewOffset(program, *step) &&
        (step->op->kind == OpKind::reshape || !isOutput[step->results[0]]))
      storage[step->results[0]] = storage[step->operands[0]];
  if (byMemory)
    findBytes();
  findOperands();
  orderUpdates();
  for (uint32_t i = 0; i < program.steps.size(); ++i)
    release(i);
}

void Scheduler::findBytes() {
  for (const auto &step : program.steps)
    for (uint32_t slot : step->results)
      if (storage[slot] == slot)
        bytes[slot] = fromFlat(*program.slots[slot]->type).bytes();
  for (uint32_t slot : program.outputs)
    bytes[storage[slot]] = 0;
}

void Scheduler::findOperands() {
  std::vector<bool> isComputed(program.slots.size(), false);
  for (const auto &step : program.steps)
    for (uint32_t slot : step->results)
      isComputed[slot] = true;
  for (uint32_t i = 0; i < program.steps.size(); ++i)
    for (uint32_t slot : program.steps[i]->operands) {
      ++reads[storage[slot]];
      if (!isComputed[slot])
        continue;
      readers[slot].push_back(i);
      ++missing[i];
    }
}

void Scheduler::orderUpdates() {
  if (program.updates.empty())
    return;
  // By storage: the steps that read it, and the step that computes it.
  std::vector<std::vector<uint32_t>> users(storage.size());
  std::vector<std::optional<uint32_t>> writers(storage.size());
  for (uint32_t i = 0; i < program.steps.size(); ++i) {
    for (uint32_t slot : program.steps[i]->operands)
      users[storage[slot]].push_back(i);
    for (uint32_t slot : program.steps[i]->results)
      if (storage[slot] == slot)
        writers[slot] = i;
  }
  for (const fb::Update &update : program.updates) {
    const std::optional<uint32_t> writer =
        writers[storage[program.outputs[update.output()]]];
    if (!writer)
      continue;
    for (uint32_t reader : users[program.inputs[update.input()]])
      if (reader != *writer) {
        waiting[reader].push_back(*writer);
        ++waits[*writer];
      }
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
  std::erase(ready, step);
  isTaken[step] = true;
  for (uint32_t slot : program.steps[step]->operands)
    --reads[storage[slot]];
  for (uint32_t slot : program.steps[step]->results)
    for (uint32_t reader : readers[slot])
      if (--missing[reader] == 0)
        release(reader);
  for (uint32_t writer : waiting[step])
    if (--waits[writer] == 0)
      release(writer);
}

/// If updates wait for each other, one of them is taken all the same. A run
/// then copies its output at the end.
uint32_t Scheduler::chooseNext() const {
  if (ready.empty()) {
    uint32_t step = 0;
    while (isTaken[step] || missing[step] > 0)
      ++step;
    return step;
  }
  if (!byMemory)
    return ready.front();
  return *std::ranges::min_element(ready, {},
                                   [&](uint32_t step) { return growth(step); });
}

std::vector<uint32_t> Scheduler::run() {
  std::vector<uint32_t> order;
  while (order.size() < program.steps.size()) {
    order.push_back(chooseNext());
    take(order.back());
  }
  return order;
}

} // namespace

std::vector<uint32_t> orderByMemory(const Program &program) {
  return Scheduler(program, /*byMemory=*/true).run();
}

void orderUpdatesLast(Program &program) {
  if (!program.updates.empty())
    permuteSteps(program, Scheduler(program, /*byMemory=*/false).run());
}

void permuteSteps(Program &program, std::span<const uint32_t> order) {
  std::vector<std::unique_ptr<fb::StepT>> steps(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    steps[i] = std::move(program.steps[order[i]]);
  program.steps = std::move(steps);
}

} // namespace tandem
