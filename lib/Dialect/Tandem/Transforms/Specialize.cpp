//===- Specialize.cpp - Static shapes for a signature ---------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/Transforms/Specialize.h"

#include "tandem/Dialect/Tandem/IR/SymbolicSizes.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Runtime/CustomCall.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tandem {
namespace {

class Specializer {
public:
  explicit Specializer(func::FuncOp function) : function(function) {}
  FailureOr<int64_t> run(ArrayRef<RankedTensorType> arguments);

private:
  /// The declared type with the given sizes filled in.
  FailureOr<SmallVector<int64_t>> mergeSizes(BlockArgument argument,
                                             RankedTensorType given);
  /// Fills in dims by name and sets the type.
  LogicalResult settle(BlockArgument argument, SmallVector<int64_t> sizes);
  LogicalResult recordNames(BlockArgument argument, ArrayRef<int64_t> sizes);
  StringRef dimName(BlockArgument argument, int64_t dim);

  LogicalResult inferBlock(Block &block);
  LogicalResult inferOp(Operation &op);
  LogicalResult inferFusion(ir::FusionOp fusion);
  LogicalResult inferLoop(ir::LoopOp loop);
  LogicalResult refine(OpResult result, Type inferred);
  /// The sizes of the dims that `tandem.sizes` may refer to.
  void collectSymbols();
  LogicalResult setFunctionType();

  struct NamedSize {
    int64_t size;
    unsigned argument;
  };

  func::FuncOp function;
  llvm::StringMap<NamedSize> sizeByName;
  SmallVector<int64_t> symbols;
  int64_t numRefined = 0;
};

StringRef Specializer::dimName(BlockArgument argument, int64_t dim) {
  auto names = function.getArgAttrOfType<ArrayAttr>(
      argument.getArgNumber(), ir::TandemDialect::kDimsAttrName);
  return names ? cast<StringAttr>(names[dim]).getValue() : StringRef();
}

InFlightDiagnostic argumentError(BlockArgument argument) {
  return emitError(argument.getLoc(), "argument #")
         << argument.getArgNumber() << ": ";
}

LogicalResult checkBytes(Location loc, RankedTensorType type) {
  if (Expected<int64_t> bytes = checkedBytes(ir::toTandemType(type)); !bytes)
    return emitError(loc, "the bytes of ") << type << " overflow";
  return success();
}

FailureOr<SmallVector<int64_t>>
Specializer::mergeSizes(BlockArgument argument, RankedTensorType given) {
  auto declared = dyn_cast<RankedTensorType>(argument.getType());
  if (!declared || !ir::isTandemTensor(declared))
    return argumentError(argument)
           << "only tensors can be specialized, not " << argument.getType();
  if (given.getElementType() != declared.getElementType() ||
      given.getRank() != declared.getRank())
    return argumentError(argument) << given << " does not fit " << declared;
  SmallVector<int64_t> sizes(declared.getShape());
  for (auto [dim, size] : llvm::enumerate(given.getShape())) {
    if (ShapedType::isDynamic(size))
      continue;
    if (size < 0)
      return argumentError(argument) << "dim " << dim << " is negative";
    if (!ShapedType::isDynamic(sizes[dim]) && sizes[dim] != size)
      return argumentError(argument)
             << "dim " << dim << " is " << size << ", but its type " << declared
             << " says " << sizes[dim];
    sizes[dim] = size;
  }
  return sizes;
}

LogicalResult Specializer::recordNames(BlockArgument argument,
                                       ArrayRef<int64_t> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    StringRef name = dimName(argument, dim);
    if (name.empty() || ShapedType::isDynamic(size))
      continue;
    auto [it, inserted] =
        sizeByName.try_emplace(name, NamedSize{size, argument.getArgNumber()});
    if (!inserted && it->second.size != size)
      return argumentError(argument)
             << "dim " << dim << " (\"" << name << "\") is " << size
             << ", but in argument #" << it->second.argument << " it is "
             << it->second.size;
  }
  return success();
}

LogicalResult Specializer::settle(BlockArgument argument,
                                  SmallVector<int64_t> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (!ShapedType::isDynamic(size))
      continue;
    StringRef name = dimName(argument, dim);
    auto known = sizeByName.find(name);
    if (name.empty() || known == sizeByName.end())
      return argumentError(argument)
             << "dim " << dim << " of " << argument.getType()
             << " has no size in the signature";
    size = known->second.size;
  }
  auto type = cast<RankedTensorType>(argument.getType()).clone(sizes);
  argument.setType(type);
  return checkBytes(argument.getLoc(), type);
}

LogicalResult Specializer::refine(OpResult result, Type inferred) {
  auto declared = cast<RankedTensorType>(result.getType());
  auto type = dyn_cast<RankedTensorType>(inferred);
  if (!type || failed(verifyCompatibleShape(declared, type)) ||
      type.getElementType() != declared.getElementType())
    return result.getOwner()->emitOpError("gives ")
           << inferred << " for these shapes, but is declared " << declared;
  if (!type.hasStaticShape())
    return result.getOwner()->emitOpError("gives ")
           << type << ", which is not static, for static operands";
  numRefined += type != declared;
  result.setType(type);
  return checkBytes(result.getLoc(), type);
}

LogicalResult Specializer::inferFusion(ir::FusionOp fusion) {
  Block &body = fusion.getBody().front();
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), fusion.getInputs()))
    argument.setType(input.getType());
  if (failed(inferBlock(body)))
    return failure();
  for (auto [result, value] :
       llvm::zip_equal(fusion->getResults(), fusion.getYield().getValues()))
    if (failed(refine(cast<OpResult>(result), value.getType())))
      return failure();
  return success();
}

LogicalResult Specializer::inferLoop(ir::LoopOp loop) {
  Block &body = loop.getBody().front();
  const size_t numCarried = loop.getCarried().size();
  if (failed(loop.verify())) // Scanned operands of different sizes.
    return failure();
  for (auto [i, operand] : llvm::enumerate(loop.getOperands())) {
    auto type = cast<RankedTensorType>(operand.getType());
    const bool isScanned =
        i >= numCarried && i < numCarried + loop.getScanned().size();
    body.getArgument(i).setType(
        isScanned ? type.clone(type.getShape().drop_front()) : type);
  }
  if (failed(inferBlock(body)))
    return failure();
  for (auto [i, value] : llvm::enumerate(loop.getYield().getValues())) {
    auto type = cast<RankedTensorType>(value.getType());
    if (i >= numCarried) {
      SmallVector<int64_t> shape{loop.countTrips()};
      llvm::append_range(shape, type.getShape());
      type = type.clone(shape);
    } else if (type != loop.getCarried()[i].getType()) {
      return loop.emitOpError("carries value ")
             << i << " on as " << type << " for these shapes, but it is "
             << loop.getCarried()[i].getType();
    }
    if (failed(refine(loop->getResult(i), type)))
      return failure();
  }
  return success();
}

/// Replaces those result types that have unknown dims by what the target's
/// function infers, where one is registered that does.
static LogicalResult inferCustomCallTypes(ir::CustomCallOp call,
                                          SmallVectorImpl<Type> &types) {
  std::vector<TensorType> operands;
  for (Type type : call.getOperandTypes())
    operands.push_back(ir::toTandemType(cast<RankedTensorType>(type)));
  const OpDesc desc = call.getOpDesc();
  Expected<std::vector<TensorType>> inferred =
      inferCustomCall(*desc.attrs.AsCustomCallAttrs(), operands);
  if (!inferred)
    return call.emitOpError(inferred.error().message);
  types.clear();
  for (const TensorType &type : *inferred)
    types.push_back(ir::toMlirType(call.getContext(), type));
  return success();
}

void Specializer::collectSymbols() {
  for (const ir::NamedDim &dim : ir::namedDims(function))
    symbols.push_back(sizeByName.lookup(dim.name).size);
}

LogicalResult Specializer::inferOp(Operation &op) {
  if (op.hasAttr(ir::TandemDialect::kSizesAttrName) &&
      failed(ir::resolveSymbolicSizes(&op, symbols)))
    return failure();
  if (auto fusion = dyn_cast<ir::FusionOp>(op))
    return inferFusion(fusion);
  if (auto loop = dyn_cast<ir::LoopOp>(op))
    return inferLoop(loop);
  SmallVector<Type> types(op.getResultTypes());
  if (auto inferable = dyn_cast<InferTypeOpInterface>(op)) {
    types.clear();
    if (failed(inferable.inferReturnTypes(
            op.getContext(), op.getLoc(), op.getOperands(),
            op.getAttrDictionary(), op.getPropertiesStorage(), op.getRegions(),
            types)))
      return failure();
  } else if (auto call = dyn_cast<ir::CustomCallOp>(op);
             call && failed(inferCustomCallTypes(call, types))) {
    return failure();
  }
  for (auto [result, type] : llvm::zip_equal(op.getResults(), types))
    if (!isa<RankedTensorType>(result.getType()) ||
        failed(refine(result, type)))
      return isa<RankedTensorType>(result.getType())
                 ? failure()
                 : op.emitOpError("has a result that is no tensor");
  return success();
}

LogicalResult Specializer::inferBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(inferOp(op)))
      return failure();
  return success();
}

LogicalResult Specializer::setFunctionType() {
  Block &body = function.getBody().front();
  Operation *terminator = body.getTerminator();
  for (auto [index, declared, actual] : llvm::enumerate(
           function.getResultTypes(), terminator->getOperandTypes()))
    if (failed(verifyCompatibleShape(declared, actual)))
      return terminator->emitOpError("returns ")
             << actual << " for these shapes, but result #" << index << " of @"
             << function.getName() << " is declared " << declared;
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     terminator->getOperandTypes()));
  return success();
}

FailureOr<int64_t> Specializer::run(ArrayRef<RankedTensorType> given) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitOpError("must have a body of one block");
  if (given.size() != function.getNumArguments())
    return function.emitOpError("has ")
           << function.getNumArguments() << " arguments, but the signature "
           << given.size();
  SmallVector<SmallVector<int64_t>> sizes;
  for (auto [argument, type] :
       llvm::zip_equal(function.getArguments(), given)) {
    FailureOr<SmallVector<int64_t>> merged = mergeSizes(argument, type);
    if (failed(merged) || failed(recordNames(argument, *merged)))
      return failure();
    sizes.push_back(std::move(*merged));
  }
  for (auto [argument, shape] : llvm::zip_equal(function.getArguments(), sizes))
    if (failed(settle(argument, shape)))
      return failure();
  collectSymbols();
  if (failed(inferBlock(function.getBody().front())) ||
      failed(setFunctionType()))
    return failure();
  return numRefined;
}

} // namespace

FailureOr<int64_t> specialize(func::FuncOp function,
                              ArrayRef<RankedTensorType> arguments) {
  return Specializer(function).run(arguments);
}

} // namespace tandem
