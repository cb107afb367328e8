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
  // Elements that C has no type of its own for are called by name.
  auto elementOf = [](ShapedType type) -> Type {
    Type element = type.getElementType();
    return isa<VectorType>(element)
               ? emitc::OpaqueType::get(element.getContext(),
                                        cTypeName(element))
               : element;
  };
  converter.addConversion([elementOf](MemRefType type) -> std::optional<Type> {
    if (cTypeName(type.getElementType()).empty())
      return std::nullopt;
    Type element = elementOf(type);
    // What is a thread's or a block's own is a variable or an array.
    if (!isa_and_present<gpu::AddressSpaceAttr>(type.getMemorySpace()))
      return emitc::PointerType::get(element);
    if (type.getRank() == 0)
      return emitc::LValueType::get(element);
    return emitc::ArrayType::get(type.getShape(), element);
  });
  converter.addConversion([](VectorType type) -> std::optional<Type> {
    std::string name = cTypeName(type);
    if (name.empty())
      return std::nullopt;
    return emitc::OpaqueType::get(type.getContext(), name);
  });
  return converter;
}

static LogicalResult convert(ModuleOp module) {
  complementErrorFunctions(module);
  fuseProducts(module);
  bool wideIndex = false;
  module.walk(
      [&](func::FuncOp kernel) { wideIndex |= needsWideIndex(kernel); });
  MLIRContext *context = module.getContext();
  TypeConverter converter = makeTypeConverter();
  RewritePatternSet patterns(context);
  populateScalarPatterns(converter, patterns);
  populateMathPatterns(converter, patterns);
  populateMemoryPatterns(converter, patterns);
  populateThreadPatterns(converter, patterns);
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
          return call.getCallee() == "store";
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

/// How often to unroll a loop; 0 for what the compiler thinks best, -1 for
/// wholly.
static int64_t unrollingOf(emitc::ForOp loop) {
  constexpr unsigned few = 16;
  if (auto count = loop->getAttrOfType<IntegerAttr>(kUnrollAttrName))
    return count.getInt();
  auto bound = loop.getUpperBound().getDefiningOp<emitc::LiteralOp>();
  unsigned iterations;
  bool isShort = bound && !bound.getValue().getAsInteger(10, iterations) &&
                 iterations <= few;
  return isShort ? -1 : 0;
}

static void unrollLoops(emitc::FuncOp kernel) {
  kernel.walk([](emitc::ForOp loop) {
    int64_t count = unrollingOf(loop);
    if (count == 0)
      return;
    OpBuilder builder(loop);
    std::string text = "#pragma unroll";
    if (count > 0)
      text += " " + std::to_string(count);
    emitc::VerbatimOp::create(builder, loop.getLoc(), text, ValueRange());
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
      unrollLoops(kernel);
      formStatements(kernel);
    });
    declareDeviceFunctions(getOperation());
  }
};

} // namespace
