//===- CUBLASLt.cpp - cuBLASLt, as far as it is used ----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of cuBLASLt, under its names. Products run on the fake driver's
// streams. Errors are those that the real ones return; what they forgive is
// reported.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Machine.h"

#include <algorithm>
#include <cstring>

using namespace fake;
using namespace tandem::cuda;

namespace {

#define TANDEM_CONSTANT(enumeration, name, symbol, value)                      \
  namespace enumeration {                                                      \
  [[maybe_unused]] constexpr int name = value;                                 \
  }
#include "tandem/Runtime/Libraries/CUBLASLtConstants.def"
#undef TANDEM_CONSTANT

constexpr Result kInvalid = 7; // CUBLAS_STATUS_INVALID_VALUE

/// A matrix in column-major order.
struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t leadingDim;
  int32_t batch = 1;
  int64_t offset = 0;

  int64_t index(uint64_t row, uint64_t column, int32_t matrix) const {
    return int64_t(row) + int64_t(column) * leadingDim + matrix * offset;
  }
  int64_t numElements() const {
    return index(rows - 1, columns - 1, batch - 1) + 1;
  }
};

/// What is computed.
struct Desc {
  int computeType, scaleType;
  int32_t transposeA = 0, transposeB = 0;
  uint32_t epilogue = Epilogue::none;
  const void *bias = nullptr;

  bool hasBias() const { return epilogue & Epilogue::bias; }
};

struct Preferences {
  uint64_t maxWorkspaceBytes = 0;
  uint32_t reductionSchemes = ReductionScheme::all;
  uint32_t alignments[4] = {256, 256, 256, 256};
};

/// What is in the 64 bytes of an algorithm.
struct Algo {
  uint64_t mark, id, workspaceBytes, alignment;
};
constexpr uint64_t kMark = 0xfa4eb1a5;

DType elementType(int type) {
  return type == DataType::f64    ? DType::f64
         : type == DataType::f16  ? DType::f16
         : type == DataType::bf16 ? DType::bf16
                                  : DType::f32;
}

Result wrong(const std::string &message) {
  report("cuBLASLt: " + message);
  return kInvalid;
}

template <typename T>
Result assign(T &to, const void *value, size_t bytes, const char *what) {
  if (!value || bytes != sizeof(T))
    return wrong(std::string(what) + " has another size");
  std::memcpy(&to, value, sizeof(T));
  return kSuccess;
}

/// A product, checked.
struct Product {
  Desc desc;
  Layout a, b, c, d;

  uint64_t depth() const { return desc.transposeA ? a.rows : a.columns; }
  Result check() const;
};

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
    if (layout->type != d.type || layout->batch != d.batch)
      return wrong("the types or batches differ");
  }
  if (d.batch > 1 && d.offset < int64_t(d.rows * d.columns))
    return wrong("the results of a batch overlap");
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

} // namespace

#pragma GCC visibility push(default)
extern "C" {
#define TANDEM_SYMBOL(member, symbol, result, parameters)                      \
  result symbol parameters;
#define TANDEM_OPTIONAL_SYMBOL TANDEM_SYMBOL
#include "tandem/Runtime/Libraries/CUBLASLt.def"
#undef TANDEM_SYMBOL
#undef TANDEM_OPTIONAL_SYMBOL
}

struct cublasLtContext {};

//===----------------------------------------------------------------------===//
// The library and its descriptors
//===----------------------------------------------------------------------===//

size_t cublasLtGetVersion() { return 130100; }

const char *cublasLtGetStatusName(Result status) {
  return status == kInvalid              ? "CUBLAS_STATUS_INVALID_VALUE"
         : status == State::notSupported ? "CUBLAS_STATUS_NOT_SUPPORTED"
         : status == 13                  ? "CUBLAS_STATUS_EXECUTION_FAILED"
                                         : "CUBLAS_STATUS_OF_THE_FAKE";
}

Result cublasLtCreate(cublasLtContext **handle) {
  if (Result result = injected(__func__))
    return result;
  *handle = new cublasLtContext;
  return kSuccess;
}

Result cublasLtDestroy(cublasLtContext *handle) {
  delete handle;
  return kSuccess;
}

Result cublasLtMatmulDescCreate(void **desc, int computeType, int scaleType) {
  if (Result result = injected(__func__))
    return result;
  *desc = new Desc{computeType, scaleType};
  return kSuccess;
}

Result cublasLtMatmulDescDestroy(void *desc) {
  delete static_cast<Desc *>(desc);
  return kSuccess;
}

Result cublasLtMatmulDescSetAttribute(void *desc, int attribute,
                                      const void *value, size_t bytes) {
  Desc &of = *static_cast<Desc *>(desc);
  switch (attribute) {
  case DescAttribute::transposeA:
    return assign(of.transposeA, value, bytes, "TRANSA");
  case DescAttribute::transposeB:
    return assign(of.transposeB, value, bytes, "TRANSB");
  case DescAttribute::epilogue:
    return assign(of.epilogue, value, bytes, "EPILOGUE");
  case DescAttribute::biasPointer:
    return assign(of.bias, value, bytes, "BIAS_POINTER");
  default:
    return wrong("an attribute of a product is not known");
  }
}

Result cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows,
                                  uint64_t columns, int64_t leadingDim) {
  *layout = new Layout{type, rows, columns, leadingDim};
  return kSuccess;
}

Result cublasLtMatrixLayoutDestroy(void *layout) {
  delete static_cast<Layout *>(layout);
  return kSuccess;
}

Result cublasLtMatrixLayoutSetAttribute(void *layout, int attribute,
                                        const void *value, size_t bytes) {
  Layout &of = *static_cast<Layout *>(layout);
  switch (attribute) {
  case LayoutAttribute::batchCount:
    return assign(of.batch, value, bytes, "BATCH_COUNT");
  case LayoutAttribute::batchOffset:
    return assign(of.offset, value, bytes, "STRIDED_BATCH_OFFSET");
  default:
    return wrong("an attribute of a layout is not known");
  }
}

Result cublasLtMatmulPreferenceCreate(void **preference) {
  *preference = new Preferences;
  return kSuccess;
}

Result cublasLtMatmulPreferenceDestroy(void *preference) {
  delete static_cast<Preferences *>(preference);
  return kSuccess;
}

Result cublasLtMatmulPreferenceSetAttribute(void *preference, int attribute,
                                            const void *value, size_t bytes) {
  Preferences &of = *static_cast<Preferences *>(preference);
  switch (attribute) {
  case Preference::maxWorkspaceBytes:
    return assign(of.maxWorkspaceBytes, value, bytes, "MAX_WORKSPACE_BYTES");
  case Preference::reductionSchemes:
    return assign(of.reductionSchemes, value, bytes, "REDUCTION_SCHEME_MASK");
  case Preference::alignmentA:
  case Preference::alignmentB:
  case Preference::alignmentC:
  case Preference::alignmentD:
    return assign(of.alignments[attribute - Preference::alignmentA], value,
                  bytes, "MIN_ALIGNMENT");
  default:
    return wrong("an attribute of a preference is not known");
  }
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

/// Two: 66 wants workspace and vectors, rounds to TF32 where it may, and drops
/// NaN; 21 does none of this.
Result cublasLtMatmulAlgoGetHeuristic(cublasLtContext *, void *desc, void *a,
                                      void *b, void *c, void *d,
                                      void *preference, int requested,
                                      void *results, int *found) {
  if (Result result = injected(__func__))
    return result;
  const Product product{*static_cast<Desc *>(desc), *static_cast<Layout *>(a),
                        *static_cast<Layout *>(b), *static_cast<Layout *>(c),
                        *static_cast<Layout *>(d)};
  if (Result result = product.check())
    return result;
  const auto &wanted = *static_cast<Preferences *>(preference);
  if (tandem::byteWidth(elementType(product.d.type)) == 2 &&
      wanted.reductionSchemes & ~uint32_t(ReductionScheme::computeType))
    return wrong("sums may be rounded to 16 bits");
  const uint64_t alignment =
      *std::min_element(wanted.alignments, wanted.alignments + 4);
  std::vector<Algo> algos;
  if (wanted.maxWorkspaceBytes >= 1024 && alignment >= 16)
    algos.push_back({kMark, 66, 1024, 16});
  algos.push_back({kMark, 21, 0, alignment});
  *found = std::min(requested, int(algos.size()));
  for (int i = 0; i < *found; ++i) {
    MatmulHeuristic &heuristic = static_cast<MatmulHeuristic *>(results)[i];
    heuristic = {};
    std::memcpy(heuristic.algo, &algos[size_t(i)], sizeof(Algo));
    heuristic.workspaceBytes = algos[size_t(i)].workspaceBytes;
  }
  return kSuccess;
}

Result cublasLtMatmulAlgoConfigGetAttribute(const void *algo, int attribute,
                                            void *value, size_t bytes,
                                            size_t *written) {
  if (attribute != AlgoConfig::id || bytes != sizeof(int32_t))
    return wrong("an attribute of an algorithm is not known");
  const auto id = int32_t(static_cast<const Algo *>(algo)->id);
  std::memcpy(value, &id, sizeof id);
  *written = sizeof id;
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// A product on the device's memory.
struct Execution {
  Product product;
  Algo algo;
  double alpha, beta;
  const void *a, *b, *c;
  void *d;

  void run() const {
    const Layout &out = product.d;
    for (int32_t matrix = 0; matrix < out.batch; ++matrix)
      for (uint64_t column = 0; column < out.columns; ++column)
        for (uint64_t row = 0; row < out.rows; ++row)
          store(d, elementType(out.type), out.index(row, column, matrix),
                element(row, column, matrix));
  }

private:
  double element(uint64_t row, uint64_t column, int32_t matrix) const {
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
  double sum(uint64_t row, uint64_t column, int32_t matrix) const {
    const Desc &desc = product.desc;
    const bool isRounded =
        desc.computeType == ComputeType::tf32 && algo.id == 66;
    auto round = [&](double value) {
      return isRounded ? roundToTF32(value) : value;
    };
    const DType type = elementType(product.d.type);
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
};

double factor(const void *value, int type) {
  return type == DataType::f64 ? *static_cast<const double *>(value)
                               : *static_cast<const float *>(value);
}

/// Checks where a matrix is, and notes its use.
Result use(const void *pointer, int64_t elements, int type, uint64_t alignment,
           bool isWrite, std::vector<Use> &uses) {
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

/// All memory of a product.
Result useAll(const Execution &execution, void *workspace,
              size_t workspaceBytes, std::vector<Use> &uses) {
  const auto &[desc, a, b, c, d] = execution.product;
  const uint64_t alignment = execution.algo.alignment;
  Result result =
      use(execution.a, a.numElements(), a.type, alignment, false, uses);
  if (!result)
    result = use(execution.b, b.numElements(), b.type, alignment, false, uses);
  if (!result && execution.beta != 0)
    result = use(execution.c, c.numElements(), c.type, alignment, false, uses);
  if (!result && desc.hasBias())
    result = use(desc.bias, int64_t(d.rows), d.type, 1, false, uses);
  if (!result)
    result = use(execution.d, d.numElements(), d.type, alignment, true, uses);
  if (result || execution.algo.workspaceBytes == 0)
    return result;
  if (workspaceBytes < execution.algo.workspaceBytes)
    return wrong("the workspace is smaller than the algorithm's");
  return use(workspace, int64_t(execution.algo.workspaceBytes) / 4,
             DataType::f32, 16, true, uses);
}

} // namespace

Result cublasLtMatmul(cublasLtContext *, void *desc, const void *alpha,
                      const void *a, void *aLayout, const void *b,
                      void *bLayout, const void *beta, const void *c,
                      void *cLayout, void *d, void *dLayout, const void *algo,
                      void *workspace, size_t workspaceBytes,
                      CUstream_st *stream) {
  if (Result result = injected(__func__))
    return result;
  const auto &description = *static_cast<Desc *>(desc);
  Execution execution{{description, *static_cast<Layout *>(aLayout),
                       *static_cast<Layout *>(bLayout),
                       *static_cast<Layout *>(cLayout),
                       *static_cast<Layout *>(dLayout)},
                      *static_cast<const Algo *>(algo),
                      factor(alpha, description.scaleType),
                      factor(beta, description.scaleType),
                      a,
                      b,
                      c,
                      d};
  if (Result result = execution.product.check())
    return result;
  if (execution.algo.mark != kMark)
    return wrong("an algorithm is not of the heuristics");
  std::vector<Use> uses;
  if (Result result = useAll(execution, workspace, workspaceBytes, uses))
    return result;
  return machine().enqueue(
      stream, {"cublasLtMatmul",
               [execution, workspace]() -> Result {
                 if (Result result = injected("kernel"))
                   return result;
                 if (execution.algo.workspaceBytes > 0)
                   std::memset(workspace, 0xcb,
                               size_t(execution.algo.workspaceBytes));
                 execution.run();
                 return kSuccess;
               },
               std::move(uses), nullptr, nullptr});
}
