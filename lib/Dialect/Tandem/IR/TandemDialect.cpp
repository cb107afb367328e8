//===- TandemDialect.cpp - The dialect and its attributes -----------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Dialect/Tandem/IR/TandemDialect.h"

#include "Folding.h"
#include "RelayoutedConstants.h"
#include "tandem/Dialect/Tandem/IR/TandemOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tandem::ir;

#include "tandem/Dialect/Tandem/IR/TandemDialect.cpp.inc"
#include "tandem/Dialect/Tandem/IR/TandemEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tandem/Dialect/Tandem/IR/TandemAttributes.cpp.inc"

namespace {

/// Every op may stand where its function was called.
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

} // namespace

void TandemDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tandem/Dialect/Tandem/IR/TandemOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tandem/Dialect/Tandem/IR/TandemAttributes.cpp.inc"
      >();
  addFolder(*this);
  addInterfaces<RelayoutedConstants, Inliner>();
}

void TandemDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  populateRefineResultTypes(patterns);
}

Operation *TandemDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type || !isTandemTensor(type))
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

static LogicalResult emitMisplacedDims(Operation *op) {
  return op->emitError() << "'" << TandemDialect::kDimsAttrName
                         << "' belongs on a function argument";
}

static LogicalResult emitMisplacedUpdate(Operation *op) {
  return op->emitError() << "'" << TandemDialect::kUpdatesAttrName
                         << "' belongs on a function result";
}

LogicalResult TandemDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  if (attr.getName() == kDimsAttrName)
    return emitMisplacedDims(op);
  if (attr.getName() == kUpdatesAttrName)
    return emitMisplacedUpdate(op);
  if (attr.getName() == kGradientAttrName &&
      (!isa<CustomCallOp>(op) || !isa<StringAttr>(attr.getValue())))
    return op->emitError() << "'" << kGradientAttrName
                           << "' is the target of a gradient on a custom_call";
  if (attr.getName() == kSizesAttrName)
    return success(succeeded(parseSymbolicSizes(op)));
  if (attr.getName() == kF16IntermediatesAttrName &&
      (!isa<FunctionOpInterface>(op) ||
       attr.getValue() != TypeAttr::get(Float32Type::get(op->getContext()))))
    return op->emitError() << "'" << kF16IntermediatesAttrName
                           << "' is the type f32 on a function";
  if (attr.getName() == kKernelAttrName &&
      (!isa<ModuleOp>(op) || !isa<UnitAttr>(attr.getValue())))
    return op->emitError() << "'" << kKernelAttrName
                           << "' is a unit attribute of modules";
  if (attr.getName() == kKindAttrName &&
      (!isa<ModuleOp>(op) || !isa<FusionKindAttr>(attr.getValue())))
    return op->emitError() << "'" << kKindAttrName
                           << "' is a fusion kind on a module";
  return success();
}

/// The dim names of an argument; null where it has none, or ill-formed ones.
static ArrayAttr getDimNames(FunctionOpInterface function, unsigned index) {
  auto names =
      function.getArgAttrOfType<ArrayAttr>(index, TandemDialect::kDimsAttrName);
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
  if (!names || !type || type.getRank() != static_cast<int64_t>(names.size()) ||
      !llvm::all_of(names, llvm::IsaPred<StringAttr>))
    return {};
  return names;
}

/// Checks that the dims of one name have one size in the arguments up to and
/// with `last`, as far as sizes are known.
static LogicalResult verifyDimSizes(FunctionOpInterface function,
                                    unsigned last) {
  llvm::StringMap<int64_t> sizes;
  for (unsigned i = 0; i <= last; ++i) {
    ArrayAttr names = getDimNames(function, i);
    if (!names)
      continue;
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[i]);
    for (auto [name, size] :
         llvm::zip(names.getAsRange<StringAttr>(), type.getShape())) {
      if (name.empty() || ShapedType::isDynamic(size))
        continue;
      auto [known, isNew] = sizes.try_emplace(name.getValue(), size);
      if (!isNew && known->second != size)
        return function->emitError()
               << "dim " << name << " has size " << size << " in argument #"
               << i << " and size " << known->second << " before";
    }
  }
  return success();
}

LogicalResult TandemDialect::verifyRegionArgAttribute(Operation *op,
                                                      unsigned regionIndex,
                                                      unsigned argIndex,
                                                      NamedAttribute attr) {
  if (attr.getName() == kUpdatesAttrName)
    return emitMisplacedUpdate(op);
  if (attr.getName() != kDimsAttrName)
    return success();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return emitMisplacedDims(op);
  if (!getDimNames(function, argIndex))
    return op->emitError() << "'" << kDimsAttrName << "' of argument #"
                           << argIndex
                           << " must be an array of one string per dim of "
                           << function.getArgumentTypes()[argIndex];
  // Once for all arguments, at the last one that has names: comparing each
  // argument with all before it takes long for functions of many arguments.
  for (unsigned i = function.getNumArguments(); i-- > argIndex + 1;)
    if (getDimNames(function, i))
      return success();
  return verifyDimSizes(function, argIndex);
}

/// Checks that result `index`, which has the attribute `tandem.updates`, names
/// an argument of its type that no earlier result names.
static LogicalResult verifyUpdate(FunctionOpInterface function, unsigned index,
                                  Attribute value) {
  const auto error = [&] {
    return function->emitError() << "'" << TandemDialect::kUpdatesAttrName
                                 << "' of result #" << index << ' ';
  };
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number || !number.getType().isSignlessInteger(64) ||
      number.getInt() < 0 || number.getInt() >= function.getNumArguments())
    return error() << "must be the number of an argument, as i64";
  const Type type = function.getResultTypes()[index],
             argument = function.getArgumentTypes()[number.getInt()];
  if (type != argument)
    return error() << "names argument #" << number.getInt() << " of type "
                   << argument << ", but the result is " << type;
  for (unsigned i = 0; i < index; ++i)
    if (function.getResultAttr(i, TandemDialect::kUpdatesAttrName) == value)
      return error() << "names argument #" << number.getInt()
                     << ", which result #" << i << " updates";
  return success();
}

LogicalResult TandemDialect::verifyRegionResultAttribute(Operation *op,
                                                         unsigned,
                                                         unsigned resultIndex,
                                                         NamedAttribute attr) {
  if (attr.getName() == kDimsAttrName)
    return emitMisplacedDims(op);
  if (attr.getName() != kUpdatesAttrName)
    return success();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return emitMisplacedUpdate(op);
  return verifyUpdate(function, resultIndex, attr.getValue());
}
