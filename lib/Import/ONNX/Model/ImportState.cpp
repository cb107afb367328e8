//===- ImportState.cpp - What is known while a model is imported ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/ImportState.h"

#include "tandem/Dialect/Tandem/IR/TandemOps.h"
#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// The most elements of a constant that patterns may look at.
constexpr int64_t kMaxSmallElements = 64;

ElementsAttr makeElements(RankedTensorType type,
                          const ir::ResourceMemory &bytes, StringRef name) {
  if (type.getNumElements() > kMaxSmallElements) {
    // Its deleter is what holds the bytes.
    auto release = [owner = bytes.owner](void *, size_t, size_t) {};
    return DenseResourceElementsAttr::get(
        type, name,
        AsmResourceBlob(bytes.bytes, Allocator::kAlignment, std::move(release),
                        /*dataIsMutable=*/false));
  }
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes.bytes);
  SmallVector<bool> elements;
  for (char byte : bytes.bytes)
    elements.push_back(byte != 0);
  return DenseElementsAttr::get(type, ArrayRef<bool>(elements));
}

} // namespace

RankedTensorType toMlir(MLIRContext *context, const TensorType &type) {
  return ir::toMlirType(context, type);
}

StringRef whyNotAddressable(RankedTensorType type) {
  if (type.getRank() > kMaxRank)
    return "a tensor of more than 8 dims";
  return ir::isTandemTensor(type)
             ? "a tensor that is larger than memory can be"
             : "a tensor of elements that are not supported";
}

bool isAddressable(RankedTensorType type) {
  if (!ir::isTandemTensor(type))
    return false;
  TensorType known = ir::toTandemType(type);
  for (int i = 0; i < known.shape.rank(); ++i)
    if (known.shape[i] == kDynamic)
      known.shape[i] = 1;
  return checkedBytes(known).has_value();
}

Location ImportState::location(StringRef name) {
  Location place =
      FileLineColLoc::get(builder.getStringAttr(file.path()), 0, 0);
  return name.empty() ? place
                      : NameLoc::get(builder.getStringAttr(name), place);
}

Value ImportState::create(StringRef name, Location loc, ValueRange operands,
                          ArrayRef<NamedAttribute> attributes) {
  if (operands.empty() ||
      !llvm::all_of(operands, [](Value value) { return bool(value); }))
    return {};
  // The operand's type stands in for those of results until they are inferred.
  OperationState state(loc, name, operands, {}, attributes);
  const size_t numResults = state.name.hasTrait<OpTrait::OneResult>() ? 1
                            : state.name.hasTrait<OpTrait::NResults<3>::Impl>()
                                ? 3
                                : 2;
  state.types.assign(numResults, operands[0].getType());
  Operation *op = builder.create(state);
  SmallVector<Type> types;
  auto inferrable = cast<InferTypeOpInterface>(op);
  if (failed(inferrable.inferReturnTypes(
          op->getContext(), loc, op->getOperands(),
          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
          op->getRegions(), types))) {
    op->erase();
    return {};
  }
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  auto type = cast<RankedTensorType>(types[0]);
  bool isValid = isAddressable(type);
  if (!isValid)
    op->emitError(whyNotAddressable(type));
  if (!isValid || failed(op->getName().verifyInvariants(op))) {
    op->erase();
    return {};
  }
  SmallVector<Value> folded;
  Value result = op->getResult(0);
  if (succeeded(builder.tryFold(op, folded)) && !folded.empty()) {
    op->erase();
    return folded[0];
  }
  if (!cast<RankedTensorType>(result.getType()).hasStaticShape())
    for (OpResult each : op->getResults())
      sizes[each] = inferSizes(each);
  return result;
}

Value ImportState::constant(Location loc, ElementsAttr elements) {
  // A name may stand for it after the loop, too.
  OpBuilder::InsertionGuard guard(builder);
  if (outside.isSet())
    builder.restoreInsertionPoint(outside);
  return ir::ConstantOp::create(builder, loc, elements.getType(), elements);
}

Value ImportState::constant(Location loc, const proto::TensorProto &tensor) {
  Expected<TensorType> type = typeOf(tensor);
  Expected<ir::ResourceMemory> bytes =
      type ? file.read(tensor) : tl::unexpected(type.error());
  if (!bytes) {
    InFlightDiagnostic diagnostic = emitError(loc) << bytes.error().message;
    if (!bytes.error().hint.empty())
      diagnostic.attachNote(UnknownLoc::get(builder.getContext()))
          << bytes.error().hint;
    return {};
  }
  ElementsAttr elements =
      makeElements(toMlir(builder.getContext(), *type), *bytes, tensor.name());
  if (isa<DenseResourceElementsAttr>(elements))
    memory.push_back({bytes->bytes, bytes->owner});
  Value value = constant(loc, elements);
  if (isPacked(tensor))
    nibbles.insert(value);
  return value;
}

Size ImportState::freeDim(StringRef name) {
  auto known = name.empty() ? dimNames.end() : llvm::find(dimNames, name);
  auto number = static_cast<unsigned>(known - dimNames.begin());
  if (number == dimNames.size())
    dimNames.push_back(name.str());
  return Size::ofDim(number);
}

std::string ImportState::describeFreeDims(ArrayRef<Size> given) const {
  SmallVector<unsigned> numbers;
  for (const Size &size : given)
    llvm::append_range(numbers, size.freeDims());
  llvm::sort(numbers);
  numbers.erase(llvm::unique(numbers), numbers.end());
  std::string text;
  bool isDerived = false;
  for (unsigned number : numbers) {
    isDerived |= dimNames[number].empty();
    if (!dimNames[number].empty())
      text += (text.empty() ? "'" : ", '") + dimNames[number] + "'";
  }
  if (isDerived)
    text += text.empty() ? "sizes that follow from free dims"
                         : " and sizes that follow from free dims";
  return text;
}

} // namespace tandem::onnx
