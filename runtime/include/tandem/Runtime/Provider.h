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

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>

namespace tandem {

/// A description of an op that a provider prepares: the op, its types and its
/// constants. The caller must keep the referenced objects alive during the
/// call.
struct OpSignature {
  const OpDesc &op;
  /// The types of the operands and results; all static.
  std::span<const TensorType> operands, results;
  /// In a compiled program, constants[i] is the value of operand i if the
  /// operand has the same value in every run, and otherwise an empty tensor.
  /// `constants` may have fewer entries than `operands`. The prepared op owns
  /// everything that it computes from constants, such as weights in the
  /// library's own format.
  std::span<const Tensor> constants = {};

  /// The result type of an op with one result.
  const TensorType &result() const { return results[0]; }
  /// Returns true if a result has elements.
  bool hasElements() const {
    return std::any_of(results.begin(), results.end(), [](const auto &type) {
      return type.shape.numElements() != 0;
    });
  }
  bool isConstant(size_t operand) const {
    return operand < constants.size() && constants[operand];
  }
};

/// An op that is ready to run for one signature, such as a library primitive or
/// a prebuilt kernel. Immutable; any number of threads may call run.
class PreparedOp {
public:
  virtual ~PreparedOp() = default;
  /// Enqueues the op on the context's stream. The op reads `operands` and
  /// writes every element of `results`, which the caller has allocated. The
  /// types of the tensors must be those for which the op was prepared. No
  /// result may share memory with an operand. Both lists are read before run
  /// returns. The memory of the tensors must stay alive until the stream has
  /// finished the op.
  virtual Status run(const StepContext &context,
                     std::span<const Tensor> operands,
                     std::span<Tensor> results) const = 0;
  /// The size of the workspace (StepContext::workspace) that a run needs, in
  /// bytes.
  virtual int64_t workspaceBytes() const { return 0; }
};

/// Runs `op` with a workspace of `bytes` bytes that is allocated from the
/// stream.
Status runWithWorkspace(const PreparedOp &op, int64_t bytes,
                        std::span<const Tensor> operands,
                        std::span<Tensor> results, Stream &stream,
                        std::string_view step);

/// Runs `op` once. Allocates a workspace from the stream if the op needs one.
/// `step` is passed on as StepContext::step.
inline Status runOp(const PreparedOp &op, std::span<const Tensor> operands,
                    std::span<Tensor> results,
                    Stream &stream = hostDevice().defaultStream(),
                    std::string_view step = {}) {
  if (int64_t bytes = op.workspaceBytes())
    return runWithWorkspace(op, bytes, operands, results, stream, step);
  return op.run({stream, {}, step}, operands, results);
}

struct FusedContraction;

/// A library that executes ops. Stateless except for caches. Thread-safe.
class Provider {
public:
  virtual ~Provider() = default;
  /// The name of the library, e.g. "reference", "onednn" or "eigen".
  virtual std::string_view name() const = 0;
  /// Prepares an op for a signature. Returns null if the library does not
  /// implement the op, and an error if the library implements the op but cannot
  /// prepare it. This function may be slow, because libraries create their
  /// primitives in it.
  virtual Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpSignature &signature) const = 0;
  /// Prepares everything that ops of this kind and these dtypes need, such as
  /// compiled code, so that later calls of prepare are faster. The types may
  /// have dynamic dims. Does nothing if the library does not implement the op.
  virtual Status warmUp(const OpSignature &) const { return {}; }
  /// Prepares a contraction and its epilogue as one library call. Returns null
  /// if the library has no such call.
  virtual Expected<std::unique_ptr<PreparedOp>>
  prepareFused(const FusedContraction &) const {
    return nullptr;
  }
};

/// The provider of the reference tier: plain loops with f64 accumulation, for
/// every op and dtype. All other tiers are tested against this provider.
const Provider &referenceProvider();
/// Evaluates a single op as the reference provider does, on tensors in host
/// memory. The results must be allocated and have the types of the op's
/// results. Fails for a custom_call.
Status evaluateByReference(const OpDesc &op, std::span<const Tensor> operands,
                           std::span<Tensor> results);
/// The provider that runs conv, matmul and avg_pool with oneDNN, for f32, and
/// for bf16 if the host has bf16 instructions; conv_backward_data over two
/// spatial dims in f32; and conv and matmul of integers of 8 bits with results
/// of i32, if the host has VNNI and the sums are exact. oneDNN's max_pool is not
/// used because it drops NaNs. oneDNN's softmax is not used because it is
/// slower than Eigen's.
const Provider &oneDNNProvider();

/// Prevents idle OpenMP workers from spinning. A program that calls oneDNN
/// directly as well as Tandem should call this function before any OpenMP
/// region that several threads may share. oneDNNProvider calls this function
/// itself.
///
/// When a parallel region ends, libgomp's workers spin for 300,000 iterations,
/// which takes milliseconds. During this time, the workers occupy the cores
/// that oneTBB needs for the next kernel. If a process has more OpenMP threads
/// than processors, the workers spin for only 100 iterations (libgomp manual,
/// GOMP_SPINCOUNT). This function therefore starts additional threads that
/// sleep: two if OpenMP uses every processor, and more if OpenMP uses fewer.
/// The function does nothing if environment variables specify how OpenMP
/// threads wait, or if the OpenMP library is not libgomp. If the program shares
/// the library (shareOpenMP), the function ends the threads. The first call
/// starts the threads; later calls cost one comparison. Thread-safe.
void letIdleWorkersSleep();

/// The provider that runs ops on Eigen's vectorized arrays. It implements
/// elementwise and shape ops for all types. For all types except 16-bit floats,
/// it also implements reductions, softmax, batch_norm, max_pool, and the
/// matmuls that oneDNN lacks.
const Provider &eigenProvider();

/// Creates a provider for the ops on 16-bit floats that are not elementwise and
/// that oneDNN does not implement. This provider casts the operands to f32,
/// runs the op with a provider of `inner`, and casts the result back. The
/// providers in `inner` must outlive the result.
std::unique_ptr<Provider> createThroughFloatProvider(ProviderList inner);

/// The providers of the eager tier on the CPU, in this order: oneDNN, the
/// provider that computes ops on 16-bit floats in f32, Eigen, registered
/// functions (CustomCall.h), and the reference provider.
ProviderList eagerProviders();
/// The reference provider, and the reference functions of custom_call targets.
ProviderList referenceProviders();

/// Prepares an op with the first of `providers` that implements the op. If no
/// provider implements the op, fails with phase "execute"; the message names
/// the op, the types and the providers.
Expected<std::unique_ptr<PreparedOp>> prepareOp(ProviderList providers,
                                                const OpSignature &signature);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROVIDER_H
