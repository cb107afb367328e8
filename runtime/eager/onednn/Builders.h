//===- Builders.h - oneDNN plans for ops ------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that build the Plan of one op for static, non-empty types. They
// throw dnnl::error where the library has no implementation for these types on
// this host; the provider catches it.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_ONEDNN_BUILDERS_H
#define TANDEM_RUNTIME_EAGER_ONEDNN_BUILDERS_H

#include "Plan.h"

namespace tandem::onednn {

using Signature = OpSignature;

/// The buffer that holds operand `number`, described by `from`, in the format
/// `to`. A constant is converted now, any other operand by a reorder in each
/// run.
inline Buffer converted(const Signature &signature, Plan &plan, int number,
                        const dnnl::memory::desc &from,
                        const dnnl::memory::desc &to) {
  return from != to && signature.isConstant(number)
             ? plan.convertedNow(signature.constants[number], from, to)
             : plan.converted(Plan::operand(number), from, to);
}

/// The dims and type of `desc` in a format that the library may choose.
inline dnnl::memory::desc anyFormat(const dnnl::memory::desc &desc) {
  return {desc.dims(), desc.data_type(), dnnl::memory::format_tag::any};
}

void buildConv(const Signature &signature, Plan &plan);
void buildDeconv(const Signature &signature, Plan &plan);
void buildConvBackwardWeights(const Signature &signature, Plan &plan);
void buildMatmul(const Signature &signature, Plan &plan);
void buildAvgPool(const Signature &signature, Plan &plan);

/// The library's element type for `dtype`, which must be f32, bf16, ui8, i8 or
/// i32.
inline dnnl::memory::data_type dataType(DType dtype) {
  using Type = dnnl::memory::data_type;
  return dtype == DType::bf16  ? Type::bf16
         : dtype == DType::ui8 ? Type::u8
         : dtype == DType::i8  ? Type::s8
         : dtype == DType::i32 ? Type::s32
                               : Type::f32;
}

/// Whether an implementation, given by the library's name for it, is the
/// library's slow reference code.
inline bool isFallback(const char *implementation) {
  return std::string_view(implementation).starts_with("ref");
}

/// Whether an implementation, given by the library's name for it, is code that
/// the library generates for the op, and not a matrix product between copies.
inline bool isGenerated(const char *implementation) {
  return std::string_view(implementation).starts_with("jit");
}

} // namespace tandem::onednn

#endif // TANDEM_RUNTIME_EAGER_ONEDNN_BUILDERS_H
