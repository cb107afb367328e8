//===- Node.cpp - A node that is being imported ---------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/Node.h"

#include "tandem/Dialect/Tandem/IR/TandemTypes.h"
#include "tandem/Target/Program/ConstantEvaluation.h"

using namespace mlir;
using llvm::Twine;

namespace tandem::onnx {

Node::Node(ImportState &state, const proto::NodeProto &proto, int64_t opset)
    : context(state), node(proto), version(opset),
      loc(state.location(!proto.name().empty() ? proto.name()
                         : proto.output_size() ? proto.output(0)
                                               : proto.op_type())) {}

void Node::error(const Twine &message, const Twine &hint) {
  if (failed)
    return;
  failed = true;
  InFlightDiagnostic diagnostic = emitError(loc)
                                  << node.op_type() << ": " << message;
  if (!hint.isTriviallyEmpty())
    diagnostic.attachNote(UnknownLoc::get(loc.getContext())) << hint;
}

bool Node::require(bool condition, const Twine &message) {
  if (!condition)
    error(message);
  return condition;
}

bool Node::requireSizes(ArrayRef<int64_t> sizes, int64_t least,
                        const Twine &message) {
  return require(llvm::all_of(sizes,
                              [&](int64_t size) {
                                return size >= least && size < kMaxSize;
                              }),
                 message);
}

bool Node::requireRank(const Twine &what, int64_t rank, int64_t wanted) {
  return require(rank == wanted,
                 what + " has " + Twine(rank) +
                     (rank == 1 ? " dim, not " : " dims, not ") +
                     Twine(wanted));
}

bool Node::requireCount(const Twine &what, int64_t count, int64_t wanted) {
  return require(count == wanted,
                 what + " has " + Twine(count) +
                     (count == 1 ? " element, not " : " elements, not ") +
                     Twine(wanted));
}

bool Node::requireTable(int64_t count) {
  return require(count <= kMaxTableElements,
                 "needs a table of " + Twine(count) + " elements; at most " +
                     Twine(kMaxTableElements) + " are supported");
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const proto::AttributeProto *Node::find(StringRef name) const {
  for (const proto::AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

const proto::AttributeProto *
Node::find(StringRef name, proto::AttributeProto::AttributeType type) {
  const proto::AttributeProto *attribute = find(name);
  if (!attribute || attribute->type() == type)
    return attribute;
  error("attribute '" + name + "' is not of type " +
        proto::AttributeProto::AttributeType_Name(type));
  return nullptr;
}

int64_t Node::getInt(StringRef name, int64_t otherwise) {
  const auto *attribute = find(name, proto::AttributeProto::INT);
  return attribute ? attribute->i() : otherwise;
}

double Node::getFloat(StringRef name, double otherwise) {
  const auto *attribute = find(name, proto::AttributeProto::FLOAT);
  return attribute ? attribute->f() : otherwise;
}

std::string Node::getString(StringRef name, StringRef otherwise) {
  const auto *attribute = find(name, proto::AttributeProto::STRING);
  return attribute ? attribute->s() : otherwise.str();
}

Type Node::getType(StringRef name, int64_t otherwise) {
  Expected<DType> dtype = convertDType(getInt(name, otherwise));
  if (dtype)
    return ir::toMlirType(loc.getContext(), *dtype);
  error(dtype.error().message);
  return Float32Type::get(loc.getContext());
}

Ints Node::getInts(StringRef name, Ints otherwise) {
  const auto *attribute = find(name, proto::AttributeProto::INTS);
  if (!attribute)
    return otherwise;
  return Ints(attribute->ints().begin(), attribute->ints().end());
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

std::string Node::nameOf(unsigned i) const {
  std::string text = "operand " + std::to_string(i);
  return hasOperand(i) ? text + " ('" + node.input(i) + "')" : text;
}

bool Node::hasOperand(unsigned i) const {
  return i < numOperands() && !node.input(i).empty();
}

Value Node::valueOf(NamedValue &named, StringRef name) {
  if (named.value)
    return named.value;
  if (named.weight)
    return named.value =
               check(context.constant(context.location(name), *named.weight));
  if (!named.integers) {
    error(named.isRefused ? "reads a value that could not be imported"
                          : "reads a value that nothing computes");
    return {};
  }
  Ints elements = asConstants(named.integers->elements, "'" + name + "'");
  if (failed)
    return {};
  Type type = ir::toMlirType(loc.getContext(), named.integers->dtype);
  SmallVector<Attribute> attributes;
  for (int64_t element : elements)
    attributes.push_back(IntegerAttr::get(type, element));
  Ints shape;
  int64_t columns = named.integers->columns;
  if (!named.integers->isScalar)
    shape.push_back(elements.size() / std::max<int64_t>(columns, 1));
  if (columns > 0)
    shape.push_back(columns);
  return named.value = constant(DenseElementsAttr::get(
             RankedTensorType::get(shape, type), attributes));
}

Value Node::operand(unsigned i) {
  if (!hasOperand(i)) {
    error(nameOf(i) + " is missing");
    return {};
  }
  Value value = valueOf(named(i), node.input(i));
  const Type type = element(value);
  if (!value || !widens || !isa<Float16Type, BFloat16Type>(type))
    return value;
  if (!narrow)
    narrow = type;
  return cast(value, Float32Type::get(loc.getContext()));
}

SmallVector<Value> Node::operands() {
  SmallVector<Value> values;
  for (unsigned i = 0; i < numOperands(); ++i)
    values.push_back(operand(i));
  return values;
}

std::optional<Integers> Node::known(NamedValue &named) {
  if (named.integers)
    return named.integers;
  // Of a weight, only what is small and of integers is worth a constant.
  if (!named.value && named.weight) {
    Expected<TensorType> type = typeOf(*named.weight);
    if (!type || tandem::isFloat(type->dtype) ||
        type->shape.numElements() > kMaxKnownIntegers)
      return std::nullopt;
  }
  return readIntegers(valueOf(named, named.weight ? named.weight->name() : ""));
}

std::optional<Integers> Node::known(unsigned i) {
  return hasOperand(i) ? known(named(i)) : std::nullopt;
}

std::optional<Tensor> Node::elementsOf(Value value) {
  if (!value)
    return std::nullopt;
  Expected<std::optional<Tensor>> elements =
      evaluateConstant(value, kMaxEvaluatedBytes);
  if (elements)
    return *elements;
  error("needs the value of an operand that " + elements.error().message);
  return std::nullopt;
}

std::optional<Integers> Node::computed(NamedValue &named, StringRef name) {
  if (std::optional<Integers> integers = known(named))
    return integers;
  if (std::optional<Tensor> elements = elementsOf(valueOf(named, name)))
    named.integers = asIntegers(*elements);
  return named.integers;
}

std::optional<int64_t> Node::knownScalar(NamedValue &named) {
  std::optional<Integers> integers = computed(named, "value");
  if (!integers || integers->elements.size() != 1)
    return std::nullopt;
  return integers->elements[0].value();
}

Sizes Node::sizes(unsigned i) {
  if (!hasOperand(i)) {
    error(nameOf(i) + " is missing");
    return {};
  }
  std::optional<Integers> integers = computed(named(i), node.input(i));
  if (integers && integers->columns == 0)
    return integers->elements;
  const std::string what = nameOf(i) + " determines a shape, but ";
  Value value = integers ? Value() : valueOf(named(i), node.input(i));
  if (integers || rank(value) > 1)
    error(what + "has more than one dim");
  else if (isFloat(value))
    error(what + "is of floats");
  else
    error(what + "is not known",
          "it must be a constant, follow from constants or shapes, or be an "
          "input of at most " +
              Twine(ImportOptions::kMaxValues) +
              " integers whose value is given");
  return {};
}

Ints Node::asConstants(const Sizes &elements, const Twine &name) {
  Ints result;
  for (const Size &size : elements) {
    if (!size.value())
      error(name + " depends on the free dims " +
                context.describeFreeDims(elements),
            "give them sizes, as in --dim=NAME=8");
    result.push_back(size.value().value_or(1));
  }
  return result;
}

Ints Node::constants(unsigned i) { return asConstants(sizes(i), nameOf(i)); }

SmallVector<double> Node::numbers(unsigned i) {
  std::optional<Tensor> elements = elementsOf(operand(i));
  if (!elements)
    error(nameOf(i) + " must be a constant, follow from constants, or be an "
                      "input whose value is given");
  else if (requireTable(elements->shape().numElements()))
    return asNumbers(*elements);
  return {};
}

Ints Node::constantsOr(unsigned i, StringRef attribute, Ints otherwise) {
  return hasOperand(i) ? constants(i) : getInts(attribute, otherwise);
}

bool Node::isWanted(unsigned i) const {
  return i < static_cast<unsigned>(node.output_size()) &&
         !node.output(i).empty();
}

void Node::result(unsigned i, Value value) {
  if (check(value) && narrow && element(value).isF32())
    value = cast(value, narrow);
  if (isWanted(i))
    context.values[node.output(i)].value = value;
}

void Node::result(unsigned i, Integers integers) {
  if (isWanted(i))
    context.values[node.output(i)].integers = std::move(integers);
}

void Node::result(unsigned i, NamedValue named) {
  if (isWanted(i))
    context.values[node.output(i)] = std::move(named);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

RankedTensorType Node::type(Value value) const {
  return value ? cast<RankedTensorType>(value.getType())
               : RankedTensorType::get({}, Float32Type::get(loc.getContext()));
}

bool Node::isFloat(Value value) const { return isa<FloatType>(element(value)); }

Sizes Node::sizesOf(Value value) {
  return value ? context.sizesOf(value) : Sizes();
}

int64_t Node::dim(Value value, int64_t i) {
  if (i < 0 || i >= rank(value)) {
    error("an operand has fewer dims than the op needs");
    return 1;
  }
  Size size = sizesOf(value)[i];
  if (!size.value())
    error("needs the size of dim " + Twine(i) +
              ", which depends on the free "
              "dims " +
              context.describeFreeDims(size),
          "give them sizes, as in --dim=NAME=8");
  return size.value().value_or(1);
}

Ints Node::dims(Value value) {
  Ints result;
  for (int64_t i = 0; i < rank(value); ++i)
    result.push_back(dim(value, i));
  return failed ? Ints(result.size(), 1) : result;
}

int64_t Node::axis(int64_t value, int64_t rank) {
  if (!require(value >= -rank && value < rank, "axis " + Twine(value) +
                                                   " is not one of " +
                                                   Twine(rank) + " dims"))
    return 0;
  return value < 0 ? value + rank : value;
}

Ints Node::axes(Ints values, int64_t rank) {
  for (int64_t &value : values)
    value = axis(value, rank);
  return values;
}

} // namespace tandem::onnx
