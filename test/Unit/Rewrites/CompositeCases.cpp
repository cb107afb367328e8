//===- CompositeCases.cpp - Rewrites of ops that combine elements ---------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteCases.h"

#include <cstdlib>
#include <limits>

using namespace tandem;
using namespace tandem::test;

namespace {

using Variants = std::vector<Variant>;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

std::vector<std::string> reductionsOf(DType dtype) {
  std::vector<std::string> kinds = {"sum", "prod", "max", "min"};
  if (isFloat(dtype))
    kinds.push_back("mean");
  return kinds;
}

Variants reduceNothing(DType dtype) {
  Variants variants;
  for (const std::string &kind : reductionsOf(dtype))
    variants.push_back(
        {"%r = tandem.reduce %x kind = " + kind + " dims = [] : ({V}) -> {V}"});
  return variants;
}

/// Along one element, and along two that are equal, of which no sum is rounded.
Variants reduceUnitDims(DType dtype) {
  Variants variants;
  for (const std::string &kind : reductionsOf(dtype)) {
    const std::string row =
        "%a = tandem.reshape %x shape = [1, {N}] : ({V}) -> "
        "tensor<1x{N}x{T}>\n";
    const auto reduce = [&](const std::string &value, const std::string &rows) {
      return "%r = tandem.reduce " + value + " kind = " + kind +
             " dims = [0] : (tensor<" + rows + "x{N}x{T}>) -> {V}";
    };
    variants.push_back({row + reduce("%a", "1")});
    if (kind != "prod" && kind != "mean")
      variants.push_back({row +
                          "%b = tandem.concat %a, %a axis = 0 : "
                          "(tensor<1x{N}x{T}>, tensor<1x{N}x{T}>) -> "
                          "tensor<2x{N}x{T}>\n" +
                          reduce("%b", "2")});
  }
  return variants;
}

/// Columns of which one element is x, one far away is y, and all others do
/// nothing to the result.
Variants reduceLongColumns(DType dtype) {
  const double inf = std::numeric_limits<double>::infinity();
  Variants variants;
  for (const std::string &kind : reductionsOf(dtype)) {
    const double neutral = kind == "prod"  ? 1
                           : kind == "max" ? -inf
                           : kind == "min" ? inf
                                           : 0;
    const std::string row = "tensor<1x{N}x{T}>";
    variants.push_back(
        {"%c = tandem.constant dense<" +
         constantText(dtype, bitsOf(dtype, neutral)) +
         "> : tensor<511x{N}x{T}>\n"
         "%a = tandem.reshape %x shape = [1, {N}] : ({V}) -> " +
         row + "\n%b = tandem.reshape %y shape = [1, {N}] : ({V}) -> " + row +
         "\n%d = tandem.concat %c, %a, %c, %b axis = 0 : "
         "(tensor<511x{N}x{T}>, " +
         row + ", tensor<511x{N}x{T}>, " + row +
         ") -> tensor<1024x{N}x{T}>\n"
         "%r = tandem.reduce %d kind = " +
         kind + " dims = [0] : (tensor<1024x{N}x{T}>) -> {V}"});
  }
  return variants;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// x * y + 1, as a product of matrices for each element.
Variants transposedMatmul(DType) {
  const std::string column = "tensor<{N}x1x1x{T}>",
                    pair = "tensor<{N}x2x1x{T}>";
  std::string body = "%c = tandem.constant dense<{=1}> : " + column + "\n";
  for (auto [from, to, both] :
       {std::tuple("x", "a", "b"), std::tuple("y", "d", "e")})
    body += std::string("%") + to + " = tandem.reshape %" + from +
            " shape = [{N}, 1, 1] : ({V}) -> " + column + "\n%" + both +
            " = tandem.concat %" + to + ", %c axis = 1 : (" + column + ", " +
            column + ") -> " + pair + "\n";
  return {{body + "%t = tandem.transpose %b permutation = [0, 2, 1] : (" +
               pair +
               ") -> tensor<{N}x1x2x{T}>\n"
               "%r = tandem.matmul %t, %e : (tensor<{N}x1x2x{T}>, " +
               pair + ") -> " + column,
           column}};
}

/// Texts of constants with an element for each combination of two values.
struct Combinations {
  std::string first, second;
  int count = 0;
};
Combinations combine(DType dtype, const std::vector<double> &firsts,
                     const std::vector<double> &seconds) {
  Combinations all;
  for (double first : firsts)
    for (double second : seconds) {
      const std::string comma = all.count++ ? ", " : "";
      all.first += comma + constantText(dtype, bitsOf(dtype, first));
      all.second += comma + constantText(dtype, bitsOf(dtype, second));
    }
  return all;
}

const double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A convolution of single elements: a channel for each weight and bias. No
/// product overflows by less than a bias: oneDNN's code for AVX2 begins with
/// the bias, so that such a sum is a number there, and infinite elsewhere.
Variants addToConv(DType dtype) {
  const double large = dtype == DType::f16 ? 65504 : 1e30;
  const std::vector<double> some = {0, -0.0, 1,     -1,     2,         0.5,
                                    3, 1e-3, large, -large, kInfinity, kNaN};
  const Combinations all = combine(dtype, some, some);
  const std::string n = std::to_string(all.count);
  const std::string kernel = "tensor<1x1x" + n + "x{T}>";
  const std::string bias = "tensor<" + n + "x{T}>";
  const std::string output = "tensor<{N}x1x" + n + "x{T}>";
  return {{"%k = tandem.constant dense<[[[" + all.first + "]]]> : " + kernel +
               "\n%b = tandem.constant dense<[" + all.second + "]> : " + bias +
               "\n%a = tandem.reshape %x shape = [{N}, 1, 1] : ({V}) -> "
               "tensor<{N}x1x1x{T}>\n"
               "%c = tandem.conv %a, %k layout = <input = \"NWC\", kernel = "
               "\"WIO\", output = \"NWC\"> : (tensor<{N}x1x1x{T}>, " +
               kernel + ") -> " + output + "\n%r = tandem.add %c, %b : (" +
               output + ", " + bias + ") -> " + output,
           output}};
}

/// A light convolution with finite weights, whose rows are x and y between
/// paddings.
Variants paddedConv(DType) {
  const std::string column = "tensor<{N}x1x1x{T}>",
                    pair = "tensor<{N}x1x2x{T}>";
  const std::string kernel = "tensor<8x1x3x{T}>",
                    output = "tensor<{N}x8x2x{T}>";
  std::string weights;
  for (const char *row :
       {"{=1}, {=-1}, {=2}", "{=0}, {=1}, {=0}", "{=-0}, {=-1}, {=-0}",
        "{=0}, {=0}, {=1}", "{=1}, {=0}, {=-0}", "{=0.5}, {=0}, {=3}",
        "{=-2}, {=1}, {=1}", "{=0}, {=-0}, {=0}"})
    weights += (weights.empty() ? "[[" : ", [[") + std::string(row) + "]]";
  return {{"%k = tandem.constant dense<[" + weights + "]> : " + kernel +
               "\n%a = tandem.reshape %x shape = [{N}, 1, 1] : ({V}) -> " +
               column +
               "\n%b = tandem.reshape %y shape = [{N}, 1, 1] : ({V}) -> " +
               column + "\n%c = tandem.concat %a, %b axis = 2 : (" + column +
               ", " + column + ") -> " + pair +
               "\n%r = tandem.conv %c, %k layout = <input = \"NCW\", kernel = "
               "\"OIW\", output = \"NCW\"> pad_low = [1] pad_high = [1] : (" +
               pair + ", " + kernel + ") -> " + output,
           output}};
}

/// Transposed convolutions of rows of x and y: phases of one convolution, of
/// two, and phases without taps. All weights are finite.
Variants transposedConvs(DType) {
  const std::string column = "tensor<{N}x1x1x{T}>",
                    pair = "tensor<{N}x1x2x{T}>";
  auto variant = [&](const std::string &weights, const std::string &attributes,
                     int size) {
    const std::string taps =
        std::to_string(std::count(weights.begin(), weights.end(), '='));
    const std::string kernel = "tensor<1x2x" + taps + "x{T}>",
                      output = "tensor<{N}x2x" + std::to_string(size) + "x{T}>";
    return Variant{
        "%k = tandem.constant dense<[[[" + weights + "], [" + weights +
            "]]]> : " + kernel +
            "\n%a = tandem.reshape %x shape = [{N}, 1, 1] : ({V}) -> " +
            column +
            "\n%b = tandem.reshape %y shape = [{N}, 1, 1] : ({V}) -> " +
            column + "\n%c = tandem.concat %a, %b axis = 2 : (" + column +
            ", " + column + ") -> " + pair +
            "\n%r = tandem.conv_backward_data %c, %k layout = <input = "
            "\"NCW\", kernel = \"OIW\", output = \"NCW\"> " +
            attributes + " : (" + pair + ", " + kernel + ") -> " + output,
        output};
  };
  return {
      variant("{=1}, {=-1}, {=2}", "", 4),
      variant("{=1}, {=-1}, {=2}, {=0.5}", "strides = [2] pad_low = [1]", 5),
      variant("{=1}, {=-1}, {=2}", "strides = [2]", 5),
      variant("{=1}, {=-1}, {=2}",
              "strides = [2] dilations = [3] pad_high = [2]", 7),
      variant("{=1}", "strides = [3] output_padding = [2]", 6)};
}

/// Resizes of rows of x and y. No weight is negative, so that no order of
/// adding terms overflows where another does not.
Variants resizes(DType) {
  const std::string row = "tensor<{N}x1x{T}>", pair = "tensor<{N}x2x{T}>";
  auto variant = [&](const std::string &attributes, int size) {
    const std::string output = "tensor<{N}x" + std::to_string(size) + "x{T}>";
    return Variant{"%a = tandem.reshape %x shape = [{N}, 1] : ({V}) -> " + row +
                       "\n%b = tandem.reshape %y shape = [{N}, 1] : ({V}) -> " +
                       row + "\n%c = tandem.concat %a, %b axis = 1 : (" + row +
                       ", " + row + ") -> " + pair +
                       "\n%r = tandem.resize %c " + attributes + " : (" + pair +
                       ") -> " + output,
                   output};
  };
  return {
      variant("mode = nearest dims = [1] sizes = [5]", 5),
      variant("mode = linear dims = [1] sizes = [4]", 4),
      variant("mode = linear dims = [1] sizes = [3] "
              "coordinates = align_corners",
              3),
      variant("mode = cubic dims = [1] scales = [2.0] cubic_coeff_a = 0.0", 4),
      variant("mode = linear dims = [1] sizes = [1] antialias", 1)};
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

/// Rows of x, y and z. The fake GPU takes 90 s for all triples, so that its
/// rows have all pairs instead.
Variants softmaxOfRows(DType) {
  const char *third = std::getenv("REWRITES_DEVICE") ? "x" : "z";
  std::string body;
  for (auto [from, to] : {std::pair("x", "a"), {"y", "b"}, {third, "c"}})
    body += std::string("%") + to + " = tandem.reshape %" + from +
            " shape = [{N}, 1] : ({V}) -> tensor<{N}x1x{T}>\n";
  const auto concat = [](const char *name, const char *columns) {
    return std::string("%") + name + " = tandem.concat " + columns +
           " axis = 1 : (tensor<{N}x1x{T}>, tensor<{N}x1x{T}>, "
           "tensor<{N}x1x{T}>) -> tensor<{N}x3x{T}>\n";
  };
  const std::string rows = "tensor<{N}x3x{T}>";
  body += concat("d", "%a, %b, %c");
  return {{body + "%r = tandem.softmax %d axis = 1 : " + rows, rows},
          {body + concat("e", "%b, %c, %a") +
               // Sums of magnitudes do not overflow.
               "%f = tandem.constant dense<0.25> : {S}\n"
               "%g = tandem.mul %e, %f : (" +
               rows + ", {S}) -> " + rows +
               "\n"
               "%s = tandem.softmax %d axis = 1 : " +
               rows + "\n%r = tandem.softmax_backward %s, %g axis = 1 : (" +
               rows + ", " + rows + ") -> " + rows,
           rows}};
}

/// A factor with which no sum of a few products of three elements overflows in
/// the type of the computation.
const char *factorForCubes(DType dtype) {
  switch (dtype) {
  case DType::f64:
    return "0x12F0000000000000"; // 2^-720
  case DType::f32:
  case DType::bf16:
    return "1.0e-27";
  default:
    return "1.0";
  }
}

/// Layer norms of rows of three elements, and the gradients of these elements.
Variants layerNormsOfRows(DType dtype) {
  const std::string rows = "tensor<{N}x3x{T}>", row = "tensor<3x{T}>";
  const std::string statistics =
      dtype == DType::f64 ? "tensor<{N}x1xf64>" : "tensor<{N}x1xf32>";
  const char *third = std::getenv("REWRITES_DEVICE") ? "x" : "z";
  std::string body = "%w = tandem.constant dense<[1.0, -2.0, 0.5]> : " + row +
                     "\n%o = tandem.constant dense<[0.0, -0.0, 3.0]> : " + row +
                     "\n";
  for (auto [from, to] : {std::pair("x", "a"), {"y", "b"}, {third, "c"}})
    body += std::string("%") + to + " = tandem.reshape %" + from +
            " shape = [{N}, 1] : ({V}) -> tensor<{N}x1x{T}>\n";
  body += "%l = tandem.concat %a, %b, %c axis = 1 : (tensor<{N}x1x{T}>, "
          "tensor<{N}x1x{T}>, tensor<{N}x1x{T}>) -> " +
          rows + "\n%k = tandem.constant dense<" + factorForCubes(dtype) +
          "> : {S}\n%d = tandem.mul %l, %k : (" + rows + ", {S}) -> " + rows +
          "\n";
  const auto norm = [&](const std::string &results) {
    return results + " = tandem.layer_norm %d, %w, %o epsilon = 1.0e-2 : (" +
           rows + ", " + row + ", " + row + ") -> (" + rows + ", " +
           statistics + ", " + statistics + ")\n";
  };
  const auto gradients = [&](const std::string &results) {
    return norm("%e, %m, %s") + results +
           " = tandem.layer_norm_backward %d, %d, %w, %m, %s : (" + rows +
           ", " + rows + ", " + row + ", " + statistics + ", " + statistics +
           ") -> (" + rows + ", " + row + ", " + row + ")\n";
  };
  return {{body + norm("%r, %m, %s"), rows},
          {body + norm("%e, %r, %s"), statistics},
          {body + gradients("%r, %f, %g"), rows}};
}

/// Scale, offset, mean and variance of each channel, for all combinations.
struct NormParameters {
  std::string texts[4];
  int count = 0;
};
NormParameters combine(DType dtype, const std::vector<double> (&values)[4]) {
  NormParameters all;
  for (double scale : values[0])
    for (double offset : values[1])
      for (double mean : values[2])
        for (double variance : values[3]) {
          const std::string comma = all.count++ ? ", " : "";
          const double channel[] = {scale, offset, mean, variance};
          for (int i = 0; i < 4; ++i)
            all.texts[i] +=
                comma + constantText(dtype, bitsOf(dtype, channel[i]));
        }
  return all;
}

/// Definitions of %s, %o, %m and %v, and the norm of %a along its last dim.
std::string normText(const NormParameters &all, const std::string &type) {
  const std::string vector = "tensor<" + std::to_string(all.count) + "x{T}>";
  std::string body, types;
  for (int i = 0; i < 4; ++i) {
    body += std::string("%") + "somv"[i] + " = tandem.constant dense<[" +
            all.texts[i] + "]> : " + vector + "\n";
    types += ", " + vector;
  }
  return body +
         "%r = tandem.batch_norm %a, %s, %o, %m, %v epsilon = 0.0 axis "
         "= 1 : (" +
         type + types + ") -> " + type;
}

/// Parameters for which x * factor + shift is right, and others.
const std::vector<double> kHarmless[4] = {{0, -0.0, 1, -1, 2, 1e-3, 1e-9},
                                          {0, -0.0, 1, -3},
                                          {0, -0.0, 1, -0.5},
                                          {1, 0.25, 4}};
const std::vector<double> kAny[4] = {{0, -0.0, 1, -2, kInfinity, kNaN},
                                     {0, -0.0, 1, -3, -kInfinity, kNaN},
                                     {0, -0.0, 1, -60, kInfinity, kNaN},
                                     {0, 1, 0.25, kInfinity, kNaN}};

Variants normsOf(DType dtype) {
  Variants variants;
  for (const auto &values : {&kHarmless, &kAny}) {
    const NormParameters all = combine(dtype, *values);
    const std::string n = std::to_string(all.count);
    const std::string type = "tensor<{N}x" + n + "x{T}>";
    variants.push_back(
        {"%b = tandem.reshape %x shape = [{N}, 1] : ({V}) -> "
         "tensor<{N}x1x{T}>\n%a = tandem.broadcast %b shape = [{N}, " +
             n + "] dims = [0, 1] : (tensor<{N}x1x{T}>) -> " + type + "\n" +
             normText(all, type),
         type});
  }
  return variants;
}

/// Of a convolution of single elements, whose weights are all 1, or smaller:
/// some scales make 0 of the smallest.
Variants normsOfConvs(DType dtype) {
  Variants variants;
  const NormParameters all = combine(dtype, kHarmless);
  const std::string n = std::to_string(all.count);
  const std::string type = "tensor<{N}x" + n + "x1x{T}>";
  for (const char *weight : {"1", "-0.5", "1e-37", "2e-38"})
    variants.push_back(
        {"%k = tandem.constant dense<{=" + std::string(weight) +
             "}> : tensor<" + n +
             "x1x1x{T}>\n"
             "%b = tandem.reshape %x shape = [{N}, 1, 1] : ({V}) -> "
             "tensor<{N}x1x1x{T}>\n"
             "%a = tandem.conv %b, %k layout = <input = \"NCW\", kernel = "
             "\"OIW\", output = \"NCW\"> : (tensor<{N}x1x1x{T}>, tensor<" +
             n + "x1x1x{T}>) -> " + type + "\n" + normText(all, type),
         type});
  return variants;
}

//===----------------------------------------------------------------------===//
// Loops, constants
//===----------------------------------------------------------------------===//

Variants loopWithConstant(DType dtype) {
  return withEachConstant(
      dtype, {{"%c = tandem.constant dense<{C}> : {V}\n"
               "%r = tandem.loop carried (%h = %x) fixed (%w = %c) {trips = 2} "
               ": ({V}, {V}) -> {V} {\n"
               "%a = tandem.mul %h, %w : {V}\n"
               "tandem.yield %a : {V}\n}"}});
}

const Variants kEmptyLoop = {
    {"%r = tandem.loop carried (%h = %x) {trips = 0} : ({V}) -> {V} {\n"
     "%a = tandem.abs %h : {V}\ntandem.yield %a : {V}\n}"}};

/// Scattered by a step of eager, of constants, which kernels cannot compute.
Variants computedConstants(DType dtype) {
  std::string values;
  const std::vector<Bits> all = specialValues(dtype);
  for (Bits bits : all)
    values += (values.empty() ? "" : ", ") + constantText(dtype, bits);
  const std::string n = std::to_string(all.size());
  const std::string type = "tensor<" + n + "x{T}>";
  return {{"%a = tandem.constant dense<[" + values + "]> : " + type +
               "\n%b = tandem.iota axis = 0 : tensor<" + n +
               "xi64>\n"
               "%r = tandem.scatter %a, %b, %a axis = 0 kind = max : (" +
               type + ", tensor<" + n + "xi64>, " + type + ") -> " + type,
           type}};
}

} // namespace

static RewriteCase bounded(RewriteCase given) {
  given.isBounded = true;
  return given;
}

std::vector<RewriteCase> test::compositeCases() {
  const Types floats = floatTypes(), numbers = numberTypes();
  return {
      {"ReduceOp: reduceAlongNothing", numbers, {}, reduceNothing},
      {"ReduceToReshape", numbers, {}, reduceUnitDims},
      bounded({"tandem-split-reductions",
               {DType::f32},
               numbers,
               reduceLongColumns}),
      {"TransposeIntoMatmul",
       numbers,
       {},
       transposedMatmul,
       {},
       {},
       false,
       /*tiersAreBounded=*/true},
      bounded({"AddToConvBias",
               {DType::f32, DType::f64, DType::bf16},
               {DType::f16},
               addToConv}),
      bounded({"tandem-materialize-padding", floats, {}, paddedConv}),
      bounded(
          {"tandem-decompose-conv-backward-data", floats, {}, transposedConvs}),
      bounded({"tandem-decompose-layer-norm", floats, {}, layerNormsOfRows}),
      bounded({"tandem-decompose-resize", floats, {}, resizes}),
      bounded({"tandem-decompose-softmax", floats, {}, softmaxOfRows}),
      bounded({"DecomposeBatchNorm", floats, {}, normsOf}),
      bounded({"FoldBatchNormIntoConv",
               {DType::f32, DType::f64},
               {DType::f16, DType::bf16},
               normsOfConvs}),
      {"SinkConstants", numbers, {}, loopWithConstant},
      {"DropEmptyLoop", numbers, {}, [](DType) { return kEmptyLoop; }},
      {"tandem-evaluate-constants", numbers, {}, computedConstants},
      {"tandem-drop-stop-gradients",
       numbers,
       {},
       [](DType) -> Variants {
         return {{"%a = tandem.stop_gradient %x : {V}\n"
                  "%r = tandem.abs %a : {V}"}};
       }},
  };
}
