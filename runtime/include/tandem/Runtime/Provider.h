//===- Provider.h - Libraries that execute op steps -------------*- C++ -*-===//
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

/// The op, types and constants that an op is prepared for. The fields refer to
/// objects that the caller keeps alive.
struct OpSignature {
  const OpDesc &op;
  /// The types of the operands and results, all static.
  std::span<const TensorType> operands, results;
  /// For an op of a compiled program, constants[i] is the value of operand i
  /// where that is the same in every run, else an empty tensor. May be shorter
  /// than `operands`. The prepared op owns whatever it computes from constants
  /// ahead of time, such as weights in the library's own format.
  std::span<const Tensor> constants = {};

  /// The type of the result of an op with one result.
  const TensorType &result() const { return results[0]; }
  bool isConstant(size_t operand) const {
    return operand < constants.size() && constants[operand];
  }
};

/// An op that is ready to run for one signature: a primitive of a library, or a
/// prebuilt kernel. Immutable; any number of threads may call run.
class PreparedOp {
public:
  virtual ~PreparedOp() = default;
  /// Enqueues the op on the context's stream. It reads `operands` and writes
  /// every element of `results`, which the caller has allocated. Their types
  /// must be those that the op was prepared for, and no result may share memory
  /// with an operand. Both lists are read before this returns; only the
  /// tensors' memory must stay alive.
  virtual Status run(const StepContext &context,
                     std::span<const Tensor> operands,
                     std::span<Tensor> results) const = 0;
  /// Bytes of workspace that a run needs (StepContext::workspace).
  virtual int64_t workspaceBytes() const { return 0; }
};

/// Runs an op that needs `bytes` bytes of workspace, allocating it from the
/// stream.
Status runWithWorkspace(const PreparedOp &op, int64_t bytes,
                        std::span<const Tensor> operands,
                        std::span<Tensor> results, Stream &stream,
                        std::string_view step);

/// Runs `op` once, allocating its workspace from the stream if it needs one.
/// `step` is StepContext's.
inline Status runOp(const PreparedOp &op, std::span<const Tensor> operands,
                    std::span<Tensor> results,
                    Stream &stream = hostDevice().defaultStream(),
                    std::string_view step = {}) {
  if (int64_t bytes = op.workspaceBytes())
    return runWithWorkspace(op, bytes, operands, results, stream, step);
  return op.run({stream, {}, step}, operands, results);
}

struct FusedContraction;

/// A library that executes ops. Stateless apart from caches; thread-safe.
class Provider {
public:
  virtual ~Provider() = default;
  /// "reference", "onednn", "eigen".
  virtual std::string_view name() const = 0;
  /// Prepares an op for a signature. Returns null where this library does not
  /// implement the op, and an error where it does but fails. May be slow,
  /// because libraries create primitives here.
  virtual Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const = 0;
  /// Makes ready what any op of this kind and these element types needs, such
  /// as compiled code, so that a prepare of one does not. The types may have
  /// dynamic dims. Does nothing for an op that the library does not implement.
  virtual Status warmUp(const OpSignature &) const { return {}; }
  /// Prepares a contraction with its epilogue as one call. Returns null where
  /// this library has no such call.
  virtual Expected<std::unique_ptr<PreparedOp>>
  prepareFused(const FusedContraction &) const {
    return nullptr;
  }
};

/// The reference tier's provider: plain loops with f64 accumulation, for every
/// op and dtype. All other tiers are tested against it.
const Provider &referenceProvider();
/// Evaluates a single op as the reference provider does, on tensors in the
/// host's memory. Fails for a custom_call.
Status evaluateByReference(const OpDesc &op, std::span<const Tensor> operands,
                           Tensor &result);
/// oneDNN's conv, matmul and avg_pool on f32, and on bf16 where the host has
/// instructions for it. Its max_pool is not used because it drops NaNs, nor its
/// softmax because it is slower than Eigen's.
const Provider &oneDNNProvider();

/// Keeps idle OpenMP workers from spinning. Programs that call oneDNN beside
/// Tandem should call this before any OpenMP region that several threads may
/// share; oneDNNProvider does so by itself.
///
/// When a parallel region ends, libgomp's workers spin 300,000 times, and for
/// those milliseconds they occupy the cores that oneTBB wants for the next
/// kernel. Where a process has more OpenMP threads than processors, they spin
/// 100 times only (libgomp's manual, GOMP_SPINCOUNT). This function therefore
/// starts enough further threads, which sleep: two where OpenMP uses every
/// processor. It does nothing where the environment sets how OpenMP waits, or
/// where the OpenMP library is not libgomp. The first call starts the threads;
/// later calls cost a comparison. Thread-safe.
void letIdleWorkersSleep();

/// Ops on Eigen's vectorised arrays: elementwise and shape ops of every type;
/// and, except for 16-bit floats, reductions, softmax, batch_norm, max_pool and
/// the matmuls that oneDNN lacks.
const Provider &eigenProvider();

/// Creates a provider for those ops on 16-bit floats that are not elementwise
/// and that oneDNN lacks: it casts the operands to f32, runs the op of `inner`,
/// and casts the result back.
std::unique_ptr<Provider> createThroughFloatProvider(ProviderList inner);

/// The providers of the eager tier on the CPU, in order: oneDNN, 16-bit floats
/// through f32, Eigen, registered functions, and the reference.
ProviderList eagerProviders();
/// The reference provider, and the references of registered functions.
ProviderList referenceProviders();

/// Prepares an op with the first of `providers` that implements it. Where none
/// does, the error names the op, the types and the providers.
Expected<std::unique_ptr<PreparedOp>> prepareOp(ProviderList providers,
                                                const OpSignature &signature);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROVIDER_H
