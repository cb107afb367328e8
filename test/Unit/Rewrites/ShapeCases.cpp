//===- ShapeCases.cpp - Rewrites of ops that move elements ----------------===//
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

/// %a, which is %x in the shape [N, 1].
const std::string kColumn =
    "%a = tandem.reshape %x shape = [{N}, 1] : ({V}) -> tensor<{N}x1x{T}>\n";
const std::string kColumnType = "tensor<{N}x1x{T}>";
const std::string kRowType = "tensor<1x{N}x{T}>";

/// A rewrite case of all types that is exact.
RewriteCase moves(const char *rewrite, const std::string &body,
                  const std::string &result = "{V}") {
  return {rewrite, allTypes(), {}, [=](DType) {
            return std::vector<Variant>{{body, result}};
          }};
}

RewriteCase reshapeOfConstant() {
  return {"ReshapeOp: reshapeOfConstant", allTypes(), {}, [](DType dtype) {
            return withEachConstant(
                dtype, {{"%a = tandem.constant dense<{C}> : tensor<2x{T}>\n"
                         "%r = tandem.reshape %a shape = [2, 1] : "
                         "(tensor<2x{T}>) -> tensor<2x1x{T}>",
                         "tensor<2x1x{T}>"}});
          }};
}

} // namespace

static std::vector<RewriteCase> casesOfReshapes() {
  return {
      moves("ReshapeOp: reshapeToSameShape",
            "%r = tandem.reshape %x shape = [{N}] : ({V}) -> {V}"),
      moves("ReshapeOp: reshapeOfReshape",
            kColumn + "%r = tandem.reshape %a shape = [1, {N}] : (" +
                kColumnType + ") -> " + kRowType,
            kRowType),
      reshapeOfConstant(),
      moves("TransposeOp: transposeByIdentity",
            kColumn + "%r = tandem.transpose %a permutation = [0, 1] : (" +
                kColumnType + ") -> " + kColumnType,
            kColumnType),
      moves("TransposeOp: transposeOfTranspose",
            kColumn + "%b = tandem.transpose %a permutation = [1, 0] : (" +
                kColumnType + ") -> " + kRowType +
                "\n%r = tandem.transpose %b permutation = [1, 0] : (" +
                kRowType + ") -> " + kColumnType,
            kColumnType),
      moves("TransposeOfUnitDims",
            kColumn + "%r = tandem.transpose %a permutation = [1, 0] : (" +
                kColumnType + ") -> " + kRowType,
            kRowType),
      moves("BroadcastOp: broadcastToSameType",
            "%r = tandem.broadcast %x shape = [{N}] dims = [0] : ({V}) -> {V}"),
  };
}

static std::vector<RewriteCase> casesOfPieces() {
  return {
      moves("SliceOp: sliceOfEverything",
            "%r = tandem.slice %x starts = [0] limits = [{N}] strides = [1] : "
            "({V}) -> {V}"),
      moves("SliceOp: sliceOfSlice",
            "%c = tandem.concat %x, %x axis = 0 : ({V}, {V}) -> tensor<?x{T}>\n"
            "%d = tandem.reshape %c shape = [2, {N}] : (tensor<?x{T}>) -> "
            "tensor<2x{N}x{T}>\n"
            "%a = tandem.slice %d starts = [1, 0] limits = [2, {N}] strides = "
            "[1, 1] : (tensor<2x{N}x{T}>) -> tensor<1x{N}x{T}>\n"
            "%r = tandem.slice %a starts = [0, 1] limits = [1, 2] strides = "
            "[1, 1] : (tensor<1x{N}x{T}>) -> tensor<1x1x{T}>",
            "tensor<1x1x{T}>"),
      {"PadOp: padByNothing",
       numberTypes(),
       {},
       [](DType) {
         return std::vector<Variant>{
             {"%r = tandem.pad %x low = [0] high = [0] interior = [0] value = "
              "0.0 : ({V}) -> {V}"}};
       }},
      moves("ConcatOp: concatOfOne",
            "%r = tandem.concat %x axis = 0 : ({V}) -> {V}"),
      moves("FlattenConcat",
            kColumn +
                "%b = tandem.concat %a, %a axis = 1 : (tensor<{N}x1x{T}>, "
                "tensor<{N}x1x{T}>) -> tensor<{N}x2x{T}>\n"
                "%r = tandem.concat %b, %a axis = 1 : (tensor<{N}x2x{T}>, "
                "tensor<{N}x1x{T}>) -> tensor<{N}x3x{T}>",
            "tensor<{N}x3x{T}>"),
      {"RefineResultType", numberTypes(), {}, [](DType) {
         return std::vector<Variant>{
             {"%a = tandem.relu %x : ({V}) -> tensor<?x{T}>\n"
              "%r = tandem.abs %a : (tensor<?x{T}>) -> {V}"}};
       }}};
}

std::vector<RewriteCase> test::shapeCases() {
  std::vector<RewriteCase> cases = casesOfReshapes();
  for (const RewriteCase &more : casesOfPieces())
    cases.push_back(more);
  return cases;
}
