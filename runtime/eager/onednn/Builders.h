//===- Builders.h - oneDNN plans for ops ------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each builds the plan of one op for static, non-empty types. They throw
// dnnl::error where the library has no implementation for these on this host.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_ONEDNN_BUILDERS_H
#define TANDEM_RUNTIME_EAGER_ONEDNN_BUILDERS_H

#include "Plan.h"

namespace tandem::onednn {

using Signature = OpSignature;

/// Where operand `number`, given as `from`, is in the form `to`: converted now
/// if it is a constant, else by a reorder at each run.
inline Buffer converted(const Signature &signature, Plan &plan, int number,
                        const dnnl::memory::desc &from,
                        const dnnl::memory::desc &to) {
  return from != to && signature.isConstant(number)
             ? plan.convertedNow(signature.constants[number], from, to)
             : plan.converted(Plan::operand(number), from, to);
}

/// `desc` in a format of the library's choice.
inline dnnl::memory::desc anyFormat(const dnnl::memory::desc &desc) {
  return {desc.dims(), desc.data_type(), dnnl::memory::format_tag::any};
}

void buildConv(const Signature &signature, Plan &plan);
void buildMatmul(const Signature &signature, Plan &plan);
void buildAvgPool(const Signature &signature, Plan &plan);

/// The library's name of an element type; f32 and bf16 alone are asked for.
inline dnnl::memory::data_type dataType(DType dtype) {
  return dtype == DType::bf16 ? dnnl::memory::data_type::bf16
                              : dnnl::memory::data_type::f32;
}

/// The first implementation that the library would choose is its slow fallback.
inline bool isFallback(const char *implementation) {
  return std::string_view(implementation).starts_with("ref");
}

} // namespace tandem::onednn

#endif // TANDEM_RUNTIME_EAGER_ONEDNN_BUILDERS_H
