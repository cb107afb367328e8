//===- MutateKernel.cpp - tandem-cpu-mutate-kernel ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mutation testing (DeMillo, Lipton and Sayward, "Hints on Test Data
// Selection", IEEE Computer 11(4), 1978): a check that no wrong kernel fails
// checks nothing.
//
//===----------------------------------------------------------------------===//

#include "tandem/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>

using namespace mlir;

namespace tandem {
#define GEN_PASS_DEF_MUTATEKERNEL
#include "tandem/Target/CPU/Passes.h.inc"

namespace {

/// The argument of the body that `pointer` points into; null for memory of the
/// kernel's own.
BlockArgument findBuffer(Value pointer) {
  while (auto element = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = element.getBase();
  auto argument = dyn_cast<BlockArgument>(pointer);
  return argument && isa<LLVM::LLVMFuncOp>(argument.getOwner()->getParentOp())
             ? argument
             : nullptr;
}

/// Whether `pointer` is into a result (or an operand) of the kernel.
bool isInto(Value pointer, StringRef attribute) {
  BlockArgument buffer = findBuffer(pointer);
  if (!buffer)
    return false;
  auto body = cast<LLVM::LLVMFuncOp>(buffer.getOwner()->getParentOp());
  return bool(body.getArgAttr(buffer.getArgNumber(), attribute));
}

bool isResult(Value pointer) {
  return isInto(pointer, LLVM::LLVMDialect::getWriteOnlyAttrName());
}
bool isOperand(Value pointer) {
  return isInto(pointer, LLVM::LLVMDialect::getReadonlyAttrName());
}

/// Each spoils one place of `body`, or returns false where it has none such.
using Fault = bool (*)(LLVM::LLVMFuncOp body);

template <typename Op> SmallVector<Op> collect(LLVM::LLVMFuncOp body) {
  SmallVector<Op> ops;
  body.walk([&](Op op) { ops.push_back(op); });
  return ops;
}

/// Operands of all stores to results that are what is stored.
SmallVector<OpOperand *> collectStored(LLVM::LLVMFuncOp body) {
  SmallVector<OpOperand *> stored;
  body.walk([&](Operation *op) {
    if (auto store = dyn_cast<LLVM::StoreOp>(op);
        store && isResult(store.getAddr()))
      stored.push_back(&store.getValueMutable());
    if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op);
        store && isResult(store.getData()))
      stored.push_back(&store.getValueMutable());
  });
  return stored;
}

void setZero(OpOperand &operand) {
  OpBuilder builder(operand.getOwner());
  operand.set(
      arith::ConstantOp::create(builder, operand.getOwner()->getLoc(),
                                builder.getZeroAttr(operand.get().getType())));
}

/// All results are zeros.
bool zeroResults(LLVM::LLVMFuncOp body) {
  SmallVector<OpOperand *> stored = collectStored(body);
  for (OpOperand *operand : stored)
    setZero(*operand);
  return !stored.empty();
}

/// What one of several stores writes is zeros: a tile, an edge, a tail.
bool zeroLastStore(LLVM::LLVMFuncOp body) {
  SmallVector<OpOperand *> stored = collectStored(body);
  if (stored.size() < 2)
    return false;
  setZero(*stored.back());
  return true;
}

/// The lanes of a vector that is stored are in reverse.
bool reverseLanes(LLVM::LLVMFuncOp body) {
  for (OpOperand *operand : collectStored(body)) {
    auto type = dyn_cast<VectorType>(operand->get().getType());
    if (!type || type.getNumElements() < 2)
      continue;
    OpBuilder builder(operand->getOwner());
    SmallVector<int32_t> lanes;
    for (int32_t lane = type.getNumElements(); lane-- > 0;)
      lanes.push_back(lane);
    operand->set(
        LLVM::ShuffleVectorOp::create(builder, operand->getOwner()->getLoc(),
                                      operand->get(), operand->get(), lanes));
    return true;
  }
  return false;
}

bool shorten(scf::ForOp loop) {
  OpBuilder builder(loop);
  loop.getUpperBoundMutable().assign(arith::SubIOp::create(
      builder, loop.getLoc(), loop.getUpperBound(), loop.getStep()));
  return true;
}

/// The last iteration of each range of the outermost loop is left out.
bool dropTask(LLVM::LLVMFuncOp body) {
  for (auto loop : body.getBody().front().getOps<scf::ForOp>())
    return shorten(loop);
  return false;
}

/// The last iteration of the innermost loop that sums is left out: a tap, an
/// input, or the last elements of a row.
bool dropStep(LLVM::LLVMFuncOp body) {
  for (scf::ForOp loop : llvm::reverse(collect<scf::ForOp>(body)))
    if (loop.getNumResults() > 0)
      return shorten(loop);
  return false;
}

/// The last iteration of the innermost loop that does not sum is left out: a
/// row, a position, a vector.
bool dropRow(LLVM::LLVMFuncOp body) {
  for (scf::ForOp loop : collect<scf::ForOp>(body))
    if (loop.getNumResults() == 0 && loop->getParentOfType<scf::ForOp>())
      return shorten(loop);
  return false;
}

/// One product of many is not added.
bool dropProduct(LLVM::LLVMFuncOp body) {
  for (auto product : collect<LLVM::FMulAddOp>(body)) {
    product.replaceAllUsesWith(product.getC());
    return true;
  }
  return false;
}

/// The first element that is loaded is its neighbour.
bool shiftLoad(LLVM::LLVMFuncOp body) {
  for (auto element : collect<LLVM::GEPOp>(body)) {
    bool isLoaded = isOperand(element.getBase()) &&
                    llvm::any_of(element->getUsers(), [](Operation *user) {
                      return isa<LLVM::LoadOp, LLVM::MaskedLoadOp>(user);
                    });
    if (!isLoaded || element.getDynamicIndices().size() != 1)
      continue;
    OpBuilder builder(element);
    Value index = element.getDynamicIndices()[0];
    if (!index.getType().isInteger(64))
      continue;
    Value one = arith::ConstantOp::create(builder, element.getLoc(),
                                          builder.getI64IntegerAttr(1));
    element.getDynamicIndicesMutable().assign(
        arith::XOrIOp::create(builder, element.getLoc(), index, one)
            .getResult());
    return true;
  }
  return false;
}

/// Lanes of a tail are not written.
bool closeMask(LLVM::LLVMFuncOp body) {
  bool isSpoilt = false;
  body.walk([&](LLVM::MaskedStoreOp store) {
    if (!isResult(store.getData()))
      return;
    setZero(store.getMaskMutable());
    isSpoilt = true;
  });
  return isSpoilt;
}

Fault findFault(StringRef name) {
  return llvm::StringSwitch<Fault>(name)
      .Case("zero-results", zeroResults)
      .Case("zero-last-store", zeroLastStore)
      .Case("reverse-lanes", reverseLanes)
      .Case("drop-task", dropTask)
      .Case("drop-step", dropStep)
      .Case("drop-row", dropRow)
      .Case("drop-product", dropProduct)
      .Case("shift-load", shiftLoad)
      .Case("close-mask", closeMask)
      .Default(nullptr);
}

/// Of the kernel's first result.
std::string getDType(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(kDTypeAttrName);
  return name ? name.str() : "";
}

struct MutateKernelPass : impl::MutateKernelBase<MutateKernelPass> {
  using MutateKernelBase::MutateKernelBase;

  LogicalResult initialize(MLIRContext *context) override {
    StringRef rest = mutant;
    std::tie(form, rest) = rest.split(':');
    std::tie(dtype, rest) = rest.split(':');
    fault = findFault(rest);
    if (!fault)
      return emitError(UnknownLoc::get(context))
             << "no fault '" << rest
             << "': there are zero-results, zero-last-store, reverse-lanes, "
                "drop-task, drop-step, drop-row, drop-product, shift-load, "
                "close-mask";
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto ofKernel = module->getAttrOfType<StringAttr>(kFormAttrName);
    if (!ofKernel || ofKernel != form || getDType(module) != dtype)
      return;
    for (auto body : module.getOps<LLVM::LLVMFuncOp>())
      if (body.getName().ends_with(".body") && fault(body))
        report();
  }

private:
  /// Once for a process, so that who runs a mutant knows that there was one.
  void report() const {
    static std::atomic<bool> isReported{false};
    if (!isReported.exchange(true))
      llvm::errs() << "mutant " << mutant << " is at work\n";
  }

  StringRef form, dtype;
  Fault fault = nullptr;
};

} // namespace
} // namespace tandem
