//===- Storage.cpp - Slots that share memory, and until when --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Storage.h"

#include "tandem/ProgramTransforms/Recompute.h"
#include "tandem/Runtime/Program/ProgramMemory.h"
#include "tandem/Runtime/Tensor.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tandem {
namespace {

constexpr int64_t kPartAlignment = Allocator::kAlignment;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// By slot, whether its value depends on constants alone.
std::vector<bool> findConstants(const Program &program) {
  std::vector<bool> isConstant(program.slots.size(), false);
  for (const Constant &constant : program.constants)
    isConstant[constant.slot] = true;
  for (const auto &step : program.steps)
    if (step->op && std::ranges::all_of(step->operands, [&](uint32_t slot) {
          return isConstant[slot];
        }))
      for (uint32_t slot : step->results)
        isConstant[slot] = true;
  return isConstant;
}

/// Finds storages for one choice of what slices and concats do.
class StorageFinder {
public:
  /// Slices of computed values and operands of concats share memory if
  /// `isShared` has their step.
  StorageFinder(const Program &program, bool inPlace,
                const std::vector<bool> &isShared)
      : program(program), inPlace(inPlace), isShared(isShared),
        parents(program.slots.size()), shifts(program.slots.size(), 0),
        isConstant(findConstants(program)),
        kinds(program.slots.size(), StorageKind::planned),
        overwritten(program.slots.size(), kNever) {
    std::iota(parents.begin(), parents.end(), 0);
    storages.areViews.resize(program.steps.size(), false);
  }
  Expected<Storages> find();

private:
  struct Position {
    uint32_t root;
    int64_t offset;
  };
  Position positionOf(uint32_t slot) const {
    int64_t offset = 0;
    for (; parents[slot] != slot; slot = parents[slot])
      offset += shifts[slot];
    return {slot, offset};
  }
  uint32_t root(uint32_t slot) const { return positionOf(slot).root; }
  int64_t bytesOf(uint32_t slot) const {
    return fromFlat(*program.slots[slot]->type).bytes();
  }
  /// Whether the slot is all of its storage.
  bool isWhole(uint32_t slot) const {
    const auto [root, offset] = positionOf(slot);
    return offset == 0 && bytesOf(slot) == ranges[root].bytes;
  }
  void join(uint32_t from, uint32_t to, int64_t offset) {
    parents[from] = to;
    shifts[from] = offset;
    ranges[to].first = std::min(ranges[to].first, ranges[from].first);
    ranges[to].last = std::max(ranges[to].last, ranges[from].last);
  }

  void joinViews();
  void classify();
  Status findRanges();
  void joinInPlace(size_t index);
  bool mayJoin(const fb::StepT &step, size_t index,
               const fb::InPlace &pair) const;
  void joinOperands(const fb::StepT &step);
  bool mayHost(const fb::StepT &step, uint32_t operand) const;

  const Program &program;
  const bool inPlace;
  const std::vector<bool> &isShared;
  /// By slot, the next slot towards the root, and where the slot begins in it,
  /// in bytes. A root is its own parent.
  std::vector<uint32_t> parents;
  std::vector<int64_t> shifts;
  /// By slot, whether its value depends on constants alone. Executors of
  /// programs without a plan compute such values once (ConstantSteps.h).
  const std::vector<bool> isConstant;
  /// By root.
  std::vector<StorageKind> kinds;
  std::vector<LiveRange> ranges;
  /// By value, the step that overwrites it in place.
  std::vector<int64_t> overwritten;
  Storages storages;
};

void StorageFinder::joinViews() {
  const std::vector<bool> isOutput = findOutputValues(program),
                          areOfInputs = findViewsOfInputs(program);
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const fb::StepT &step = *program.steps[i];
    const std::optional<int64_t> offset = findViewOffset(program, step);
    if (!offset)
      continue;
    const uint32_t result = step.results[0];
    const auto [from, begin] = positionOf(step.operands[0]);
    if (step.op->kind == OpKind::slice &&
        (isOutput[result] || !(areOfInputs[i] || isShared[i])))
      continue;
    storages.areViews[i] = true;
    storages.savedBytes += step.op->kind == OpKind::slice ? bytesOf(result) : 0;
    parents[result] = from;
    shifts[result] = begin + *offset;
  }
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
          const int64_t bytes,
          checkedBytes(fromFlat(*program.slots[slot]->type)));
      range.bytes = std::max(range.bytes, bytes);
      if (__builtin_add_overflow(total, bytes + kPartAlignment, &total))
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
  const uint32_t operand = step.operands[pair.operand()],
                 result = step.results[pair.result()];
  const uint32_t from = root(operand), to = root(result);
  if (kinds[from] != StorageKind::planned || kinds[to] == StorageKind::caller ||
      ranges[from].first < 0 ||
      ranges[from].last != static_cast<int64_t>(index) ||
      ranges[to].first != static_cast<int64_t>(index) ||
      ranges[from].bytes != ranges[to].bytes || !isWhole(operand) ||
      !isWhole(result))
    return false;
  const std::vector<fb::InPlace> &legal =
      program.kernels[step.kernel]->in_place;
  for (uint32_t i = 0; i < step.operands.size(); ++i)
    if (root(step.operands[i]) == from &&
        (!isWhole(step.operands[i]) ||
         std::none_of(legal.begin(), legal.end(), [&](fb::InPlace other) {
           return other.operand() == i && other.result() == pair.result();
         })))
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
    const uint32_t from = root(step.operands[pair.operand()]);
    overwritten[from] = static_cast<int64_t>(index);
    join(from, root(step.results[pair.result()]), 0);
  }
}

/// Whether `operand` may be computed in the storage of the result of the concat
/// `step`.
bool StorageFinder::mayHost(const fb::StepT &step, uint32_t operand) const {
  const uint32_t from = root(operand);
  return kinds[from] == StorageKind::planned && ranges[from].first >= 0 &&
         ranges[from].bytes > 0 && isWhole(operand) && !isConstant[operand] &&
         // No kernel overwrites it in place.
         storages.values[operand] == from && from != root(step.results[0]) &&
         ranges[from].last < overwritten[storages.values[step.results[0]]];
}

void StorageFinder::joinOperands(const fb::StepT &step) {
  const std::vector<int64_t> offsets = findConcatOffsets(program, step);
  if (offsets.empty() || kinds[root(step.results[0])] == StorageKind::caller)
    return;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] % kPartAlignment != 0 || !mayHost(step, step.operands[i]))
      continue;
    const auto [to, begin] = positionOf(step.results[0]);
    join(root(step.operands[i]), to, begin + offsets[i]);
    storages.savedBytes += bytesOf(step.operands[i]);
  }
}

Expected<Storages> StorageFinder::find() {
  joinViews();
  for (uint32_t slot = 0; slot < parents.size(); ++slot)
    storages.values.push_back(root(slot));
  classify();
  TANDEM_RETURN_IF_ERROR(findRanges());
  for (size_t i = 0; inPlace && i < program.steps.size(); ++i)
    joinInPlace(i);
  for (size_t i = 0; i < program.steps.size(); ++i)
    if (isShared[i])
      joinOperands(*program.steps[i]);
  for (uint32_t slot = 0; slot < parents.size(); ++slot) {
    const auto [root, offset] = positionOf(slot);
    storages.roots.push_back(root);
    storages.offsets.push_back(offset);
  }
  storages.kinds = std::move(kinds);
  storages.ranges = std::move(ranges);
  return std::move(storages);
}

/// Steps that may share memory at the cost of holding it for longer, in groups
/// that are decided on together: the slices of one value, and each concat.
std::vector<std::vector<size_t>> findGroups(const Program &program) {
  std::vector<std::vector<size_t>> groups;
  std::map<uint32_t, size_t> slices;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const fb::StepT &step = *program.steps[i];
    if (!findConcatOffsets(program, step).empty()) {
      groups.push_back({i});
    } else if (step.op && step.op->kind == OpKind::slice &&
               findViewOffset(program, step)) {
      const auto [it, isNew] =
          slices.try_emplace(step.operands[0], groups.size());
      if (isNew)
        groups.emplace_back();
      groups[it->second].push_back(i);
    }
  }
  return groups;
}

} // namespace

bool mayRise(int64_t before, int64_t after) {
  return double(after - before) <
         RecomputeLimits().minPeakShare * double(before);
}

int64_t Storages::maxLiveBytes(size_t numSteps) const {
  std::vector<int64_t> change(numSteps + 2, 0);
  for (uint32_t slot = 0; slot < roots.size(); ++slot)
    if (roots[slot] == slot && ranges[slot].first >= 0 &&
        kinds[slot] != StorageKind::caller) {
      change[ranges[slot].first] += ranges[slot].bytes;
      change[ranges[slot].last + 1] -= ranges[slot].bytes;
    }
  int64_t held = 0, most = 0;
  for (int64_t bytes : change)
    most = std::max(most, held += bytes);
  return most;
}

namespace {

/// Chooses the groups of steps that share memory.
class SharingChooser {
public:
  SharingChooser(const Program &program, bool inPlace)
      : program(program), inPlace(inPlace), groups(findGroups(program)),
        isShared(program.steps.size(), false) {}

  Expected<Storages> choose(bool parts);

private:
  Expected<Storages> find() const {
    return StorageFinder(program, inPlace, isShared).find();
  }
  bool isBetter(const Storages &next) const;
  int64_t maxLiveBytes(const Storages &storages) const {
    return storages.maxLiveBytes(program.steps.size());
  }
  Status add(size_t first, size_t last);
  void share(size_t first, size_t last, bool isIt) {
    for (size_t i = first; i < last; ++i)
      for (size_t step : groups[i])
        isShared[step] = isIt;
  }

  const Program &program;
  const bool inPlace;
  const std::vector<std::vector<size_t>> groups;
  /// By step, whether it shares in the present attempt.
  std::vector<bool> isShared;
  Storages best;
  /// The most bytes that are live if all slices and concats copy that may.
  int64_t leastLive = 0;
};

bool SharingChooser::isBetter(const Storages &next) const {
  const int64_t live = maxLiveBytes(next), rise = live - maxLiveBytes(best);
  return rise <= 0 || (mayRise(leastLive, live) &&
                       rise <= next.savedBytes - best.savedBytes);
}

/// Lets the groups [first, last) share if that is better, and otherwise each
/// half of them. If k groups have to copy, that takes O(k log n) attempts for n
/// groups.
Status SharingChooser::add(size_t first, size_t last) {
  if (first == last)
    return {};
  share(first, last, true);
  TANDEM_ASSIGN_OR_RETURN(Storages next, find());
  if (isBetter(next)) {
    best = std::move(next);
    return {};
  }
  share(first, last, false);
  if (last - first == 1)
    return {};
  const size_t middle = first + (last - first) / 2;
  TANDEM_RETURN_IF_ERROR(add(first, middle));
  return add(middle, last);
}

Expected<Storages> SharingChooser::choose(bool parts) {
  TANDEM_ASSIGN_OR_RETURN(best, find());
  leastLive = maxLiveBytes(best);
  if (parts)
    TANDEM_RETURN_IF_ERROR(add(0, groups.size()));
  return std::move(best);
}

} // namespace

Expected<Storages> findStorages(const Program &program,
                                const SharingOptions &options) {
  return SharingChooser(program, options.inPlace).choose(options.parts);
}

} // namespace tandem
