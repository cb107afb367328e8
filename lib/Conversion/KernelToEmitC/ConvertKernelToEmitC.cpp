//===- ConvertKernelToEmitC.cpp - Mapped kernels to EmitC -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CTypes.h"
#include "Patterns.h"

#include "tandem/Conversion/KernelToEmitC/KernelToEmitC.h"

#include "mlir/Conversion/ArithToEmitC/ArithToEmitC.h"
#include "mlir/Conversion/SCFToEmitC/SCFToEmitC.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tandem {
#define GEN_PASS_DEF_CONVERTKERNELTOEMITC
#include "tandem/Conversion/KernelToEmitC/Passes.h.inc"
} // namespace tandem

using namespace mlir;
using namespace tandem::conversion;

/// Whether numbers of threads or positions in a tensor may pass 32 bits. The
/// last block and an unrolled access may point somewhat past the end.
static bool needsWideIndex(func::FuncOp kernel) {
  if (kernel->hasAttr("wide_index"))
    return true;
  constexpr int64_t limit =
      std::numeric_limits<int32_t>::max() - (int64_t(1) << 20);
  return llvm::any_of(kernel.getArgumentTypes(), [](Type type) {
    auto memory = dyn_cast<MemRefType>(type);
    return memory && memory.getNumElements() > limit;
  });
}

static TypeConverter makeTypeConverter() {
  TypeConverter converter;
  converter.addConversion([](Type type) -> std::optional<Type> {
    if (cTypeName(type).empty())
      return std::nullopt;
    return type;
  });
  converter.addConversion([](MemRefType type) -> std::optional<Type> {
    Type element = type.getElementType();
    if (cTypeName(element).empty())
      return std::nullopt;
    auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
    if (space && space.getValue() == gpu::AddressSpace::Private)
      return emitc::ArrayType::get(type.getShape(), element);
    return emitc::PointerType::get(element);
  });
  converter.addConversion([](VectorType type) -> std::optional<Type> {
    std::string element = cTypeName(type.getElementType());
    if (element.empty())
      return std::nullopt;
    return emitc::OpaqueType::get(type.getContext(), "pack4<" + element + ">");
  });
  return converter;
}

static LogicalResult convert(ModuleOp module) {
  bool wideIndex = false;
  module.walk(
      [&](func::FuncOp kernel) { wideIndex |= needsWideIndex(kernel); });
  MLIRContext *context = module.getContext();
  TypeConverter converter = makeTypeConverter();
  RewritePatternSet patterns(context);
  populateScalarPatterns(converter, patterns);
  populateMathPatterns(converter, patterns);
  populateMemoryPatterns(converter, patterns);
  populateArithToEmitCPatterns(converter, patterns);
  populateSCFToEmitCConversionPatterns(patterns, converter);
  // After upstream's, which would make it size_t: the latest counts.
  Type index = IntegerType::get(context, wideIndex ? 64 : 32);
  converter.addConversion([index](IndexType) { return index; });
  ConversionTarget target(*context);
  target.addLegalDialect<emitc::EmitCDialect>();
  target.addLegalOp<ModuleOp>();
  target.addIllegalDialect<arith::ArithDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return false; });
  return applyFullConversion(module, target, std::move(patterns));
}

/// Gives the arguments the types of the printed signature: a pointer that is
/// only read from is one to const, and no two overlap.
static void qualifyArguments(emitc::FuncOp kernel) {
  SmallVector<Type> types;
  for (BlockArgument argument : kernel.getArguments()) {
    auto pointer = cast<emitc::PointerType>(argument.getType());
    bool written = llvm::any_of(argument.getUsers(), [](Operation *user) {
      return llvm::any_of(user->getUsers(), [](Operation *access) {
        if (auto call = dyn_cast<emitc::CallOpaqueOp>(access))
          return call.getCallee() == "store4";
        return isa<emitc::AssignOp>(access);
      });
    });
    MLIRContext *context = kernel.getContext();
    std::string element =
        (written ? "" : "const ") + cTypeName(pointer.getPointee());
    for (Operation *user : argument.getUsers())
      if (isa<emitc::AddOp>(user))
        user->getResult(0).setType(
            emitc::PointerType::get(emitc::OpaqueType::get(context, element)));
    types.push_back(
        emitc::OpaqueType::get(context, element + "* __restrict__"));
    argument.setType(types.back());
  }
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), types, {}));
}

static void unrollShortLoops(emitc::FuncOp kernel) {
  kernel.walk([](emitc::ForOp loop) {
    auto bound = loop.getUpperBound().getDefiningOp<emitc::LiteralOp>();
    unsigned iterations;
    if (!bound || bound.getValue().getAsInteger(10, iterations) ||
        iterations > 16)
      return;
    OpBuilder builder(loop);
    emitc::VerbatimOp::create(builder, loop.getLoc(), "#pragma unroll",
                              ValueRange());
  });
}

namespace {

struct ConvertKernelToEmitC
    : tandem::impl::ConvertKernelToEmitCBase<ConvertKernelToEmitC> {
  void runOnOperation() override {
    if (failed(convert(getOperation())))
      return signalPassFailure();
    getOperation().walk([](emitc::FuncOp kernel) {
      qualifyArguments(kernel);
      unrollShortLoops(kernel);
      formStatements(kernel);
    });
    declareDeviceFunctions(getOperation());
  }
};

} // namespace
