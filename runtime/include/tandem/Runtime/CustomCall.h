//===- CustomCall.h - Functions for custom_call ops -------------*- C++ -*-===//
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

/// The arguments of a custom_call function.
struct CustomCallArgs {
  /// The `config` attribute of the op.
  std::string_view config;
  /// Dense row-major tensors in the memory of the function's device. The
  /// function must not write to operands and must write every element of the
  /// results. No result shares memory with an operand.
  std::span<const Tensor> operands;
  std::span<Tensor> results;
  /// The stream on which the function enqueues its work. On the CPU, the work
  /// must be complete when the function returns.
  Stream &stream;
};

/// A function that `custom_call` ops refer to by the name of a target. The
/// function must be pure: the same operands always give the same results. Any
/// number of threads may call each member at the same time. The members must
/// not throw.
struct CustomCall {
  /// Computes the results of one op.
  using Run = std::function<Status(const CustomCallArgs &)>;
  /// Infers the result types for operands of static types. `written` holds the
  /// result types that the graph declares for the op, which may have dynamic
  /// dims.
  using InferTypes = std::function<Expected<std::vector<TensorType>>(
      std::string_view config, std::span<const TensorType> operands,
      std::span<const TensorType> written)>;

  Run run;
  /// The reference implementation of `run`. The reference tier calls this
  /// function, and results of `run` are compared with the results of this
  /// function. Only a registration for the CPU uses this member. If the member
  /// is empty, the reference tier calls the `run` of the registration for the
  /// CPU.
  Run reference = {};
  /// The relative error bound of `run`, at most 0.1. Each element of a result
  /// of `run` must be within relativeError * (|x| + rms) of the element x that
  /// the reference computes, where rms is the root mean square of the result
  /// tensor.
  double relativeError = 0;
  /// Infers the result types. Needed only if the graph declares result types
  /// with dynamic dims for a custom_call op of this target.
  InferTypes inferTypes = {};
  /// The name of another target, which computes the gradients of this target
  /// and is registered by another call of registerCustomCall; empty if this
  /// target has no gradient. The operands of the other target are the operands
  /// of the op, then its results, and then the gradients of all results with a
  /// float element type. Its results are the gradients of all operands with a
  /// float element type, each with the type of the operand. Both targets are
  /// given the same `config`.
  std::string gradient = {};
};

/// Registers `call` for all custom_call ops of the target `target` on `device`.
/// The registration lasts until the process ends. Fails with phase "register"
/// if `target` is empty, `call.run` is empty, `call.relativeError` is not
/// between 0 and 0.1, or the target is already registered for this device. All
/// functions of this header are thread-safe.
Status registerCustomCall(std::string target, CustomCall call,
                          const Device &device = hostDevice());

/// Returns the function that is registered for a target on a device; null if
/// there is none.
std::shared_ptr<const CustomCall> findCustomCall(std::string_view target,
                                                 const Device &device);

/// Returns the result types of a custom_call. If the types that the graph
/// declares are all static, the function returns the declared types. Otherwise
/// the function calls the `inferTypes` that is registered for the target on any
/// device. The inferred types must agree with the declared types. Errors have
/// phase "shape".
Expected<std::vector<TensorType>>
inferCustomCall(const fb::CustomCallAttrsT &call,
                std::span<const TensorType> operands);

} // namespace tandem

#endif // TANDEM_RUNTIME_CUSTOMCALL_H
