//===- ByteCases.cpp - Rewrites of quantized graphs -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteCases.h"

using namespace tandem;
using namespace tandem::test;

namespace {

using Variants = std::vector<Variant>;

/// The largest of dequantized numbers, with neighbors and padding.
Variants poolOfBytes(DType) {
  Variants variants;
  for (const char *ops :
       {"%d = tandem.sub %c, %s : (tensor<1x{N}x1xf32>, tensor<f32>) -> "
        "tensor<1x{N}x1xf32>\n"
        "%e = tandem.mul %d, %t : (tensor<1x{N}x1xf32>, tensor<f32>) -> "
        "tensor<1x{N}x1xf32>",
        "%d = tandem.div %c, %t : (tensor<1x{N}x1xf32>, tensor<f32>) -> "
        "tensor<1x{N}x1xf32>\n"
        "%e = tandem.add %d, %s : (tensor<1x{N}x1xf32>, tensor<f32>) -> "
        "tensor<1x{N}x1xf32>"})
    variants.push_back(
        {"%s = tandem.constant dense<7.0> : tensor<f32>\n"
         "%t = tandem.constant dense<0.1> : tensor<f32>\n"
         "%b = tandem.reshape %x shape = [1, {N}, 1] : ({V}) -> "
         "tensor<1x{N}x1x{T}>\n"
         "%c = tandem.cast %b : (tensor<1x{N}x1x{T}>) -> "
         "tensor<1x{N}x1xf32>\n" +
             std::string(ops) +
             "\n%r = tandem.max_pool %e layout = \"NWC\" window = [2] "
             "pad_low = [1] : (tensor<1x{N}x1xf32>) -> tensor<1x{N}x1xf32>",
         "tensor<1x{N}x1xf32>"});
  return variants;
}

Variants functionsOfBytes(DType) {
  Variants variants;
  for (const char *function : {"tanh", "sigmoid", "exp", "gelu"})
    variants.push_back(
        {"%s = tandem.constant dense<0.05> : tensor<f32>\n"
         "%c = tandem.cast %x : ({V}) -> tensor<{N}xf32>\n"
         "%d = tandem.mul %c, %s : (tensor<{N}xf32>, tensor<f32>) -> "
         "tensor<{N}xf32>\n"
         "%e = tandem." +
             std::string(function) +
             " %d : tensor<{N}xf32>\n"
             "%f = tandem.div %e, %s : (tensor<{N}xf32>, tensor<f32>) -> "
             "tensor<{N}xf32>\n"
             "%g = tandem.round %f : tensor<{N}xf32>\n"
             "%r = tandem.cast %g : (tensor<{N}xf32>) -> {V}",
         "{V}"});
  return variants;
}

/// Floats that are moved and quantized.
Variants movedFloats(DType) {
  const std::string quantize =
      "\n%s = tandem.constant dense<0.3> : tensor<f32>\n"
      "%o = tandem.constant dense<5.0> : tensor<f32>\n"
      "%d = tandem.div %c, %s : (tensor<3x{N}xf32>, tensor<f32>) -> "
      "tensor<3x{N}xf32>\n"
      "%e = tandem.round %d : tensor<3x{N}xf32>\n"
      "%f = tandem.add %e, %o : (tensor<3x{N}xf32>, tensor<f32>) -> "
      "tensor<3x{N}xf32>\n"
      "%r = tandem.cast %f : (tensor<3x{N}xf32>) -> tensor<3x{N}xui8>";
  Variants variants;
  for (const char *move :
       {"%a = tandem.reshape %x shape = [1, {N}] : ({V}) -> tensor<1x{N}xf32>\n"
        "%b = tandem.neg %a : tensor<1x{N}xf32>\n"
        "%c = tandem.concat %a, %b, %a axis = 0 : (tensor<1x{N}xf32>, "
        "tensor<1x{N}xf32>, tensor<1x{N}xf32>) -> tensor<3x{N}xf32>",
        "%a = tandem.reshape %x shape = [{N}, 1] : ({V}) -> tensor<{N}x1xf32>\n"
        "%b = tandem.resize %a mode = nearest dims = [1] scales = [3.0] : "
        "(tensor<{N}x1xf32>) -> tensor<{N}x3xf32>\n"
        "%c = tandem.transpose %b permutation = [1, 0] : (tensor<{N}x3xf32>) "
        "-> tensor<3x{N}xf32>"})
    variants.push_back({move + quantize, "tensor<3x{N}xui8>"});
  return variants;
}

} // namespace

std::vector<RewriteCase> test::byteCases() {
  const Types bytes = {DType::i8, DType::ui8};
  RewriteCase tables{"tandem-tabulate-bytes", bytes, {}, functionsOfBytes};
  tables.isBounded = true;
  return {{"PoolIntegers", bytes, {}, poolOfBytes},
          tables,
          {"tandem-quantize-before-moves", {DType::f32}, {}, movedFloats}};
}
