//===- EmitLoopKernel.cpp - Elementwise kernels as linalg -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "KernelKinds.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tandem {

/// Emits the values of `roots`, all of one shape, as one linalg.generic.
static LogicalResult emitRoots(OpBuilder &builder, Location loc,
                               ArrayRef<OpOperand *> roots) {
  auto typeOf = [](OpOperand *root) {
    return cast<RankedTensorType>(root->get().getType());
  };
  ArrayRef<int64_t> shape = typeOf(roots.front()).getShape();
  SmallVector<int64_t> loops;
  ElementIndex index = addLoops(shape, loops, builder.getContext());
  GenericBuilder generic(builder, loc, loops);
  SmallVector<Value> elements;
  for (OpOperand *root : roots) {
    elements.push_back(generic.getEmitter().emit(root->get(), index));
    if (!elements.back())
      return failure();
  }
  LoopSpace space(loops);
  space.addReads(generic.getEmitter());
  space.merge();
  unsigned numLoops = space.getSizes().size();
  SmallVector<KernelResult> results;
  SmallVector<GenericBuilder::Output> outputs;
  for (auto [root, element] : llvm::zip(roots, elements)) {
    results.emplace_back(space, numLoops, index, typeOf(root));
    outputs.push_back({element, results.back().createInit(builder, loc),
                       results.back().getMap(), nullptr});
  }
  auto op = generic.create(space, numLoops, numLoops, outputs);
  for (auto [root, result, value] : llvm::zip(roots, results, op.getResults()))
    root->set(result.expand(builder, loc, value));
  return success();
}

LogicalResult emitLoopKernel(func::FuncOp kernel) {
  Operation *terminator = kernel.getBody().front().getTerminator();
  // Results of one shape share their loops.
  llvm::MapVector<ArrayRef<int64_t>, SmallVector<OpOperand *>> groups;
  for (OpOperand &operand : terminator->getOpOperands())
    groups[cast<RankedTensorType>(operand.get().getType()).getShape()]
        .push_back(&operand);
  OpBuilder builder(terminator);
  for (auto &[shape, roots] : groups)
    if (failed(emitRoots(builder, kernel.getLoc(), roots)))
      return failure();
  return success();
}

} // namespace tandem
