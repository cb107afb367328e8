//===- CUBLASLt.cpp - cuBLASLt as a provider ------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUBLASLt.h"

#include "../NaNPropagationProbe.h"
#include "MatmulOp.h"

using namespace tandem;
using namespace tandem::cublaslt;

/// What NVIDIA recommends for its data-center GPUs.
static constexpr uint64_t kMaxWorkspaceBytes = 32 << 20;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Status Session::openOnce() {
  if (!cuda::cublasLt())
    return tl::unexpected(cuda::cublasLt().error());
  TANDEM_RETURN_IF_ERROR(context.enter());
  library = &*cuda::cublasLt();
  if (cuda::Result result = library->create(&lt))
    return failure(*library, result,
                   "cublasLtCreate on device '" + context.name() + "'");
  return {};
}

const Status &Session::open() {
  std::lock_guard lock(opening);
  if (!opened)
    opened = openOnce();
  return *opened;
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

Expected<std::optional<Algorithm>>
Session::search(const MatmulProblem &problem, const LibraryOptions &options) {
  AlgorithmSet keeping;
  const bool mustKeepNaN =
      problem.activation == Activation::relu && !options.mayDropNaN;
  if (mustKeepNaN) {
    TANDEM_ASSIGN_OR_RETURN(keeping, algorithmsThatKeepNaN(problem.dtype));
  }
  TANDEM_RETURN_IF_ERROR(context.enter());
  TANDEM_ASSIGN_OR_RETURN(
      auto call, MatmulCall::create(*library, problem, options.precision));
  TANDEM_ASSIGN_OR_RETURN(const std::vector<Algorithm> algorithms,
                          call->propose(lt, kMaxWorkspaceBytes));
  for (const Algorithm &algorithm : algorithms)
    if (!mustKeepNaN || keeping.contains(algorithm.id))
      return algorithm;
  return std::nullopt;
}

Expected<std::optional<Algorithm>>
Session::choose(const MatmulProblem &problem, const LibraryOptions &options) {
  const std::string key = problem.key() + ";" +
                          std::to_string(int(options.precision)) +
                          std::to_string(options.mayDropNaN);
  {
    std::lock_guard lock(mutex);
    if (auto known = chosen.find(key); known != chosen.end())
      return known->second;
  }
  TANDEM_ASSIGN_OR_RETURN(auto algorithm, search(problem, options));
  std::lock_guard lock(mutex);
  return chosen.emplace(key, algorithm).first->second;
}

//===----------------------------------------------------------------------===//
// What becomes of NaN
//===----------------------------------------------------------------------===//

/// A small product with the whole epilogue.
static MatmulProblem probeOf(DType dtype) {
  MatmulProblem problem;
  problem.dtype = problem.factors = dtype;
  problem.lhs = problem.rhs = problem.result = {64, 64, 64};
  problem.calls = {{0, 0, 0}};
  problem.hasBias = problem.hasResidual = true;
  problem.activation = Activation::relu;
  return problem;
}

Expected<AlgorithmSet> Session::probe(DType dtype) {
  TANDEM_RETURN_IF_ERROR(context.enter());
  const MatmulProblem problem = probeOf(dtype);
  const TensorType square{dtype, {64, 64}};
  const TensorType operands[] = {square, square, {dtype, {64}}, square};
  AlgorithmSet dropping, keeping;
  for (Precision precision : {Precision::strict, Precision::tf32}) {
    TANDEM_ASSIGN_OR_RETURN(auto call,
                            MatmulCall::create(*library, problem, precision));
    TANDEM_ASSIGN_OR_RETURN(const std::vector<Algorithm> algorithms,
                            call->propose(lt, kMaxWorkspaceBytes));
    for (const Algorithm &algorithm : algorithms) {
      const MatmulOp op(*this, problem, precision, algorithm);
      const Expected<bool> isKept =
          eager::keepsNaN(op, operands, square, device.defaultStream());
      // An algorithm that fails is not used with a fused relu.
      (isKept && *isKept ? keeping : dropping).insert(algorithm.id);
    }
  }
  // An algorithm that has dropped a NaN in one case is not relied on, even if
  // it has kept NaN in another.
  for (int id : dropping)
    keeping.erase(id);
  return keeping;
}

Expected<AlgorithmSet> Session::algorithmsThatKeepNaN(DType dtype) {
  std::lock_guard lock(opening);
  if (auto known = probed.find(dtype); known != probed.end())
    return known->second;
  TANDEM_ASSIGN_OR_RETURN(AlgorithmSet algorithms, probe(dtype));
  return probed[dtype] = std::move(algorithms);
}

//===----------------------------------------------------------------------===//
// The provider
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<PreparedOp>>
CUBLASLtProvider::prepareFused(const FusedContraction &matmul) const {
  const std::optional<MatmulProblem> problem = MatmulProblem::of(matmul);
  if (!problem || !session.open())
    return nullptr;
  TANDEM_ASSIGN_OR_RETURN(const std::optional<Algorithm> algorithm,
                          session.choose(*problem, options));
  if (!algorithm)
    return nullptr;
  return std::make_unique<MatmulOp>(session, *problem, options.precision,
                                    *algorithm);
}
