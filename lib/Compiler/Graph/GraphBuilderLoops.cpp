//===- GraphBuilderLoops.cpp - Building loops without text ----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/GraphBuilderImpl.h"

#include "tandem/Runtime/Program/ProgramLoops.h"
#include "tandem/Support/NestingDepth.h"

#include <algorithm>

namespace tandem {

using Impl = GraphBuilder::Impl;

bool Impl::isVisible(size_t value) {
  if (owners[value] == 0)
    return true;
  for (const std::unique_ptr<Loop> &loop : open)
    if (loop->id == owners[value]) {
      loop->usesIndex |= value == loop->index;
      return true;
    }
  return false;
}

int64_t Impl::tripsOf(const Loop &loop) const {
  if (loop.trips)
    return *loop.trips;
  for (size_t scanned : loop.scanned)
    if (types[scanned].shape[0] != kDynamic)
      return types[scanned].shape[0];
  return kDynamic;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// An error of the constraint `label` of tandem.loop.
static tl::unexpected<Error> violates(const std::string &label,
                                      const std::string &message) {
  return fail("shape", "loop " + label + ": " + message);
}

static Status checkFlags(const std::vector<bool> &reversed, size_t count,
                         const std::string &what) {
  if (reversed.empty() || reversed.size() == count)
    return {};
  return violates("C6", std::to_string(reversed.size()) +
                            " flags 'reversed' for " + std::to_string(count) +
                            " " + what);
}

Status Impl::check(const Loop &loop) const {
  if (open.size() >= size_t(kMaxLoopDepth))
    return violates("C9", "there are more than " +
                              std::to_string(kMaxLoopDepth) +
                              " loops within each other");
  if (loop.trips.has_value() != loop.scanned.empty())
    return violates(
        "C5", loop.trips ? "a loop that scans tensors cannot have 'trips', "
                           "because dim 0 determines the number of "
                           "iterations"
                         : "there must be 'trips' or a scanned tensor");
  if (loop.trips.value_or(0) < 0)
    return violates("C5", "'trips' is " + std::to_string(*loop.trips));
  for (size_t i = 0; i < loop.scanned.size(); ++i) {
    const TensorType &type = types[loop.scanned[i]];
    const std::string what =
        "scanned tensor " + std::to_string(i) + " is " + type.str();
    if (type.shape.rank() == 0)
      return violates("C4", what + ", which has no dim 0");
    const int64_t trips = tripsOf(loop);
    if (!agree({DType::i1, {trips}}, {DType::i1, {type.shape[0]}}))
      return violates("C4", what + ", but there are " + std::to_string(trips) +
                                " iterations");
  }
  return checkFlags(loop.reversed, loop.scanned.size(), "scanned tensors");
}

Expected<std::vector<TensorType>> Impl::inferResults(const Loop &loop) const {
  std::vector<TensorType> results;
  for (size_t i = 0; i < loop.yielded.size(); ++i) {
    const TensorType &type = types[loop.yielded[i]];
    if (i >= loop.numCarried) {
      if (type.shape.rank() >= kMaxRank)
        return violates("C2", "a slice of rank " +
                                  std::to_string(type.shape.rank()) +
                                  " cannot be stacked, because ranks are at "
                                  "most " +
                                  std::to_string(kMaxRank));
      results.push_back(stackOf(type, tripsOf(loop)));
      TANDEM_RETURN_IF_ERROR(checkDims(results.back()));
      continue;
    }
    results.push_back(types[loop.carried[i]]);
    if (!agree(results.back(), type))
      return violates("C2", "carried value " + std::to_string(i) + " is " +
                                results.back().str() +
                                ", but the body computes " + type.str() +
                                " for the next iteration");
  }
  if (results.empty())
    return violates("C8", "the body computes neither carried values nor slices "
                          "of stacked results");
  return results;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

GraphBuilder::LoopBody GraphBuilder::beginLoop(LoopOperands operands) {
  auto loop = std::make_unique<Impl::Loop>();
  loop->id = ++impl->numLoops;
  loop->location = impl->nextLocation("loop");
  loop->numCarried = operands.carried.size();
  loop->trips = operands.trips;
  loop->reversed = std::move(operands.reversed);
  auto take = [&]() -> Status {
    TANDEM_ASSIGN_OR_RETURN(loop->carried,
                            use(operands.carried, "a carried value"));
    TANDEM_ASSIGN_OR_RETURN(loop->scanned,
                            use(operands.scanned, "a scanned value"));
    return impl->check(*loop);
  };
  if (Status taken = take(); !taken)
    refuse(std::move(taken.error()), loop->location);
  loop->reversed.resize(operands.scanned.size());
  Impl::Loop &body = *loop;
  impl->open.push_back(std::move(loop));
  body.index = impl->addValue({DType::i64, {}});
  if (!impl->status) // No op takes these values.
    return {std::vector<Value>(operands.carried.size()),
            std::vector<Value>(operands.scanned.size()), valueOf(body.index)};
  LoopBody given{{}, {}, valueOf(body.index)};
  for (size_t value : body.carried) {
    body.arguments.push_back(impl->addValue(impl->types[value]));
    given.carried.push_back(valueOf(body.arguments.back()));
  }
  for (size_t value : body.scanned) {
    body.arguments.push_back(impl->addValue(sliceOf(impl->types[value])));
    given.slices.push_back(valueOf(body.arguments.back()));
  }
  return given;
}

/// The largest number of iterations whose index is scanned from an iota.
static constexpr int64_t kMaxScannedIndex = 4096;

void Impl::provideIndex(Loop &loop, std::vector<TensorType> &results) {
  if (!loop.usesIndex)
    return;
  const TensorType scalar{DType::i64, {}};
  const int64_t trips = tripsOf(loop);
  if (trips != kDynamic && trips <= kMaxScannedIndex) {
    const TensorType type{DType::i64, {trips}};
    fb::IotaAttrsT attributes;
    attributes.type = std::make_unique<fb::TensorTypeT>(toFlat(type));
    loop.reversed.insert(loop.reversed.begin() + loop.scanned.size(), false);
    loop.scanned.push_back(add(
        Op{describe(OpKind::iota, std::move(attributes)), {}, loop.location},
        type));
    loop.arguments.push_back(loop.index);
    loop.trips.reset();
    return;
  }
  const auto at = std::ptrdiff_t(loop.numCarried);
  loop.carried.push_back(add(Splat{scalar, 0}, scalar));
  loop.arguments.insert(loop.arguments.begin() + at, loop.index);
  const size_t one = addTo(loop.body, Splat{scalar, 1}, std::span(&scalar, 1));
  const size_t next = addTo(loop.body,
                            Op{describe(OpKind::add, op_attrs::NONET()),
                               {loop.index, one},
                               loop.location},
                            std::span(&scalar, 1));
  loop.yielded.insert(loop.yielded.begin() + at, next);
  results.insert(results.begin() + at, scalar);
}

/// Adds slices of stacked results to the carried values that a body computes.
static Status addStacked(Impl::Loop &loop, const std::vector<size_t> &stacked,
                         std::vector<bool> reversed) {
  if (loop.yielded.size() != loop.numCarried)
    return violates("C2", "the body computes " +
                              std::to_string(loop.yielded.size()) +
                              " carried values, but the loop has " +
                              std::to_string(loop.numCarried));
  TANDEM_RETURN_IF_ERROR(
      checkFlags(reversed, stacked.size(), "stacked values"));
  reversed.resize(stacked.size());
  loop.yielded.insert(loop.yielded.end(), stacked.begin(), stacked.end());
  loop.reversed.insert(loop.reversed.end(), reversed.begin(), reversed.end());
  return {};
}

GraphBuilder::LoopResults GraphBuilder::endLoop(LoopYield yielded) {
  if (impl->open.empty()) {
    refuse({"there is no body of a loop to end", "build", {}, {}}, "loop");
    return {};
  }
  Impl::Loop &body = *impl->open.back();
  auto infer = [&]() -> Expected<std::vector<TensorType>> {
    TANDEM_RETURN_IF_ERROR(impl->status);
    TANDEM_ASSIGN_OR_RETURN(body.yielded,
                            use(yielded.carried, "a carried value"));
    TANDEM_ASSIGN_OR_RETURN(std::vector<size_t> stacked,
                            use(yielded.stacked, "a stacked value"));
    TANDEM_RETURN_IF_ERROR(addStacked(body, stacked, yielded.reversed));
    return impl->inferResults(body);
  };
  const size_t numCarried = body.numCarried,
               numStacked = yielded.stacked.size();
  Expected<std::vector<TensorType>> types = infer();
  std::unique_ptr<Impl::Loop> loop = std::move(impl->open.back());
  impl->open.pop_back();
  if (!types) {
    refuse(std::move(types.error()), loop->location);
    return {std::vector<Value>(numCarried), std::vector<Value>(numStacked)};
  }
  impl->provideIndex(*loop, *types);
  const size_t first = impl->add(std::move(loop), *types);
  return {valuesOf(first, numCarried),
          valuesOf(first + types->size() - numStacked, numStacked)};
}

void GraphBuilder::abandonLoop() {
  if (!impl->open.empty())
    impl->open.pop_back();
}

} // namespace tandem
