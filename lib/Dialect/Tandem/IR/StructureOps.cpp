//===- StructureOps.cpp - Fusions, launches, custom calls -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"

#include "tandem/Dialect/Tandem/IR/LibraryCall.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::ir;

//===----------------------------------------------------------------------===//
// fusion
//===----------------------------------------------------------------------===//

void FusionOp::build(OpBuilder &builder, OperationState &state,
                     TypeRange results, FusionKind kind, ValueRange inputs) {
  state.addTypes(results);
  state.addOperands(inputs);
  state.getOrAddProperties<Properties>().kind =
      FusionKindAttr::get(builder.getContext(), kind);
  Block &body = state.addRegion()->emplaceBlock();
  for (Value input : inputs)
    body.addArgument(input.getType(), input.getLoc());
}

YieldOp FusionOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

/// kind `(` %arg = %operand, ... `)` attr-dict `:` type region
void FusionOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyFusionKind(getKind());
  printRegionOperands(printer, getBody().getArguments(), getInputs());
  printTypesAndRegion(printer, *this, {getKindAttrName()});
}

ParseResult FusionOp::parse(OpAsmParser &parser, OperationState &result) {
  FusionKindAttr kind;
  RegionOperands inputs;
  if (parser.parseCustomAttributeWithFallback(kind, Type(), "kind",
                                              result.attributes) ||
      inputs.parse(parser) ||
      inputs.parseTypesAndRegion(parser, result,
                                 [](size_t, Type type) { return type; }))
    return failure();
  ensureTerminator(*result.regions.front(), parser.getBuilder(),
                   result.location);
  return success();
}

LogicalResult FusionOp::verify() {
  if (getBody().getArgumentTypes() != getInputs().getTypes())
    return emitOpError("C1: the region's arguments must have the operands' "
                       "types");
  return success();
}

LogicalResult FusionOp::verifyRegions() {
  if (getYield().getValues().getTypes() != getResultTypes())
    return getYield().emitOpError("C2: the values must have the types of the "
                                  "fusion's results");
  for (Operation &op : getBody().front().without_terminator())
    if (!isMemoryEffectFree(&op))
      return op.emitOpError("C3: an op in a fusion must be pure");
  if (getKind() == FusionKind::library)
    if (Expected<LibraryCall> call = describeLibraryCall(*this); !call)
      return emitOpError("C4: a fusion of kind library must be a contraction "
                         "with its epilogue, but ")
             << call.error().message;
  return success();
}

//===----------------------------------------------------------------------===//
// launch
//===----------------------------------------------------------------------===//

/// Whether an operand or a result of a launch may have the type `type` if the
/// kernel's function has the type `inKernel` for it. The types are equal, or
/// integers of the kernel are signless: a kernel that is lowered to linalg has
/// signless integers only.
static bool isTypeInKernel(Type inKernel, Type type) {
  if (inKernel == type)
    return true;
  auto tensor = cast<RankedTensorType>(type);
  auto element = dyn_cast<IntegerType>(tensor.getElementType());
  return element && inKernel == tensor.clone(IntegerType::get(
                                    type.getContext(), element.getWidth()));
}

/// Checks C2 if the arguments of the kernel's function are tensors. Later
/// passes replace the function by one without tensors, whose types are not
/// compared.
static LogicalResult verifyKernelTypes(LaunchOp op, ModuleOp kernel) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(
      SymbolTable::lookupSymbolIn(kernel, op.getKernel()));
  if (!function || !llvm::all_of(function.getArgumentTypes(),
                                 llvm::IsaPred<RankedTensorType>))
    return success();
  if (function.getResultTypes().empty() ||
      (llvm::equal(function.getArgumentTypes(), op.getOperandTypes(),
                   isTypeInKernel) &&
       llvm::equal(function.getResultTypes(), op.getResultTypes(),
                   isTypeInKernel)))
    return success();
  return op.emitOpError("C2: operands and results must have the types of ")
         << "kernel " << op.getKernelAttr();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<ModuleOp>(*this, getKernelAttr());
  if (!kernel || !kernel->hasAttr(TandemDialect::kKernelAttrName))
    return emitOpError("C1: ")
           << getKernelAttr() << " is not a module with the attribute '"
           << TandemDialect::kKernelAttrName << "'";
  return verifyKernelTypes(*this, kernel);
}

//===----------------------------------------------------------------------===//
// custom_call
//===----------------------------------------------------------------------===//

OpDesc CustomCallOp::getOpDesc() {
  fb::CustomCallAttrsT attrs;
  attrs.target = getTarget();
  attrs.config = getConfig();
  for (Type type : getResultTypes())
    attrs.results.push_back(std::make_unique<fb::TensorTypeT>(
        toFlat(toTandemType(cast<RankedTensorType>(type)))));
  OpDesc desc;
  desc.kind = OpKind::custom_call;
  desc.attrs.Set(std::move(attrs));
  return desc;
}

LogicalResult CustomCallOp::verify() {
  if (getTarget().empty())
    return emitOpError("C1: the target must not be empty");
  if (getNumResults() == 0)
    return emitOpError("C2: there must be at least one result");
  return success();
}
