//===- CustomCall.h - Functions that custom_call calls ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_CUSTOMCALL_H
#define TANDEM_RUNTIME_CUSTOMCALL_H

#include "tandem/Runtime/Device.h"
#include "tandem/Runtime/Tensor.h"
#include "tandem/Support/ShapeRules.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// What a function is called with.
struct CustomCallArgs {
  /// The op's.
  std::string_view config;
  /// Dense row-major tensors in the memory of the function's device. Operands
  /// must not be written to; every element of the results must be. No result
  /// shares memory with an operand.
  std::span<const Tensor> operands;
  std::span<Tensor> results;
  /// Where the work is to be enqueued; on the CPU it is to be done before the
  /// function returns.
  Stream &stream;
};

/// A function that `custom_call` ops name as their target. It must be pure: the
/// same operands give the same results, whenever and however often it is
/// called. Any number of threads may call each of the members at once; none may
/// throw.
struct CustomCall {
  using Run = std::function<Status(const CustomCallArgs &)>;
  /// `written` are the result types as the op has them.
  using InferTypes = std::function<Expected<std::vector<TensorType>>(
      std::string_view config, std::span<const TensorType> operands,
      std::span<const TensorType> written)>;

  Run run;
  /// What `run` is compared with: on the CPU, for the reference tier. Where it
  /// is missing, that is `run` of the CPU.
  Run reference = {};
  /// An element of a result of `run` is at most relativeError·(|x| + rms) from
  /// the reference's element x, where rms is the root mean square of its
  /// tensor. At most 0.1.
  double relativeError = 0;
  /// The types of the results for operands of static types, for ops whose
  /// written result types have dims that are not known. Elsewhere not needed.
  InferTypes inferTypes = {};
};

/// Makes `call` the function that ops of this target call on `device`, for the
/// rest of the process. Fails where there is one already, and where the target
/// is empty or `call.run` missing. Thread-safe, as are all functions here.
Status registerCustomCall(std::string target, CustomCall call,
                          const Device &device = hostDevice());

/// The function of a target on a device; null if there is none.
std::shared_ptr<const CustomCall> findCustomCall(std::string_view target,
                                                 const Device &device);

/// The result types of a custom_call: those that are written, and where one has
/// unknown dims those that the target's function infers on any device, which
/// must agree with what is written.
Expected<std::vector<TensorType>>
inferCustomCall(const fb::CustomCallAttrsT &call,
                std::span<const TensorType> operands);

} // namespace tandem

#endif // TANDEM_RUNTIME_CUSTOMCALL_H
