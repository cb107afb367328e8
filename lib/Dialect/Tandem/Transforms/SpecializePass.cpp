//===- SpecializePass.cpp - tandem-specialize -----------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Passes.h"
#include "tandem/Dialect/Tandem/Transforms/Specialize.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tandem {
#define GEN_PASS_DEF_TANDEMSPECIALIZE
#include "tandem/Dialect/Tandem/Transforms/Passes.h.inc"
} // namespace tandem

using namespace mlir;

namespace tandem {
namespace {

/// Parses "1000x100x?" into sizes.
FailureOr<SmallVector<int64_t>> parseDims(StringRef text) {
  SmallVector<int64_t> sizes;
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t size = ShapedType::kDynamic;
    if (part != "?" && (part.getAsInteger(10, size) || size < 0))
      return failure();
    sizes.push_back(size);
  }
  return sizes;
}

struct SpecializePass : impl::TandemSpecializeBase<SpecializePass> {
  using TandemSpecializeBase::TandemSpecializeBase;

  void runOnOperation() override {
    auto target = getOperation().lookupSymbol<func::FuncOp>(function);
    if (!target) {
      reportMissing();
      return signalPassFailure();
    }
    FailureOr<SmallVector<RankedTensorType>> types = signature(target);
    if (failed(types))
      return signalPassFailure();
    if (failed(specialize(target, *types)))
      return signalPassFailure();
  }

private:
  void reportMissing();
  FailureOr<SmallVector<RankedTensorType>> signature(func::FuncOp target);
};

void SpecializePass::reportMissing() {
  // Not the op's own error, which would come with all of the module.
  InFlightDiagnostic error = emitError(getOperation().getLoc());
  error << "no function @" << function.getValue() << " among";
  for (auto other : getOperation().getOps<func::FuncOp>())
    error << " @" << other.getName();
}

FailureOr<SmallVector<RankedTensorType>>
SpecializePass::signature(func::FuncOp target) {
  if (shapes.size() > target.getNumArguments())
    return emitError(target.getLoc())
           << "@" << target.getName() << " has " << target.getNumArguments()
           << " arguments, but " << shapes.size() << " shapes are given";
  SmallVector<RankedTensorType> types;
  for (auto [index, type] : llvm::enumerate(target.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    Location loc = target.isExternal() ? target.getLoc()
                                       : target.getArgument(index).getLoc();
    if (!tensor)
      return emitError(loc, "argument #")
             << index << ": only tensors can be specialized, not " << type;
    StringRef text = index < shapes.size() ? StringRef(shapes[index]) : "";
    if (text.empty()) {
      types.push_back(tensor);
      continue;
    }
    FailureOr<SmallVector<int64_t>> sizes = parseDims(text);
    if (failed(sizes))
      return emitError(loc, "argument #")
             << index << ": '" << text << "' is no list of dims, as 1000x100x1";
    types.push_back(RankedTensorType::get(*sizes, tensor.getElementType()));
  }
  return types;
}

} // namespace
} // namespace tandem
