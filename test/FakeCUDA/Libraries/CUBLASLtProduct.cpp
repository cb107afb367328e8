//===- CUBLASLtProduct.cpp - A product of the fake cuBLASLt ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libraries/CUBLASLtProduct.h"

#include "Elements.h"

using namespace fake;
using namespace fake::cublaslt;

static DType elementType(int type) {
  return type == DataType::f64    ? DType::f64
         : type == DataType::f16  ? DType::f16
         : type == DataType::bf16 ? DType::bf16
         : type == DataType::i8   ? DType::i8
         : type == DataType::i32  ? DType::i32
                                  : DType::f32;
}

int64_t Product::elementBytes() const {
  return tandem::byteWidth(elementType(d.type));
}

Result fake::cublaslt::wrong(const std::string &message) {
  report("cuBLASLt: " + message);
  return kInvalid;
}

/// What the documentation of cublasLtMatmul requires of matrices of integers in
/// regular data ordering.
Result Product::checkIntegers() const {
  if (a.type != DataType::i8 || b.type != DataType::i8 ||
      c.type != DataType::i32 || d.type != DataType::i32 ||
      desc.scaleType != DataType::i32)
    return wrong("the types are not those of a product of i8");
  if (!desc.transposeA || desc.transposeB)
    return wrong("matrices of i8 are not in the TN format");
  if (d.rows % 4 != 0 || depth() % 4 != 0)
    return wrong("a dim of a product of i8 is not a multiple of 4");
  for (const Layout *layout : {&a, &b, &c})
    if (layout->leadingDim % 4 != 0)
      return wrong("a leading dim of a product of i8 is not a multiple of 4");
  if (desc.epilogue != Epilogue::none)
    return wrong("a product of i8 has an epilogue");
  return kSuccess;
}

Result Product::check() const {
  const uint64_t m = desc.transposeA ? a.columns : a.rows,
                 n = desc.transposeB ? b.rows : b.columns,
                 k = desc.transposeB ? b.columns : b.rows;
  if (m != d.rows || n != d.columns || k != depth() || c.rows != d.rows ||
      c.columns != d.columns)
    return wrong("the matrices do not fit");
  for (const Layout *layout : {&a, &b, &c, &d}) {
    if (layout->rows == 0 || layout->columns == 0 ||
        layout->leadingDim < int64_t(layout->rows))
      return wrong("a leading dim is smaller than the rows");
    if (layout->batch != d.batch ||
        (desc.computeType != ComputeType::i32 && layout->type != d.type))
      return wrong("the types or batches differ");
  }
  if (d.batch > 1 && d.offset < int64_t(d.rows * d.columns))
    return wrong("the results of a batch overlap");
  if (desc.computeType == ComputeType::i32)
    return checkIntegers();
  if (d.type == DataType::i8 || d.type == DataType::i32)
    return wrong("the compute type is not for integers");
  const bool isF64 = d.type == DataType::f64;
  if (isF64 != (desc.computeType == ComputeType::f64) ||
      isF64 != (desc.scaleType == DataType::f64))
    return wrong("the compute type is not for the matrices");
  if (desc.computeType == ComputeType::tf32 && d.type != DataType::f32)
    return wrong("TF32 is for matrices of f32");
  if (desc.hasBias() && !desc.bias)
    return wrong("the epilogue's bias has no pointer");
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Checks where a matrix is, and notes its use.
static Result useMatrix(const void *pointer, int64_t elements, int type,
                        uint64_t alignment, bool isWrite,
                        std::vector<Use> &uses) {
  auto *memory = const_cast<void *>(pointer);
  const auto bytes = size_t(elements * tandem::byteWidth(elementType(type)));
  if (reinterpret_cast<uintptr_t>(pointer) % alignment != 0)
    return wrong("a matrix is not aligned as the preference says");
  if (!machine().withMemory(
          [&](Memory &all, Clock &) { return all.isOnDevice(memory, bytes); }))
    return wrong("a matrix is not within memory of the device");
  uses.push_back({memory, isWrite});
  return kSuccess;
}

Result Execution::use(void *workspace, size_t workspaceBytes,
                      std::vector<Use> &uses) const {
  const auto useAs = [&](const void *pointer, const Layout &layout,
                         bool isWrite = false) {
    return useMatrix(pointer, layout.numElements(), layout.type, algo.alignment,
                     isWrite, uses);
  };
  Result result = useAs(a, product.a);
  if (!result)
    result = useAs(b, product.b);
  if (!result && beta != 0)
    result = useAs(c, product.c);
  if (!result && product.desc.hasBias())
    result = useMatrix(product.desc.bias, int64_t(product.d.rows),
                       product.d.type, 1, false, uses);
  if (!result)
    result = useAs(d, product.d, /*isWrite=*/true);
  if (result || algo.workspaceBytes == 0)
    return result;
  if (workspaceBytes < algo.workspaceBytes)
    return wrong("the workspace is smaller than the algorithm's");
  return useMatrix(workspace, int64_t(algo.workspaceBytes) / 4, DataType::f32,
                   16, true, uses);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Execution::run() const {
  const Layout &out = product.d;
  for (int32_t matrix = 0; matrix < out.batch; ++matrix)
    for (uint64_t column = 0; column < out.columns; ++column)
      for (uint64_t row = 0; row < out.rows; ++row)
        store(d, elementType(out.type), out.index(row, column, matrix),
              element(row, column, matrix));
}

double Execution::element(uint64_t row, uint64_t column, int32_t matrix) const {
  const DType type = elementType(product.d.type);
  double value = alpha * sum(row, column, matrix);
  if (beta != 0)
    value += beta * load(c, type, product.c.index(row, column, matrix));
  if (product.desc.hasBias())
    value += load(product.desc.bias, type, int64_t(row));
  if (product.desc.epilogue & Epilogue::relu)
    return algo.id == 66 ? reluThatDropsNaN(value) : reluThatKeepsNaN(value);
  if (product.desc.epilogue & Epilogue::gelu)
    return 0.5 * value *
           (1 + std::tanh(std::sqrt(2 / M_PI) *
                          (value + 0.044715 * value * value * value)));
  return value;
}

double Execution::sum(uint64_t row, uint64_t column, int32_t matrix) const {
  const Desc &desc = product.desc;
  const bool isRounded = desc.computeType == ComputeType::tf32 && algo.id == 66;
  auto round = [&](double value) {
    return isRounded ? roundToTF32(value) : value;
  };
  const DType type = elementType(product.a.type);
  double sum = 0;
  for (uint64_t k = 0; k < product.depth(); ++k)
    sum += round(load(a, type,
                      desc.transposeA ? product.a.index(k, row, matrix)
                                      : product.a.index(row, k, matrix))) *
           round(load(b, type,
                      desc.transposeB ? product.b.index(column, k, matrix)
                                      : product.b.index(k, column, matrix)));
  return sum;
}
