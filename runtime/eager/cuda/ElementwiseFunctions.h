//===- ElementwiseFunctions.h - Device functions of one element -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which functions of single elements the GPU's own kernels are made of: every
// elementwise op of the table, on every type that its shape rule accepts. The
// compiler prints them as CUDA C++ while Tandem is built
// (lib/Target/CUDA/DeviceFunctions), so that an op's semantics have one home.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_CUDA_ELEMENTWISEFUNCTIONS_H
#define TANDEM_RUNTIME_EAGER_CUDA_ELEMENTWISEFUNCTIONS_H

#include "tandem/Support/ShapeRules.h"

#include <string>
#include <vector>

namespace tandem::cuda {

/// A function `void NAME(const T0 *in0, …, R *out)`, which reads and writes one
/// element each.
struct ElementwiseFunction {
  OpDesc op;
  std::vector<DType> operands;
  DType result;
  /// "add_f32", "compare_lt_i8", "cast_f32_i32".
  std::string name;
};

/// The groups that functions are compiled in, each in less than a second.
enum class FunctionGroup {
  unary,          ///< Cheap ones of one operand.
  nary,           ///< Cheap ones of two or three.
  cast,           ///< Those that differ by the type of the result alone.
  transcendental, ///< Those that count as a transcendental function.
  conversions,    ///< Casts that kernels of all other ops use.
};
inline constexpr FunctionGroup kFunctionGroups[] = {
    FunctionGroup::unary, FunctionGroup::nary, FunctionGroup::cast,
    FunctionGroup::transcendental, FunctionGroup::conversions};
/// The group of an elementwise op's function.
FunctionGroup groupOf(OpKind kind);
std::string_view name(FunctionGroup group);

/// The name of the function of an op: of its attributes and types.
std::string functionName(const OpDesc &op, std::span<const DType> operands,
                         DType result);

/// The functions of a group whose last operand is of `dtype` (conversions: from
/// it and to it).
std::vector<ElementwiseFunction> elementwiseFunctions(FunctionGroup group,
                                                      DType dtype);

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_EAGER_CUDA_ELEMENTWISEFUNCTIONS_H
