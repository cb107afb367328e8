//===- KernelSignature.cpp - Destinations and a range ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_CPUKERNELSIGNATURE
#include "tandem/Target/CPU/Passes.h.inc"
} // namespace tandem

namespace {

/// Rewrites one function; keeps which ABI slot each argument is.
class SignatureRewriter {
public:
  explicit SignatureRewriter(func::FuncOp func)
      : func(func), builder(func.getContext()),
        numOperands(func.getNumArguments()) {}

  void run() {
    for (unsigned i = 0; i < numOperands; ++i)
      slots.push_back(i);
    for (unsigned i = 0; i < numOperands; ++i)
      splitViews(i);
    addDestinations();
    Type index = builder.getIndexType();
    func.getBody().addArguments({index, index}, {func.getLoc(), func.getLoc()});
    func.setType(builder.getFunctionType(func.getBody().getArgumentTypes(),
                                         TypeRange()));
    func.setResAttrsAttr(nullptr);
    func.setArgAttrsAttr(nullptr);
    func->setAttr(tandem::kAbiSlotsAttr, builder.getDenseI64ArrayAttr(slots));
  }

private:
  BlockArgument addArgument(Type type, int64_t slot) {
    slots.push_back(slot);
    return func.getBody().addArgument(type, func.getLoc());
  }

  /// Replaces collapse_shape and expand_shape of argument `i` by arguments.
  void splitViews(unsigned i) {
    llvm::SmallDenseMap<Type, Value> views;
    for (Operation *user :
         llvm::make_early_inc_range(func.getArgument(i).getUsers())) {
      if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
        continue;
      Value &view = views[user->getResult(0).getType()];
      if (!view)
        view = addArgument(user->getResult(0).getType(), i);
      user->getResult(0).replaceAllUsesWith(view);
      user->erase();
    }
  }

  /// The value before it got the shape of the result.
  static Value beforeReshape(Value value) {
    if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
      return expand.getSrc();
    if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
      return collapse.getSrc();
    return value;
  }

  void addDestinations() {
    auto terminator =
        cast<func::ReturnOp>(func.getBody().front().getTerminator());
    builder.setInsertionPoint(terminator);
    for (auto [i, result] : llvm::enumerate(terminator.getOperands())) {
      Value value = beforeReshape(result);
      auto type = cast<RankedTensorType>(value.getType());
      Value out =
          addArgument(MemRefType::get(type.getShape(), type.getElementType()),
                      numOperands + i);
      bufferization::MaterializeInDestinationOp::create(
          builder, terminator.getLoc(), TypeRange(), value, out,
          /*restrict=*/true, /*writable=*/true);
    }
    func::ReturnOp::create(builder, terminator.getLoc());
    terminator.erase();
  }

  func::FuncOp func;
  OpBuilder builder;
  unsigned numOperands;
  SmallVector<int64_t> slots;
};

struct KernelSignature : tandem::impl::CPUKernelSignatureBase<KernelSignature> {
  void runOnOperation() override { SignatureRewriter(getOperation()).run(); }
};

} // namespace
