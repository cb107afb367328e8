//===- Storage.cpp - Slots that share their bytes, and until when ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Storage.h"

#include "tandem/Runtime/Tensor.h"

#include <algorithm>
#include <numeric>

namespace tandem {
namespace {

class StorageFinder {
public:
  explicit StorageFinder(const Program &program)
      : program(program), parent(program.slots.size()),
        kinds(program.slots.size(), StorageKind::planned) {
    std::iota(parent.begin(), parent.end(), 0);
  }
  Expected<Storages> find();

private:
  void joinViews();
  void classify();
  Status findRanges();
  void joinInPlace(size_t index);
  bool mayJoin(const fb::StepT &step, size_t index,
               const fb::InPlace &pair) const;
  uint32_t root(uint32_t slot) const {
    while (parent[slot] != slot)
      slot = parent[slot];
    return slot;
  }
  std::vector<uint32_t> getRoots() const {
    std::vector<uint32_t> roots;
    roots.reserve(parent.size());
    for (uint32_t slot = 0; slot < parent.size(); ++slot)
      roots.push_back(root(slot));
    return roots;
  }

  const Program &program;
  /// Towards the root; a root is its own parent.
  std::vector<uint32_t> parent;
  /// By root.
  std::vector<StorageKind> kinds;
  std::vector<LiveRange> ranges;
};

/// A reshape's result is its operand.
void StorageFinder::joinViews() {
  for (const auto &step : program.steps)
    if (step->op && step->op->kind == OpKind::reshape)
      parent[step->results[0]] = root(step->operands[0]);
}

void StorageFinder::classify() {
  for (uint32_t slot : program.outputs)
    kinds[root(slot)] = StorageKind::output;
  for (uint32_t slot : program.inputs)
    kinds[root(slot)] = StorageKind::caller;
  // The memory of the input holds the old value until the output is written.
  for (const fb::Update &update : program.updates)
    kinds[root(program.outputs[update.output()])] = StorageKind::caller;
  for (const Constant &constant : program.constants)
    kinds[root(constant.slot)] = StorageKind::caller;
}

Status StorageFinder::findRanges() {
  ranges.assign(program.slots.size(), {-1, -1, 0});
  int64_t total = 0;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const fb::StepT &step = *program.steps[i];
    for (uint32_t slot : step.operands)
      ranges[root(slot)].last = i;
    for (uint32_t slot : step.results) {
      LiveRange &range = ranges[root(slot)];
      if (range.first < 0)
        range.first = i;
      range.last = i;
      TANDEM_ASSIGN_OR_RETURN(
          range.bytes, checkedBytes(fromFlat(*program.slots[slot]->type)));
      if (__builtin_add_overflow(total, range.bytes + Allocator::kAlignment,
                                 &total))
        return fail("plan", "the bytes of all intermediates overflow");
    }
  }
  for (uint32_t slot : program.outputs)
    ranges[root(slot)].last = program.steps.size();
  return {};
}

/// Whether the result may take over the operand's memory: nobody else needs
/// that, and the kernel reads it nowhere but where it writes.
bool StorageFinder::mayJoin(const fb::StepT &step, size_t index,
                            const fb::InPlace &pair) const {
  uint32_t from = root(step.operands[pair.operand()]);
  uint32_t to = root(step.results[pair.result()]);
  if (kinds[from] != StorageKind::planned || kinds[to] == StorageKind::caller ||
      ranges[from].first < 0 ||
      ranges[from].last != static_cast<int64_t>(index) ||
      ranges[to].first != static_cast<int64_t>(index) ||
      ranges[from].bytes != ranges[to].bytes)
    return false;
  const std::vector<fb::InPlace> &legal =
      program.kernels[step.kernel]->in_place;
  for (uint32_t i = 0; i < step.operands.size(); ++i)
    if (root(step.operands[i]) == from &&
        std::none_of(legal.begin(), legal.end(), [&](fb::InPlace other) {
          return other.operand() == i && other.result() == pair.result();
        }))
      return false;
  return std::none_of(step.results.begin(), step.results.end(),
                      [&](uint32_t slot) { return root(slot) == from; });
}

void StorageFinder::joinInPlace(size_t index) {
  const fb::StepT &step = *program.steps[index];
  if (step.kernel < 0)
    return;
  for (const fb::InPlace &pair : program.kernels[step.kernel]->in_place) {
    if (!mayJoin(step, index, pair))
      continue;
    uint32_t from = root(step.operands[pair.operand()]);
    uint32_t to = root(step.results[pair.result()]);
    parent[from] = to;
    ranges[to].first = ranges[from].first;
  }
}

Expected<Storages> StorageFinder::find() {
  joinViews();
  Storages storages;
  storages.values = getRoots();
  classify();
  TANDEM_RETURN_IF_ERROR(findRanges());
  for (size_t i = 0; i < program.steps.size(); ++i)
    joinInPlace(i);
  storages.roots = getRoots();
  storages.kinds = std::move(kinds);
  storages.ranges = std::move(ranges);
  return storages;
}

} // namespace

Expected<Storages> findStorages(const Program &program) {
  return StorageFinder(program).find();
}

} // namespace tandem
