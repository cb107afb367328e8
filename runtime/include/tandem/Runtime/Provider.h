//===- Provider.h - What executes op steps: the op table -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROVIDER_H
#define TANDEM_RUNTIME_PROVIDER_H

#include "tandem/Runtime/Device.h"
#include "tandem/Runtime/Tensor.h"
#include "tandem/Support/ShapeRules.h"

#include <memory>
#include <span>
#include <string_view>

namespace tandem {

/// What an op is to be made ready for. Refers to what the caller keeps.
struct OpSignature {
  const OpDesc &op;
  /// All static.
  std::span<const TensorType> operands, results;
  /// For an op of a compiled program: constants[i] is the value of operand i
  /// where that is the same at every run, else an empty tensor. What is worked
  /// out from it ahead, such as weights in the library's own format, belongs to
  /// the prepared op. May be shorter than `operands`.
  std::span<const Tensor> constants = {};

  /// Of an op with one result.
  const TensorType &result() const { return results[0]; }
  bool isConstant(size_t operand) const {
    return operand < constants.size() && constants[operand];
  }
};

/// An op made ready for one signature: a library primitive, or a prebuilt
/// kernel. Immutable; many threads may call run.
class PreparedOp {
public:
  virtual ~PreparedOp() = default;
  /// Reads `operands`, writes every element of `results`, which the caller has
  /// allocated, as work of the context's stream. The types are those it was
  /// prepared for. A result shares no memory with an operand. Both lists are
  /// read before this returns.
  virtual Status run(const StepContext &context,
                     std::span<const Tensor> operands,
                     std::span<Tensor> results) const = 0;
  /// The bytes that a run is given beside its results.
  virtual int64_t workspaceBytes() const { return 0; }
};

/// runOp of an op that needs `bytes` of workspace.
Status runWithWorkspace(const PreparedOp &op, int64_t bytes,
                        std::span<const Tensor> operands,
                        std::span<Tensor> results, Stream &stream,
                        std::string_view step);

/// Runs `op` once, with a workspace of the stream's memory; `step` as of
/// StepContext.
inline Status runOp(const PreparedOp &op, std::span<const Tensor> operands,
                    std::span<Tensor> results,
                    Stream &stream = hostDevice().defaultStream(),
                    std::string_view step = {}) {
  if (int64_t bytes = op.workspaceBytes())
    return runWithWorkspace(op, bytes, operands, results, stream, step);
  return op.run({stream, {}, step}, operands, results);
}

/// A library that executes ops. Stateless apart from caches; thread-safe.
class Provider {
public:
  virtual ~Provider() = default;
  /// "reference", "onednn", "eigen".
  virtual std::string_view name() const = 0;
  /// The op, ready to run; null where this library does not execute it. May be
  /// slow (primitive creation). An error where it does and cannot.
  virtual Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const = 0;
};

/// Plain loops with f64 accumulation; every op and dtype. The oracle.
const Provider &referenceProvider();
/// The same of one op, on the host; a custom_call has no evaluation.
Status evaluateByReference(const OpDesc &op, std::span<const Tensor> operands,
                           Tensor &result);
/// oneDNN primitives of f32, and bf16 where the host has it: conv, matmul,
/// avg_pool. (Its max_pool drops NaNs, and its softmax is slower than Eigen's.)
const Provider &oneDNNProvider();

/// To be called before a region of OpenMP's that several threads may share, as
/// oneDNNProvider does by itself before it calls the library. For programs that
/// call oneDNN beside Tandem.
///
/// libgomp's workers spin when a region ends, 300,000 times, and for those
/// milliseconds hold the cores that oneTBB wants for what comes next. Where a
/// process has more OpenMP threads than processors they spin 100 times only
/// (libgomp's manual, GOMP_SPINCOUNT). So this sees to it that there are as
/// many more, which sleep: two threads where OpenMP uses every processor.
/// Nothing happens where the environment sets how OpenMP waits, or where the
/// OpenMP library is another one. The first call starts the threads; later ones
/// cost a comparison. Thread-safe.
void letIdleWorkersSleep();

/// Eigen's vectorised arrays: elementwise and shape ops of every type;
/// reductions, softmax, batch_norm, max_pool and the matmuls that oneDNN lacks,
/// but for those of 16-bit floats.
const Provider &eigenProvider();

/// The ops on 16-bit floats that oneDNN has none of and that are not
/// elementwise, as the same of `inner` on f32, between casts.
std::unique_ptr<Provider> createThroughFloatProvider(ProviderList inner);

/// {oneDNN, 16-bit floats through f32, Eigen, reference}: what eager means on
/// the CPU.
ProviderList eagerProviders();
/// {reference}.
ProviderList referenceProviders();

/// From the first of `providers` that executes the op; an error naming op,
/// types and providers where none does.
Expected<std::unique_ptr<PreparedOp>> prepareOp(ProviderList providers,
                                                const OpSignature &signature);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROVIDER_H
