//===- MatmulCall.cpp - Descriptors of cuBLASLt for one product -----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatmulCall.h"

using namespace tandem;
using namespace tandem::cublaslt;

namespace {

// The enumerations, each a namespace of the numbers in CUBLASLtConstants.def.
#define TANDEM_CONSTANT(enumeration, name, symbol, value)                      \
  namespace enumeration {                                                      \
  [[maybe_unused]] constexpr int name = value;                                 \
  }
#include "tandem/Runtime/Libraries/CUBLASLtConstants.def"
#undef TANDEM_CONSTANT

/// The library multiplies floats, and i8 with sums of i32.
int dataTypeOf(DType dtype) {
  switch (dtype) {
  case DType::i8:
    return DataType::i8;
  case DType::i32:
    return DataType::i32;
  case DType::f64:
    return DataType::f64;
  case DType::f16:
    return DataType::f16;
  case DType::bf16:
    return DataType::bf16;
  case DType::f32:
  case DType::i1:
  case DType::i16:
  case DType::i64:
  case DType::ui8:
  case DType::ui16:
  case DType::ui32:
  case DType::ui64:
    break;
  }
  return DataType::f32;
}

int computeTypeOf(DType dtype, Precision precision) {
  if (dtype == DType::f64)
    return ComputeType::f64;
  if (dtype == DType::i32)
    return ComputeType::i32;
  return dtype == DType::f32 && precision == Precision::tf32 ? ComputeType::tf32
                                                             : ComputeType::f32;
}

/// The type of the factors of products and addends.
DType scaleTypeOf(DType dtype) {
  return dtype == DType::f64 || dtype == DType::i32 ? dtype : DType::f32;
}

/// Zero or one, of the type of factors.
struct Scale {
  Scale(DType dtype, bool isOne) {
    if (scaleTypeOf(dtype) == DType::f64)
      f64 = isOne;
    else if (scaleTypeOf(dtype) == DType::i32)
      i32 = isOne;
    else
      f32 = isOne;
  }
  union {
    double f64;
    float f32;
    int32_t i32;
  };
};

uint32_t epilogueOf(const MatmulProblem &problem) {
  switch (problem.activation) {
  case Activation::relu:
    return problem.hasBias ? Epilogue::reluBias : Epilogue::relu;
  case Activation::gelu_tanh:
    return problem.hasBias ? Epilogue::geluBias : Epilogue::gelu;
  case Activation::none:
    break;
  }
  return problem.hasBias ? Epilogue::bias : Epilogue::none;
}

/// A library's object, destroyed with this.
struct OwnedPreference {
  explicit OwnedPreference(const cuda::CUBLASLt &library) : library(library) {}
  OwnedPreference(const OwnedPreference &) = delete;
  OwnedPreference &operator=(const OwnedPreference &) = delete;
  ~OwnedPreference() {
    if (handle)
      library.preferenceDestroy(handle);
  }
  template <typename T> cuda::Result set(int attribute, T value) {
    return library.preferenceSetAttribute(handle, attribute, &value,
                                          sizeof value);
  }

  const cuda::CUBLASLt &library;
  void *handle = nullptr;
};

/// Sums that are split are not to be rounded to 16 bits in between.
uint32_t reductionSchemesOf(DType dtype) {
  return byteWidth(dtype) == 2 ? ReductionScheme::computeType
                               : ReductionScheme::all;
}

cuda::Result setPreferences(OwnedPreference &preference,
                            const MatmulProblem &problem,
                            uint64_t maxWorkspaceBytes) {
  if (cuda::Result result =
          preference.library.preferenceCreate(&preference.handle))
    return result;
  if (cuda::Result result =
          preference.set(Preference::maxWorkspaceBytes, maxWorkspaceBytes))
    return result;
  if (cuda::Result result = preference.set(Preference::reductionSchemes,
                                           reductionSchemesOf(problem.dtype)))
    return result;
  for (int attribute : {Preference::alignmentA, Preference::alignmentB,
                        Preference::alignmentC, Preference::alignmentD})
    if (cuda::Result result =
            preference.set(attribute, uint32_t(problem.callAlignment)))
      return result;
  return cuda::kSuccess;
}

} // namespace

tl::unexpected<Error> cublaslt::failure(const cuda::CUBLASLt &library,
                                        cuda::Result result,
                                        std::string_view what) {
  return fail("execute", "cuBLASLt " + library.version + ": " +
                             std::string(what) + ": " +
                             library.getStatusName(result));
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<MatmulCall>>
MatmulCall::create(const cuda::CUBLASLt &library, const MatmulProblem &problem,
                   Precision precision) {
  std::unique_ptr<MatmulCall> call(new MatmulCall(library, problem));
  TANDEM_RETURN_IF_ERROR(call->describe(precision));
  return call;
}

MatmulCall::~MatmulCall() {
  for (void *layout : {a, b, d})
    if (layout)
      library.layoutDestroy(layout);
  if (desc)
    library.matmulDescDestroy(desc);
}

Status MatmulCall::createLayout(const Matrix &matrix, DType dtype,
                                void *&layout) {
  // Rows become columns.
  cuda::Result result =
      library.layoutCreate(&layout, dataTypeOf(dtype), uint64_t(matrix.columns),
                           uint64_t(matrix.rows), matrix.rowStride);
  const int32_t count = int32_t(problem.batch);
  if (result == cuda::kSuccess && count > 1)
    result = library.layoutSetAttribute(layout, LayoutAttribute::batchCount,
                                        &count, sizeof count);
  if (result == cuda::kSuccess && count > 1)
    result = library.layoutSetAttribute(layout, LayoutAttribute::batchOffset,
                                        &matrix.batchStride,
                                        sizeof matrix.batchStride);
  if (result != cuda::kSuccess)
    return failure(library, result, "cublasLtMatrixLayoutCreate");
  return {};
}

Status MatmulCall::describe(Precision precision) {
  TANDEM_RETURN_IF_ERROR(createLayout(problem.rhs, problem.factors, a));
  TANDEM_RETURN_IF_ERROR(createLayout(problem.lhs, problem.factors, b));
  TANDEM_RETURN_IF_ERROR(createLayout(problem.result, problem.dtype, d));
  cuda::Result result =
      library.matmulDescCreate(&desc, computeTypeOf(problem.dtype, precision),
                               dataTypeOf(scaleTypeOf(problem.dtype)));
  auto set = [&](int attribute, auto value) {
    if (result == cuda::kSuccess)
      result =
          library.matmulDescSetAttribute(desc, attribute, &value, sizeof value);
  };
  if (problem.transposeRhs)
    set(DescAttribute::transposeA, int32_t(Operation::transposed));
  if (problem.transposeLhs)
    set(DescAttribute::transposeB, int32_t(Operation::transposed));
  set(DescAttribute::epilogue, epilogueOf(problem));
  if (result != cuda::kSuccess)
    return failure(library, result, "cublasLtMatmulDescCreate");
  return {};
}

Status MatmulCall::setBias(const void *bias) {
  if (cuda::Result result = library.matmulDescSetAttribute(
          desc, DescAttribute::biasPointer, &bias, sizeof bias))
    return failure(library, result, "the bias cannot be set");
  return {};
}

//===----------------------------------------------------------------------===//
// Algorithms and products
//===----------------------------------------------------------------------===//

Expected<std::vector<Algorithm>>
MatmulCall::propose(cublasLtContext *handle, uint64_t maxWorkspaceBytes) {
  // Its alignment is all that the heuristics look at.
  if (problem.hasBias)
    TANDEM_RETURN_IF_ERROR(
        setBias(reinterpret_cast<const void *>(problem.alignment)));
  OwnedPreference preference(library);
  if (cuda::Result result =
          setPreferences(preference, problem, maxWorkspaceBytes))
    return failure(library, result, "cublasLtMatmulPreferenceCreate");
  std::array<cuda::MatmulHeuristic, 16> found;
  int count = 0;
  const cuda::Result result =
      library.getHeuristic(handle, desc, a, b, d, d, preference.handle,
                           int(found.size()), found.data(), &count);
  if (result == State::notSupported)
    return std::vector<Algorithm>();
  if (result != cuda::kSuccess)
    return failure(library, result, "cublasLtMatmulAlgoGetHeuristic");
  std::vector<Algorithm> algorithms;
  for (int i = 0; i < count; ++i) {
    Algorithm algorithm{found[size_t(i)]};
    size_t written = 0;
    if (algorithm.heuristic.state == State::success &&
        library.algoConfigGetAttribute(algorithm.heuristic.algo, AlgoConfig::id,
                                       &algorithm.id, sizeof algorithm.id,
                                       &written) == cuda::kSuccess)
      algorithms.push_back(algorithm);
  }
  return algorithms;
}

Status MatmulCall::run(cublasLtContext *handle, const Algorithm &algorithm,
                       const Pointers &pointers, std::span<std::byte> workspace,
                       cuda::StreamHandle stream) {
  if (problem.hasBias)
    TANDEM_RETURN_IF_ERROR(setBias(pointers.bias));
  const Scale alpha(problem.dtype, true),
      beta(problem.dtype, problem.hasResidual);
  const int64_t width = byteWidth(problem.dtype),
                factorWidth = byteWidth(problem.factors);
  for (const MatmulProblem::Offsets &offsets : problem.calls) {
    char *result = pointers.result + offsets.result * width;
    const char *addend = problem.hasResidual
                             ? pointers.residual + offsets.result * width
                             : result;
    if (cuda::Result status = library.matmul(
            handle, desc, &alpha, pointers.rhs + offsets.rhs * factorWidth, a,
            pointers.lhs + offsets.lhs * factorWidth, b, &beta, addend, d,
            result, d, algorithm.heuristic.algo, workspace.data(),
            workspace.size(), stream))
      return failure(library, status, "cublasLtMatmul");
  }
  return {};
}
