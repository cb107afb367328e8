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

#include "Mutation/ByteFaults.h"
#include "Mutation/RoundingFaults.h"

#include "tandem/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>

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

/// A fault spoils one of the places in `body` that it applies to: place number
/// `place`, counted from 0. It returns false if there are fewer places. A fault
/// that spoils all places at once has only place 0.
using Fault = bool (*)(LLVM::LLVMFuncOp body, size_t place);

/// The value operands of all stores to results.
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
bool zeroResults(LLVM::LLVMFuncOp body, size_t place) {
  SmallVector<OpOperand *> stored = collectStored(body);
  for (OpOperand *operand : stored)
    setZero(*operand);
  return !stored.empty() && place == 0;
}

/// Zeros are stored in place of the values of one of several stores, counted
/// from the last one: a tile, an edge or a tail.
bool zeroLastStore(LLVM::LLVMFuncOp body, size_t place) {
  SmallVector<OpOperand *> stored = collectStored(body);
  if (stored.size() < 2 || place >= stored.size())
    return false;
  setZero(*stored.end()[-1 - static_cast<ptrdiff_t>(place)]);
  return true;
}

/// The lanes of a vector that is stored are in reverse.
bool reverseLanes(LLVM::LLVMFuncOp body, size_t place) {
  SmallVector<OpOperand *> stored = collectStored(body);
  llvm::erase_if(stored, [](OpOperand *operand) {
    auto type = dyn_cast<VectorType>(operand->get().getType());
    return !type || type.getNumElements() < 2;
  });
  if (place >= stored.size())
    return false;
  Value value = stored[place]->get();
  Operation *store = stored[place]->getOwner();
  int64_t count = cast<VectorType>(value.getType()).getNumElements();
  auto lanes =
      llvm::to_vector_of<int32_t>(llvm::reverse(llvm::seq<int64_t>(count)));
  OpBuilder builder(store);
  stored[place]->set(LLVM::ShuffleVectorOp::create(builder, store->getLoc(),
                                                   value, value, lanes));
  return true;
}

/// The last iteration of loop number `place` is left out.
bool shorten(ArrayRef<scf::ForOp> loops, size_t place) {
  if (place >= loops.size())
    return false;
  scf::ForOp loop = loops[place];
  OpBuilder builder(loop);
  loop.getUpperBoundMutable().assign(arith::SubIOp::create(
      builder, loop.getLoc(), loop.getUpperBound(), loop.getStep()));
  return true;
}

/// The last iteration of each range of an outermost loop is left out.
bool dropTask(LLVM::LLVMFuncOp body, size_t place) {
  return shorten(llvm::to_vector(body.getBody().front().getOps<scf::ForOp>()),
                 place);
}

/// The last iteration of a loop that sums is left out, counted from the last
/// loop: a tap, an input, or the last elements of a row.
bool dropStep(LLVM::LLVMFuncOp body, size_t place) {
  auto loops = llvm::to_vector(llvm::reverse(collect<scf::ForOp>(body)));
  llvm::erase_if(loops, [](auto loop) { return loop.getNumResults() == 0; });
  return shorten(loops, place);
}

/// The last iteration of an inner loop that does not sum is left out: a row, a
/// position, a vector.
bool dropRow(LLVM::LLVMFuncOp body, size_t place) {
  auto loops = collect<scf::ForOp>(body);
  llvm::erase_if(loops, [](scf::ForOp loop) {
    return loop.getNumResults() > 0 || !loop->getParentOfType<scf::ForOp>();
  });
  return shorten(loops, place);
}

/// One product of many is not added, or those of one instruction on bytes.
bool dropProduct(LLVM::LLVMFuncOp body, size_t place) {
  auto products = collect<LLVM::FMulAddOp>(body);
  if (place >= products.size())
    return dropByteProducts(body, place - products.size());
  products[place].replaceAllUsesWith(products[place].getC());
  return true;
}

/// Whether `op` loads an element, a vector, or a tile register of AMX.
bool isLoad(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return call.getIntrin().contains("tileload");
  return isa<LLVM::LoadOp, LLVM::MaskedLoadOp>(op);
}

/// Whether `element` is the address of an element that is loaded from an
/// operand at a computed index.
bool isLoadedElement(LLVM::GEPOp element) {
  return isOperand(element.getBase()) &&
         llvm::any_of(element->getUsers(), isLoad) &&
         element.getDynamicIndices().size() == 1 &&
         element.getDynamicIndices()[0].getType().isInteger(64);
}

/// The neighbor of an element is loaded in its place.
bool shiftLoad(LLVM::LLVMFuncOp body, size_t place) {
  auto elements = collect<LLVM::GEPOp>(body);
  llvm::erase_if(elements, std::not_fn(isLoadedElement));
  if (place >= elements.size())
    return false;
  LLVM::GEPOp element = elements[place];
  OpBuilder builder(element);
  Value one = arith::ConstantOp::create(builder, element.getLoc(),
                                        builder.getI64IntegerAttr(1));
  element.getDynamicIndicesMutable().assign(
      arith::XOrIOp::create(builder, element.getLoc(),
                            element.getDynamicIndices()[0], one)
          .getResult());
  return true;
}

/// Finds the masked stores of results; they write the tails of loops.
auto collectTailStores(LLVM::LLVMFuncOp body) {
  auto stores = collect<LLVM::MaskedStoreOp>(body);
  llvm::erase_if(stores, [](auto store) { return !isResult(store.getData()); });
  return stores;
}

/// Lanes of a tail are not written.
bool closeMask(LLVM::LLVMFuncOp body, size_t place) {
  auto stores = collectTailStores(body);
  for (LLVM::MaskedStoreOp store : stores)
    setZero(store.getMaskMutable());
  return !stores.empty() && place == 0;
}

/// The last lane of each tail is not written.
bool narrowMask(LLVM::LLVMFuncOp body, size_t place) {
  auto stores = collectTailStores(body);
  if (place >= stores.size())
    return false;
  LLVM::MaskedStoreOp store = stores[place];
  OpBuilder builder(store);
  Location loc = store.getLoc();
  Value mask = store.getMask();
  auto type = cast<VectorType>(mask.getType());
  Value closed =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  // A lane stays open if the next one is.
  auto next = llvm::to_vector_of<int32_t>(
      llvm::seq<int64_t>(1, type.getNumElements() + 1));
  Value followed =
      LLVM::ShuffleVectorOp::create(builder, loc, mask, closed, next);
  store.getMaskMutable().assign(
      arith::AndIOp::create(builder, loc, mask, followed).getResult());
  return true;
}

constexpr std::pair<StringLiteral, Fault> kFaults[] = {
    {"zero-results", zeroResults},     {"zero-last-store", zeroLastStore},
    {"reverse-lanes", reverseLanes},   {"drop-task", dropTask},
    {"drop-step", dropStep},           {"drop-row", dropRow},
    {"drop-product", dropProduct},     {"shift-load", shiftLoad},
    {"close-mask", closeMask},         {"narrow-mask", narrowMask},
    {"skip-rounding", skipRounding},   {"saturate", saturate},
    {"overflow-early", overflowEarly}, {"flush-subnormals", flushSubnormals},
    {"round-coarsely", roundCoarsely}, {"saturate-products", saturateProducts},
    {"swap-sign", swapSign},
};

Fault findFault(StringRef name) {
  for (auto [known, fault] : kFaults)
    if (known == name)
      return fault;
  return nullptr;
}

std::string faultNames() {
  std::string names;
  for (auto [name, fault] : kFaults)
    names += (names.empty() ? "" : ", ") + name.str();
  return names;
}

/// Spoils all bodies of the module; returns whether any was spoiled.
bool spoil(ModuleOp module, Fault fault, size_t place) {
  bool isSpoilt = false;
  for (auto body : module.getOps<LLVM::LLVMFuncOp>())
    isSpoilt |= body.getName().ends_with(".body") && fault(body, place);
  return isSpoilt;
}

/// Returns the data type of the kernel's first result.
std::string getDType(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(kDTypeAttrName);
  return name ? name.str() : "";
}

struct MutateKernelPass : impl::MutateKernelBase<MutateKernelPass> {
  using MutateKernelBase::MutateKernelBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (mutant == "list")
      return success();
    StringRef rest = mutant, number;
    std::tie(form, rest) = rest.split(':');
    std::tie(dtype, rest) = rest.split(':');
    std::tie(rest, number) = rest.split('@');
    fault = findFault(rest);
    if (!fault)
      return emitError(UnknownLoc::get(context))
             << "no fault '" << mutant << "': there are " << faultNames();
    if (!number.empty() && number.getAsInteger(10, place))
      return emitError(UnknownLoc::get(context))
             << "no number of a place: '" << number << "'";
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto ofKernel = module->getAttrOfType<StringAttr>(kFormAttrName);
    if (!ofKernel)
      return;
    if (mutant == "list")
      return list(module, ofKernel.str() + ":" + getDType(module));
    if (ofKernel == form && getDType(module) == dtype &&
        spoil(module, fault, place))
      report();
  }

private:
  /// Once for a process, so that who runs a mutant knows that there was one.
  void report() const {
    static std::atomic<bool> isReported{false};
    if (!isReported.exchange(true))
      llvm::errs() << "mutant " << mutant << " is at work\n";
  }

  /// The mutants of a kernel that there are, up to place 3; once for a process,
  /// too.
  static void list(ModuleOp module, const std::string &kernel) {
    static std::mutex mutex;
    static auto &listed = *new std::set<std::string>;
    constexpr size_t kPlaces = 4;
    for (auto [name, fault] : kFaults)
      for (size_t place = 0; place < kPlaces; ++place) {
        OwningOpRef<ModuleOp> copy = module.clone();
        if (!spoil(*copy, fault, place))
          break;
        std::string of = kernel + ":" + name.str();
        if (place > 0)
          of += "@" + std::to_string(place);
        std::lock_guard lock(mutex);
        if (listed.insert(of).second)
          llvm::errs() << "mutant " << of << "\n";
      }
  }

  StringRef form, dtype;
  Fault fault = nullptr;
  size_t place = 0;
};

} // namespace
} // namespace tandem
