//===- Cases.cpp - Making and running ops in tests --------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "tandem/Runtime/Float16.h"

#include <cmath>
#include <cstring>

using namespace tandem;
using namespace tandem::test;

OpDesc test::makeOp(OpKind kind) {
  OpDesc op;
  op.kind = kind;
  return op;
}

Tensor test::emptyTensor(const TensorType &type) {
  Expected<Tensor> tensor = Tensor::allocate(type);
  if (!tensor)
    ADD_FAILURE() << tensor.error().str();
  return *tensor;
}

Tensor test::tensorOf(DType dtype, const Shape &shape,
                      const std::vector<double> &values) {
  Tensor tensor = emptyTensor({dtype, shape});
  for (size_t i = 0; i < values.size(); ++i)
    switch (dtype) {
    case DType::f32:
      tensor.as<float>()[i] = values[i];
      break;
    case DType::f64:
      tensor.as<double>()[i] = values[i];
      break;
    case DType::f16:
      tensor.as<F16>()[i] = F16(values[i]);
      break;
    case DType::bf16:
      tensor.as<BF16>()[i] = BF16(values[i]);
      break;
    case DType::i1:
      tensor.as<uint8_t>()[i] = values[i] != 0;
      break;
    case DType::i8:
      tensor.as<int8_t>()[i] = values[i];
      break;
    case DType::i32:
      tensor.as<int32_t>()[i] = values[i];
      break;
    case DType::i64:
      tensor.as<int64_t>()[i] = values[i];
      break;
    }
  return tensor;
}

static double valueAt(const Tensor &tensor, int64_t i) {
  switch (tensor.dtype()) {
  case DType::f32:
    return tensor.as<float>()[i];
  case DType::f64:
    return tensor.as<double>()[i];
  case DType::f16:
    return double(tensor.as<F16>()[i]);
  case DType::bf16:
    return double(tensor.as<BF16>()[i]);
  case DType::i1:
    return tensor.as<uint8_t>()[i];
  case DType::i8:
    return tensor.as<int8_t>()[i];
  case DType::i32:
    return tensor.as<int32_t>()[i];
  case DType::i64:
    return tensor.as<int64_t>()[i];
  }
  return 0;
}

std::vector<double> test::valuesOf(const Tensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.shape().numElements(); ++i)
    values.push_back(valueAt(tensor, i));
  return values;
}

static std::vector<TensorType> typesOf(const std::vector<Tensor> &tensors) {
  std::vector<TensorType> types;
  for (const Tensor &tensor : tensors)
    types.push_back(tensor.type());
  return types;
}

Expected<Tensor> test::run(const Provider &provider, const OpDesc &op,
                           const std::vector<Tensor> &operands) {
  const std::vector<TensorType> types = typesOf(operands);
  TANDEM_ASSIGN_OR_RETURN(const TensorType result, inferType(op, types));
  TANDEM_ASSIGN_OR_RETURN(const std::unique_ptr<PreparedOp> prepared,
                          provider.prepare(op, types, std::span(&result, 1)));
  TANDEM_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(result));
  // What is not written shows.
  std::memset(tensor.data(), result.dtype == DType::i1 ? 1 : 0xA5,
              result.bytes());
  MemoryScope memory;
  TANDEM_RETURN_IF_ERROR(prepared->run(operands, std::span(&tensor, 1)));
  if (memory.peakBytes() != prepared->workspaceBytes())
    return fail("test", "allocates " + std::to_string(memory.peakBytes()) +
                            " bytes, not workspaceBytes");
  return tensor;
}

Tensor test::reference(const OpDesc &op, const std::vector<Tensor> &operands) {
  Expected<Tensor> result = run(referenceProvider(), op, operands);
  if (result)
    return *result;
  ADD_FAILURE() << result.error().str();
  return emptyTensor({DType::f32, {0}});
}

std::vector<double> test::referenceValues(const OpDesc &op,
                                          const std::vector<Tensor> &operands) {
  return valuesOf(reference(op, operands));
}

bool test::supports(const Provider &provider, const OpDesc &op,
                    const std::vector<Tensor> &operands) {
  const std::vector<TensorType> types = typesOf(operands);
  Expected<TensorType> result = inferType(op, types);
  return result && provider.supports(op, types, std::span(&*result, 1));
}

std::string Case::describe() const {
  std::string text(name(op.kind));
  for (const Tensor &operand : operands)
    text += " " + operand.type().str();
  if (const auto *conv = op.attrs.AsConvAttrs())
    text += " " + conv->input_layout + "," + conv->kernel_layout + "," +
            conv->output_layout + " groups " + std::to_string(conv->groups);
  if (const auto *pool = op.attrs.AsPoolAttrs())
    text += " " + pool->layout;
  if (const auto *reduce = op.attrs.AsReduceAttrs())
    text += std::string(" ") + fb::EnumNameReduceKind(reduce->kind);
  return text;
}

Tolerance test::toleranceOf(const Case &c, DType result) {
  const double epsilon = result == DType::f64    ? 0x1p-52
                         : result == DType::f32  ? 0x1p-23
                         : result == DType::f16  ? 0x1p-10
                         : result == DType::bf16 ? 0x1p-7
                                                 : 0;
  return {epsilon * (4 + std::sqrt(c.sumLength))};
}

void test::checkAgainstReference(const Provider &provider, const Case &c) {
  if (!supports(provider, c.op, c.operands))
    return;
  SCOPED_TRACE(c.describe());
  const Tensor expected = reference(c.op, c.operands);
  Expected<Tensor> actual = run(provider, c.op, c.operands);
  ASSERT_TRUE(actual) << actual.error().str();
  const Difference difference =
      compare(expected, *actual, toleranceOf(c, expected.dtype()));
  EXPECT_EQ(difference.mismatches, 0)
      << "expected " << difference.expected << ", got " << difference.actual
      << " at " << difference.worstIndex << ", " << difference.maxUlp << " ULP";
}
