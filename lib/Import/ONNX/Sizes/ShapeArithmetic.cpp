//===- ShapeArithmetic.cpp - Ops on shapes, computed at import ------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model/OpTable.h"
#include "Model/Ops.h"

#include "tandem/Dialect/Tandem/IR/TandemTypes.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tandem::onnx {
namespace {

/// The most elements that Range and ConstantOfShape are computed to have: more
/// are better made where they are read.
constexpr int64_t kMaxGrownElements = 64;

using Result = std::optional<Integers>;

/// Element i of a scalar or a vector that broadcasts to `count` elements.
const Size &at(const Integers &operand, size_t i) {
  return operand.elements[operand.elements.size() == 1 ? 0 : i];
}

/// The number of elements to which all broadcast; nothing where they do not.
std::optional<size_t> broadcast(ArrayRef<Integers> operands) {
  size_t count = 1;
  for (const Integers &operand : operands) {
    size_t size = operand.elements.size();
    if (size != 1 && count != 1 && size != count)
      return std::nullopt;
    count = size == 1 ? count : size;
  }
  return count;
}

/// An elementwise op whose result has the type of the last operand.
Result elementwise(ArrayRef<Integers> operands,
                   function_ref<std::optional<Size>(size_t)> compute) {
  std::optional<size_t> count = broadcast(operands);
  if (!count)
    return std::nullopt;
  Integers result;
  result.dtype = operands.back().dtype;
  result.isScalar = llvm::all_of(
      operands, [](const Integers &operand) { return operand.isScalar; });
  for (size_t i = 0; i < *count; ++i) {
    std::optional<Size> element = compute(i);
    if (!element)
      return std::nullopt;
    result.elements.push_back(*element);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Ops by name. Each has known operands.
//===----------------------------------------------------------------------===//

Result concat(Node &, ArrayRef<Integers> operands) {
  Integers result;
  result.dtype = operands[0].dtype;
  for (const Integers &operand : operands)
    llvm::append_range(result.elements, operand.elements);
  return result;
}

Result gather(Node &, ArrayRef<Integers> operands) {
  Integers result = operands[1];
  result.dtype = operands[0].dtype;
  for (Size &element : result.elements) {
    if (!element.value())
      return std::nullopt;
    int64_t index = *element.value();
    int64_t count = operands[0].elements.size();
    index += index < 0 ? count : 0;
    if (index < 0 || index >= count)
      return std::nullopt;
    element = operands[0].elements[index];
  }
  return result;
}

Result asVector(Node &, ArrayRef<Integers> operands) {
  if (!operands[0].isScalar)
    return std::nullopt;
  Integers result = operands[0];
  result.isScalar = false;
  return result;
}

Result asScalar(Node &, ArrayRef<Integers> operands) {
  if (operands[0].elements.size() != 1)
    return std::nullopt;
  return Integers{operands[0].elements, /*isScalar=*/true, operands[0].dtype};
}

Result identity(Node &, ArrayRef<Integers> operands) { return operands[0]; }

Result cast(Node &node, ArrayRef<Integers> operands) {
  Expected<DType> dtype = convertDType(node.getInt("to", 0));
  if (!dtype || (*dtype != DType::i64 && *dtype != DType::i32))
    return std::nullopt;
  Integers result = operands[0];
  result.dtype = *dtype;
  return result;
}

Result negate(Node &, ArrayRef<Integers> operands) {
  return elementwise(operands, [&](size_t i) {
    return findSizePredicate("Equal")(at(operands[0], i), Size(0));
  });
}

Result where(Node &, ArrayRef<Integers> operands) {
  return elementwise(operands, [&](size_t i) -> std::optional<Size> {
    std::optional<int64_t> condition = at(operands[0], i).value();
    if (!condition)
      return std::nullopt;
    return at(operands[*condition ? 1 : 2], i);
  });
}

Result reduceProduct(Node &node, ArrayRef<Integers> operands) {
  std::optional<Size> product = productOf(operands[0].elements);
  if (!product || operands.size() > 1)
    return std::nullopt;
  return Integers{
      {*product}, node.getInt("keepdims", 1) == 0, operands[0].dtype};
}

/// To a scalar, a vector or a matrix.
Result reshape(Node &node, ArrayRef<Integers> operands) {
  const Sizes &shape = operands[1].elements;
  if (shape.empty())
    return asScalar(node, operands);
  Integers result{operands[0].elements, /*isScalar=*/false, operands[0].dtype};
  int64_t count = result.elements.size();
  if (shape.size() == 1) {
    const Size size = shape[0];
    const bool fits =
        size == Size(-1) || size == Size(0) || size == Size(count);
    return fits ? Result(result) : std::nullopt;
  }
  int64_t rows = shape[0].value().value_or(0);
  int64_t columns = shape[1].value().value_or(0);
  if (columns == -1 && rows > 0)
    columns = count / rows;
  if (shape.size() > 2 || columns <= 0 || count == 0 || count % columns != 0 ||
      (rows != -1 && rows != count / columns))
    return std::nullopt;
  result.columns = columns;
  return result;
}

Result transpose(Node &node, ArrayRef<Integers> operands) {
  Integers result = operands[0];
  if (result.columns == 0 || result.elements.empty() ||
      node.getInts("perm", {1, 0}) != Ints{1, 0})
    return std::nullopt;
  int64_t rows = result.elements.size() / result.columns;
  for (auto [i, element] : llvm::enumerate(result.elements))
    element = operands[0].elements[(i % rows) * result.columns + i / rows];
  result.columns = rows;
  return result;
}

/// The numbers start, start + delta, … before limit.
Result range(Node &, ArrayRef<Integers> operands) {
  SmallVector<int64_t, 3> numbers;
  for (const Integers &operand : operands) {
    if (operand.elements.size() != 1 || !operand.elements[0].value())
      return std::nullopt;
    numbers.push_back(*operand.elements[0].value());
  }
  if (numbers.size() != 3 || numbers[2] == 0)
    return std::nullopt;
  Integers result;
  result.dtype = operands[0].dtype;
  int64_t next = numbers[0];
  while (numbers[2] > 0 ? next < numbers[1] : next > numbers[1]) {
    result.elements.push_back(Size(next));
    if (int64_t(result.elements.size()) > kMaxGrownElements ||
        llvm::AddOverflow(next, numbers[2], next))
      return std::nullopt;
  }
  return result;
}

using Evaluate = Result (*)(Node &, ArrayRef<Integers>);

Evaluate findEvaluation(StringRef op) {
  return llvm::StringSwitch<Evaluate>(op)
      .Case("Concat", concat)
      .Case("Gather", gather)
      .Case("Unsqueeze", asVector)
      .Case("Squeeze", asScalar)
      .Case("Identity", identity)
      .Case("Cast", cast)
      .Case("Where", where)
      .Case("Not", negate)
      .Case("Range", range)
      .Case("ReduceProd", reduceProduct)
      .Case("Reshape", reshape)
      .Case("Transpose", transpose)
      .Default(nullptr);
}

//===----------------------------------------------------------------------===//
// Ops of other operands
//===----------------------------------------------------------------------===//

/// The elements, or the rows of a matrix, start, start + step, … before `end`.
Result sliceElements(const Integers &data, int64_t start, int64_t end,
                     int64_t step) {
  int64_t width = std::max<int64_t>(data.columns, 1);
  int64_t count = data.elements.size() / width;
  if (step == 0)
    return std::nullopt;
  Integers result;
  result.dtype = data.dtype;
  result.columns = data.columns;
  for (int64_t i : sliceIndices(count, start, end, step))
    llvm::append_range(result.elements,
                       ArrayRef<Size>(data.elements).slice(i * width, width));
  return result;
}

/// Whether a Slice is of the first dim.
bool slicesRows(Node &node) {
  if (!node.hasOperand(3))
    return node.getInts("axes", {0}) == Ints{0};
  std::optional<Integers> axes = node.known(3);
  return axes && axes->elements == Sizes{Size(0)};
}

Result slice(Node &node) {
  std::optional<Integers> data = node.known(0);
  if (!data || data->isScalar || (data->columns > 0 && !slicesRows(node)))
    return std::nullopt;
  if (node.opset() < 10) {
    Ints starts = node.getInts("starts"), ends = node.getInts("ends");
    if (starts.size() != 1 || ends.size() != 1)
      return std::nullopt;
    return sliceElements(*data, starts[0], ends[0], 1);
  }
  SmallVector<int64_t, 3> numbers;
  for (unsigned i : {1, 2, 4}) {
    std::optional<Integers> operand = node.known(i);
    if (i == 4 && !node.hasOperand(i))
      operand = Integers{{Size(1)}};
    if (!operand || operand->elements.size() != 1 ||
        !operand->elements[0].value())
      return std::nullopt;
    numbers.push_back(*operand->elements[0].value());
  }
  return sliceElements(*data, numbers[0], numbers[1], numbers[2]);
}

/// Shape and Size, of any tensor.
Result shapeOf(Node &node) {
  Value value = node.operand(0);
  Sizes sizes = node.sizesOf(value);
  if (node.proto().op_type() == "Size") {
    std::optional<Size> product = productOf(sizes);
    return product ? Result(Integers{{*product}, true}) : std::nullopt;
  }
  int64_t rank = sizes.size();
  auto clamp = [&](int64_t index) {
    return std::clamp<int64_t>(index < 0 ? index + rank : index, 0, rank);
  };
  int64_t start = clamp(node.getInt("start", 0));
  int64_t end = clamp(node.getInt("end", rank));
  Integers result;
  for (int64_t i = start; i < end; ++i)
    result.elements.push_back(sizes[i]);
  return result;
}

/// A size per dim, and the value; larger tensors are constants of the function.
Result constantOfShape(Node &node) {
  std::optional<Integers> shape = node.known(0);
  const auto *attribute = node.find("value");
  if (!shape || shape->elements.size() != 1 || !attribute)
    return std::nullopt;
  std::optional<int64_t> count = shape->elements[0].value();
  Expected<TensorType> type = typeOf(attribute->t());
  if (!count || *count < 0 || *count > kMaxGrownElements || !type ||
      type->dtype != DType::i64)
    return std::nullopt;
  Expected<ir::ResourceMemory> bytes = node.state().file.read(attribute->t());
  if (!bytes || bytes->bytes.size() != sizeof(int64_t))
    return std::nullopt;
  int64_t value;
  std::memcpy(&value, bytes->bytes.data(), sizeof value);
  return Integers{Sizes(*count, Size(value))};
}

Result evaluate(Node &node) {
  StringRef op = node.proto().op_type();
  if (op == "Shape" || op == "Size")
    return shapeOf(node);
  if (op == "Slice")
    return slice(node);
  if (op == "ConstantOfShape")
    return constantOfShape(node);
  // Its remainders have another sign.
  if (op == "Mod" && node.getInt("fmod", 0))
    return std::nullopt;
  SizeFunction predicate = findSizePredicate(op);
  SizeFunction function = predicate ? predicate : findSizeFunction(op);
  Evaluate evaluation = findEvaluation(op);
  unsigned least = op == "Gather" || op == "Reshape" ? 2 : 1;
  least = op == "Where" ? 3 : least;
  if ((!function && !evaluation) || node.numOperands() < least)
    return std::nullopt;
  bool takesMatrices =
      op == "Reshape" || op == "Transpose" || op == "Cast" || op == "Identity";
  SmallVector<Integers> operands;
  for (unsigned i = 0; i < node.numOperands(); ++i) {
    std::optional<Integers> operand = node.known(i);
    if (!operand || (operand->columns > 0 && !takesMatrices))
      return std::nullopt;
    operands.push_back(std::move(*operand));
  }
  if (evaluation)
    return evaluation(node, operands);
  if (operands.size() != 2)
    return std::nullopt;
  Result result = elementwise(operands, [&](size_t i) {
    return function(at(operands[0], i), at(operands[1], i));
  });
  if (result && predicate)
    result->dtype = DType::i1;
  return result;
}

/// The parts of a vector, of which there may be several.
bool evaluateSplit(Node &node) {
  std::optional<Integers> data = node.known(0);
  int64_t parts = node.proto().output_size();
  bool isKnown = !node.hasOperand(1) || node.known(1);
  if (!data || data->isScalar || data->columns > 0 || parts == 0 || !isKnown)
    return false;
  int64_t count = data->elements.size(), part = llvm::divideCeil(count, parts);
  Ints sizes = node.constantsOr(1, "split", Ints(parts, part));
  if (!node.hasOperand(1) && !node.hasAttribute("split"))
    sizes.back() = count - part * (parts - 1);
  // The op's function says what is wrong.
  if (static_cast<int64_t>(sizes.size()) != parts ||
      llvm::any_of(sizes,
                   [&](auto size) { return size < 0 || size > count; }) ||
      llvm::sum_of(sizes) != count)
    return false;
  ArrayRef<Size> rest = data->elements;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    Integers taken{Sizes(rest.take_front(size)), false, data->dtype};
    rest = rest.drop_front(size);
    node.result(i, std::move(taken));
  }
  return true;
}

} // namespace

bool evaluateIntegers(Node &node) {
  if (!isDefaultDomain(node.proto().domain()))
    return false;
  if (node.proto().op_type() == "Split")
    return evaluateSplit(node);
  if (node.proto().output_size() != 1)
    return false;
  Result result = evaluate(node);
  if (!result || int64_t(result->elements.size()) > kMaxKnownIntegers ||
      !fits(*result))
    return false;
  node.result(0, std::move(*result));
  return true;
}

} // namespace tandem::onnx
