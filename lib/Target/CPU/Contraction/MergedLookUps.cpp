//===- MergedLookUps.cpp - Bytes of several vectors in one look-up --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction/MergedLookUps.h"
#include "VectorShuffles.h"

#include "tandem/Target/CPU/CPUDialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tandem {
namespace {

int64_t countBytes(cpu::LookUpBytesOp op) {
  return op.getBytes().getType().getNumElements();
}

/// Whether `op`, or an op in one of its regions, reads a result of `late`.
bool dependsOn(Operation *op, const llvm::SmallPtrSetImpl<Operation *> &late) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(),
                            [&](Value operand) {
                              Operation *source = operand.getDefiningOp();
                              return source && late.contains(source);
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Moves all ops that depend on `group` and that are before its last op to
/// behind `after`.
void moveDependents(ArrayRef<cpu::LookUpBytesOp> group, Operation *after) {
  llvm::SmallPtrSet<Operation *, 32> late;
  late.insert(group.begin(), group.end());
  Operation *last = cpu::LookUpBytesOp(group.back());
  for (Operation *op = cpu::LookUpBytesOp(group.front()), *next; op != last;
       op = next) {
    next = op->getNextNode();
    if (late.contains(op) || !dependsOn(op, late))
      continue;
    late.insert(op);
    op->moveAfter(after);
    after = op;
  }
}

/// Replaces `group`, look-ups in the same table, by a single look-up. The
/// number of look-ups must be a power of two.
void merge(ArrayRef<cpu::LookUpBytesOp> group) {
  cpu::LookUpBytesOp last = group.back();
  OpBuilder builder(last);
  const Location loc = last.getLoc();
  SmallVector<Value> bytes;
  for (cpu::LookUpBytesOp op : group)
    bytes.push_back(op.getBytes());
  Value all =
      cpu::LookUpBytesOp::create(builder, loc, last.getTable(),
                                 concatenate(builder, loc, std::move(bytes)));
  SmallVector<Value> parts;
  for (auto [number, op] : llvm::enumerate(group))
    parts.push_back(sliceVector(builder, loc, all,
                                static_cast<int64_t>(number) * countBytes(op),
                                countBytes(op)));
  moveDependents(group, parts.back().getDefiningOp());
  for (auto [op, part] : llvm::zip_equal(group, parts)) {
    cpu::LookUpBytesOp found = op;
    found.replaceAllUsesWith(part);
    found.erase();
  }
}

} // namespace

void mergeLookUps(ArrayRef<Operation *> ops, int64_t vectors,
                  int64_t mostBytes) {
  SmallVector<cpu::LookUpBytesOp> found;
  for (Operation *op : ops)
    if (auto lookUp = dyn_cast<cpu::LookUpBytesOp>(op))
      found.push_back(lookUp);
  // The number of look-ups of each vector.
  const auto stride = static_cast<int64_t>(found.size()) / vectors;
  for (int64_t number = 0; number < stride; ++number) {
    SmallVector<cpu::LookUpBytesOp> same;
    for (int64_t vector = 0; vector < vectors; ++vector)
      same.push_back(found[vector * stride + number]);
    assert(llvm::all_equal(llvm::map_range(
               same, [](cpu::LookUpBytesOp op) { return op.getTable(); })) &&
           "vectors are computed by the same ops");
    ArrayRef<cpu::LookUpBytesOp> rest = same;
    while (rest.size() > 1) {
      const auto most = std::max<int64_t>(mostBytes / countBytes(same[0]), 1);
      const auto size = static_cast<size_t>(
          std::min<int64_t>(most, llvm::bit_floor(rest.size())));
      if (size == 1)
        break;
      merge(rest.take_front(size));
      rest = rest.drop_front(size);
    }
  }
}

} // namespace tandem
