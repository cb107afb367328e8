//===- Provider.h - What executes op steps: the op table -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROVIDER_H
#define TANDEM_RUNTIME_PROVIDER_H

#include "tandem/Runtime/Tensor.h"
#include "tandem/Support/ShapeRules.h"

#include <memory>
#include <span>
#include <string_view>

namespace tandem {

/// An op made ready for one signature (operand and result types): a library
/// primitive, or a prebuilt kernel. Immutable; many threads may call run.
class PreparedOp {
public:
  virtual ~PreparedOp() = default;
  /// Reads `operands`, writes every element of `results`, which the caller has
  /// allocated. The types are those it was prepared for. A result shares no
  /// memory with an operand.
  virtual Status run(std::span<const Tensor> operands,
                     std::span<Tensor> results) const = 0;
  /// The most bytes that a run allocates, beside its results, from
  /// cachingAllocator(), and gives back.
  virtual int64_t workspaceBytes() const { return 0; }
};

/// A library that executes ops. Stateless apart from caches; thread-safe.
class Provider {
public:
  virtual ~Provider() = default;
  /// "reference", "onednn", "eigen".
  virtual std::string_view name() const = 0;
  virtual bool supports(const OpDesc &op, std::span<const TensorType> operands,
                        std::span<const TensorType> results) const = 0;
  /// May be slow (primitive creation). All types are static.
  virtual Expected<std::unique_ptr<PreparedOp>>
  prepare(const OpDesc &op, std::span<const TensorType> operands,
          std::span<const TensorType> results) const = 0;
  /// For an op of a compiled program: constants[i] is the value of operand i
  /// where that is the same at every run, else an empty tensor. What is worked
  /// out from it ahead, such as weights in the library's own format, belongs to
  /// the prepared op.
  virtual Expected<std::unique_ptr<PreparedOp>>
  prepareWithConstants(const OpDesc &op, std::span<const TensorType> operands,
                       std::span<const TensorType> results,
                       std::span<const Tensor> constants) const {
    (void)constants;
    return prepare(op, operands, results);
  }
};

/// Plain loops with f64 accumulation; every op and dtype. The oracle.
const Provider &referenceProvider();
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

/// Eigen's vectorised arrays: elementwise, reductions, softmax, batch_norm,
/// max_pool, shape ops, and the matmuls that oneDNN lacks.
const Provider &eigenProvider();

/// Providers in order of preference.
using ProviderList = std::span<const Provider *const>;
/// {oneDNN, Eigen, reference}: what eager means on the CPU.
ProviderList eagerProviders();
/// {reference}.
ProviderList referenceProviders();

/// The first of `providers` that supports the op; an error naming op, types and
/// providers where none does.
Expected<const Provider *> findProvider(ProviderList providers,
                                        const OpDesc &op,
                                        std::span<const TensorType> operands,
                                        std::span<const TensorType> results);

} // namespace tandem

#endif // TANDEM_RUNTIME_PROVIDER_H
