//===- CUBLASLt.h - cuBLASLt as a provider ----------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUBLASLT_CUBLASLT_H
#define TANDEM_RUNTIME_EAGER_CUBLASLT_CUBLASLT_H

#include "MatmulCall.h"

#include "../../device/cuda/Context.h"

#include <map>
#include <mutex>
#include <set>

namespace tandem::cublaslt {

/// Algorithms of cuBLASLt by their id.
using AlgorithmSet = std::set<int>;

/// cuBLASLt on one device. Lives as long as the process; thread-safe.
class Session {
public:
  /// `device` is that of `context`.
  Session(cuda::Context &context, Device &device)
      : context(context), device(device) {}

  /// Opens the library at the first call. An Error where it is missing or does
  /// not work on the device.
  const Status &open();

  // These are for a session that is open.

  cublasLtContext *handle() const { return lt; }
  const cuda::CUBLASLt &functions() const { return *library; }
  /// The best algorithm by the heuristics; none where there is none. Kept.
  Expected<std::optional<Algorithm>> choose(const MatmulProblem &problem,
                                            const LibraryOptions &options);
  /// The algorithms whose fused relu keeps NaN in this type: the first call
  /// runs those that a small product may have on NaN.
  Expected<AlgorithmSet> algorithmsThatKeepNaN(DType dtype);

private:
  Status openOnce();
  Expected<AlgorithmSet> probe(DType dtype);
  Expected<std::optional<Algorithm>> search(const MatmulProblem &problem,
                                            const LibraryOptions &options);

  cuda::Context &context;
  Device &device;
  const cuda::CUBLASLt *library = nullptr;
  cublasLtContext *lt = nullptr;
  std::mutex opening; // guards opened and probed; held while both are made
  std::optional<Status> opened;
  std::map<DType, AlgorithmSet> probed;
  std::mutex mutex; // guards chosen
  std::map<std::string, std::optional<Algorithm>> chosen;
};

/// matmul of floats, and of i8 with results of i32. Where the library is
/// missing this has no ops.
class CUBLASLtProvider final : public Provider {
public:
  /// `session` must outlive the provider.
  CUBLASLtProvider(Session &session, LibraryOptions options)
      : session(session), options(options) {}

  std::string_view name() const override { return "cublaslt"; }
  Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const override {
    return prepareFused({signature});
  }
  /// A product with what follows it. Null where no algorithm computes that.
  Expected<std::unique_ptr<PreparedOp>>
  prepareFused(const FusedContraction &matmul) const override;

private:
  Session &session;
  const LibraryOptions options;
};

} // namespace tandem::cublaslt

#endif // TANDEM_RUNTIME_EAGER_CUBLASLT_CUBLASLT_H
