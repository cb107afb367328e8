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

#include "Libraries/CUBLASLtProduct.h"

#include <algorithm>
#include <cstring>

using namespace fake;
using namespace fake::cublaslt;
using namespace tandem::cuda;

/// Sets an attribute of this type.
template <typename T>
static Result assign(T &to, const void *value, size_t bytes, const char *what) {
  if (!value || bytes != sizeof(T))
    return wrong(std::string(what) + " has another size");
  std::memcpy(&to, value, sizeof(T));
  return kSuccess;
}

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
  if (product.elementBytes() == 2 &&
      wanted.reductionSchemes & ~uint32_t(ReductionScheme::computeType))
    return wrong("sums may be rounded to 16 bits");
  const uint64_t alignment =
      *std::min_element(wanted.alignments, wanted.alignments + 4);
  std::vector<Algo> algos;
  if (wanted.maxWorkspaceBytes >= 1024 && alignment >= 16)
    algos.push_back({kMark, 66, 1024, 16});
  if (product.desc.computeType == ComputeType::i32 && alignment < 4)
    return wrong("matrices of i8 are not aligned to 4 bytes");
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

static double factor(const void *value, int type) {
  return type == DataType::f64   ? *static_cast<const double *>(value)
         : type == DataType::i32 ? *static_cast<const int32_t *>(value)
                                 : *static_cast<const float *>(value);
}

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
  if (Result result = execution.use(workspace, workspaceBytes, uses))
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
               std::move(uses),
               nullptr,
               nullptr,
               {}});
}
