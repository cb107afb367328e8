//===- ArenaLayout.cpp - Live ranges to offsets ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/ProgramTransforms/MemoryPlan.h"

#include "tandem/Runtime/Tensor.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace tandem {
namespace {

constexpr int64_t kAlignment = Allocator::kAlignment;

int64_t alignUp(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

struct Gap {
  int64_t offset = 0;
  int64_t bytes = std::numeric_limits<int64_t>::max();
};

/// Places ranges one after another.
class Packer {
public:
  Packer(std::span<const LiveRange> ranges, std::span<const Region> regions)
      : ranges(ranges), regions(regions), placed(regions.size() + 1) {
    layout.offsets.resize(ranges.size());
    layout.regions.resize(ranges.size());
  }

  ArenaLayout pack(std::span<const size_t> order) {
    for (size_t range : order)
      place(range);
    return std::move(layout);
  }

private:
  void place(size_t range);
  /// The smallest gap for `range` between what is in `region` at the same time;
  /// at `*end` begins what is free for good.
  std::optional<Gap> findGap(size_t range, int64_t region, int64_t *end);

  std::span<const LiveRange> ranges;
  std::span<const Region> regions;
  /// By region + 1.
  std::vector<std::vector<size_t>> placed;
  std::vector<std::pair<int64_t, int64_t>> taken;
  ArenaLayout layout;
};

std::optional<Gap> Packer::findGap(size_t range, int64_t region, int64_t *end) {
  taken.clear();
  for (size_t other : placed[region + 1])
    if (ranges[range].overlaps(ranges[other]))
      taken.push_back({layout.offsets[other],
                       layout.offsets[other] + alignUp(ranges[other].bytes)});
  std::sort(taken.begin(), taken.end());
  std::optional<Gap> best;
  auto consider = [&](int64_t from, int64_t to) {
    if (to - from >= ranges[range].bytes && (!best || to - from < best->bytes))
      best = Gap{from, to - from};
  };
  *end = 0;
  for (auto [from, to] : taken) {
    consider(*end, from);
    *end = std::max(*end, to);
  }
  if (region >= 0)
    consider(*end, regions[region].bytes);
  return best;
}

/// The smallest of all gaps; else the arena grows.
void Packer::place(size_t range) {
  int64_t arenaEnd = 0, regionEnd = 0, where = -1;
  std::optional<Gap> best = findGap(range, -1, &arenaEnd);
  for (size_t i = 0; i < regions.size(); ++i) {
    if (ranges[range].last >= regions[i].firstUse)
      continue;
    std::optional<Gap> gap = findGap(range, i, &regionEnd);
    if (gap && (!best || gap->bytes < best->bytes))
      best = gap, where = i;
  }
  layout.regions[range] = where;
  layout.offsets[range] = best ? best->offset : arenaEnd;
  if (where < 0)
    layout.bytes = std::max(layout.bytes, layout.offsets[range] +
                                              alignUp(ranges[range].bytes));
  placed[where + 1].push_back(range);
}

} // namespace

ArenaLayout layOut(std::span<const LiveRange> ranges,
                   std::span<const Region> regions) {
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), 0);
  auto packBy = [&](auto key) {
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(key(ranges[a]), a) < std::pair(key(ranges[b]), b);
    });
    return Packer(ranges, regions).pack(order);
  };
  ArenaLayout bySize = packBy([](const LiveRange &r) { return -r.bytes; });
  ArenaLayout byTime = packBy([](const LiveRange &r) { return r.first; });
  return byTime.bytes < bySize.bytes ? byTime : bySize;
}

} // namespace tandem
