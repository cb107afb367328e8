//===- TandemInterfaces.cpp - Shared parts of the interfaces --------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/SymbolicSizes.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tandem;
using namespace tandem::ir;

#include "tandem/Dialect/Tandem/IR/TandemInterfaces.cpp.inc"

/// The operand types as the shape rules know them; a failure, with an error at
/// `location`, for a type that is not a Tandem tensor (a parser may ask before
/// anything is verified).
static FailureOr<SmallVector<tandem::TensorType>>
convertTypes(std::optional<Location> location, ValueRange operands) {
  SmallVector<tandem::TensorType> types;
  for (Type type : operands.getTypes()) {
    if (!isTandemTensor(type))
      return emitOptionalError(location, "type ", type,
                               " is not a tensor that Tandem supports");
    types.push_back(toTandemType(cast<RankedTensorType>(type)));
  }
  return types;
}

static FailureOr<std::vector<tandem::TensorType>>
infer(std::optional<Location> location, const OpDesc &desc,
      ValueRange operands) {
  auto types = convertTypes(location, operands);
  if (failed(types))
    return failure();
  Expected<std::vector<tandem::TensorType>> results = inferTypes(desc, *types);
  if (!results)
    return emitOptionalError(location, results.error().message);
  return std::move(*results);
}

LogicalResult ir::detail::inferResultTypes(std::optional<Location> location,
                                           const OpDesc &desc,
                                           ValueRange operands,
                                           SmallVectorImpl<Type> &inferred) {
  auto results = infer(location, desc, operands);
  if (failed(results))
    return failure();
  MLIRContext *context =
      operands.empty() ? location->getContext() : operands[0].getContext();
  for (const tandem::TensorType &result : *results)
    inferred.push_back(toMlirType(context, result));
  return success();
}

bool ir::detail::areCompatible(TypeRange inferred, TypeRange declared) {
  return succeeded(verifyCompatibleShapes(inferred, declared)) &&
         llvm::equal(inferred, declared, [](Type lhs, Type rhs) {
           return getElementTypeOrSelf(lhs) == getElementTypeOrSelf(rhs);
         });
}

/// Verifies one result of an op, for which the shape rule gives `inferred`.
static LogicalResult verifyResult(TandemOpInterface op, OpResult result,
                                  const tandem::TensorType &inferred) {
  Type declared = result.getType();
  // The usual case, for which no type need be made.
  if (isTandemTensor(declared) &&
      toTandemType(cast<RankedTensorType>(declared)) == inferred)
    return success();
  Type type = toMlirType(op->getContext(), inferred);
  if (ir::detail::areCompatible(type, declared))
    return success();
  return op->emitOpError("result type ")
         << declared << " does not fit the inferred type " << type;
}

LogicalResult ir::detail::verifyResultTypes(TandemOpInterface op) {
  if (failed(verifyUnknownSizes(op)))
    return failure();
  auto inferred = infer(op.getLoc(), op.getOpDesc(), op->getOperands());
  if (failed(inferred))
    return failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), *inferred))
    if (failed(verifyResult(op, result, type)))
      return failure();
  return success();
}

FailureOr<OpCost> ir::detail::getCost(TandemOpInterface op) {
  auto operands = convertTypes(std::nullopt, op->getOperands());
  auto results = convertTypes(std::nullopt, op->getResults());
  if (failed(operands) || failed(results) || results->empty())
    return failure();
  auto isStatic = [](const tandem::TensorType &type) {
    return type.isStatic();
  };
  if (!llvm::all_of(*operands, isStatic) || !llvm::all_of(*results, isStatic))
    return failure();
  return cost(op.getOpDesc(), *operands, results->front());
}

AffineMap ir::detail::getBroadcastIndexing(Operation *op, unsigned operand) {
  auto from = cast<RankedTensorType>(op->getOperand(operand).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  // An op with one operand does not broadcast it.
  bool isAlone = op->getNumOperands() == 1;
  MLIRContext *context = op->getContext();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < from.getRank(); ++i) {
    int64_t resultDim = i + to.getRank() - from.getRank();
    int64_t size = from.getDimSize(i);
    if (isAlone ||
        (size == to.getDimSize(resultDim) && !ShapedType::isDynamic(size)))
      exprs.push_back(getAffineDimExpr(resultDim, context));
    else if (size == 1)
      exprs.push_back(getAffineConstantExpr(0, context));
    else
      return {};
  }
  return AffineMap::get(to.getRank(), 0, exprs, context);
}
