//===- KernelSource.cpp - CUDA C++ of the GPU's own kernels ---------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSource.h"

#include "ElementwiseFunctions.h"

#include <optional>
#include <utility>

#include "DeviceFunctions.inc"
#include "KernelFiles.inc"

using namespace tandem;
using namespace tandem::cuda;

namespace {

constexpr KernelFamily kFamilies[] = {
    KernelFamily::unary,         KernelFamily::nary,
    KernelFamily::cast,          KernelFamily::transcendental,
    KernelFamily::shape,         KernelFamily::transpose,
    KernelFamily::reduction,     KernelFamily::window,
    KernelFamily::normalization, KernelFamily::contraction,
    KernelFamily::indexing,      KernelFamily::resize,
    KernelFamily::line};

/// A family's files: for all types that it has, for numbers, for floats.
struct FamilyFiles {
  std::string_view name;
  std::vector<std::string_view> all, numbers, floats;
};

FamilyFiles filesOf(KernelFamily family) {
  switch (family) {
  case KernelFamily::unary:
    return {"unary", {"Elementwise"}, {}, {}};
  case KernelFamily::nary:
    return {"nary", {"Elementwise"}, {}, {}};
  case KernelFamily::cast:
    return {"cast", {"Elementwise"}, {}, {}};
  case KernelFamily::transcendental:
    return {"transcendental", {"Elementwise"}, {}, {}};
  case KernelFamily::shape:
    return {"shape", {"Shape"}, {"ShapeNumbers"}, {}};
  case KernelFamily::transpose:
    return {"transpose", {"Transpose"}, {}, {}};
  case KernelFamily::indexing:
    return {"indexing", {"Indexing"}, {"IndexingNumbers"}, {}};
  case KernelFamily::line:
    return {"line",
            {},
            {"Accumulators", "BlockCombination", "Scan"},
            {"ScanFloats", "FFT"}};
  case KernelFamily::reduction:
    return {"reduction",
            {},
            {"Accumulators", "BlockCombination", "Reduction"},
            {"ReductionFloats"}};
  case KernelFamily::window:
    return {
        "window", {}, {"Accumulators", "Spatial", "Window"}, {"WindowFloats"}};
  case KernelFamily::resize:
    return {"resize", {"ResizeTaps", "Resize"}, {"ResizeNumbers"}, {}};
  case KernelFamily::normalization:
    return {"normalization",
            {},
            {},
            {"Accumulators", "BlockCombination", "Normalization"}};
  case KernelFamily::contraction:
    return {"contraction",
            {},
            {"Contraction"},
            {"Spatial", "Convolution", "ContractionFloats"}};
  }
  __builtin_unreachable();
}

std::optional<FunctionGroup> functionsOf(KernelFamily family) {
  switch (family) {
  case KernelFamily::unary:
    return FunctionGroup::unary;
  case KernelFamily::nary:
    return FunctionGroup::nary;
  case KernelFamily::cast:
    return FunctionGroup::cast;
  case KernelFamily::transcendental:
    return FunctionGroup::transcendental;
  case KernelFamily::shape:
  case KernelFamily::transpose:
  case KernelFamily::indexing:
  case KernelFamily::reduction:
  case KernelFamily::window:
  case KernelFamily::normalization:
  case KernelFamily::contraction:
  case KernelFamily::resize:
  case KernelFamily::line:
    break;
  }
  return std::nullopt;
}

template <typename Pairs>
std::string_view find(const Pairs &pairs, std::string_view key) {
  for (const auto &[name, text] : pairs)
    if (name == key)
      return text;
  return {};
}

std::string_view cType(DType dtype) {
  return find(kCTypes, tandem::name(dtype));
}

std::string_view deviceFunctions(FunctionGroup group, DType dtype) {
  return find(kDeviceFunctions, std::string(cuda::name(group)) + "." +
                                    std::string(tandem::name(dtype)));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// "const float *__restrict__ in0, ", for all operands.
std::string operandParameters(const ElementwiseFunction &function) {
  std::string text;
  for (size_t i = 0; i < function.operands.size(); ++i)
    text += "const " + std::string(cType(function.operands[i])) +
            " *__restrict__ in" + std::to_string(i) + ", ";
  return text + std::string(cType(function.result)) + " *__restrict__ out, ";
}

/// The kernels of a function, over dense tensors and over strided ones.
std::string kernelsOf(const ElementwiseFunction &function) {
  const std::string parameters = operandParameters(function);
  std::string denseOperands, stridedOperands, strides;
  for (size_t i = 0; i < function.operands.size(); ++i) {
    const std::string number = std::to_string(i);
    const std::string type(cType(function.operands[i]));
    denseOperands += ", Operand<" + type + ">{in" + number + ", (repeated & " +
                     std::to_string(1 << i) + ") != 0}";
    stridedOperands += ", StridedOperand<" + type + ">{in" + number +
                       ", strides" + number + "}";
    strides += ", const Strides strides" + number;
  }
  return "extern \"C\" __global__ void dense_" + function.name + "(" +
         parameters + "const Index size, const Index repeated) {\n  mapDense<" +
         function.name + ">(out, size" + denseOperands +
         ");\n}\nextern \"C\" __global__ void strided_" + function.name + "(" +
         parameters + "const Index size, const Dims dims" + strides +
         ") {\n  mapStrided<" + function.name + ">(out, size, dims" +
         stridedOperands + ");\n}\n";
}

//===----------------------------------------------------------------------===//
// Other families
//===----------------------------------------------------------------------===//

/// A function that converts by the printed one.
std::string conversion(std::string_view name, DType from, DType to) {
  fb::CastAttrsT attrs;
  attrs.dtype = to;
  OpDesc op;
  op.kind = OpKind::cast;
  op.attrs.Set(attrs);
  const std::string result(cType(to));
  return "__device__ __forceinline__ " + result + " " + std::string(name) +
         "(" + std::string(cType(from)) + " value) {\n  " + result +
         " result;\n  " + functionName(op, std::array{from}, to) +
         "(&value, &result);\n  return result;\n}\n";
}

std::string alias(std::string_view name, std::string_view type) {
  return "typedef " + std::string(type) + " " + std::string(name) + ";\n";
}

/// The least and the greatest number, as the identities of max and min.
std::string extremes(DType dtype) {
  std::string high, low;
  if (dtype == DType::f64) {
    high = "__longlong_as_double(0x7FF0000000000000ll)";
    low = "-" + high;
  } else if (isFloat(dtype)) {
    high = "__int_as_float(0x7F800000)";
    low = "-" + high;
  } else if (isUnsigned(dtype)) {
    high = "~0ull >> (64 - 8 * sizeof(T))";
    low = "0";
  } else {
    high = "(long long)(~0ull >> (65 - 8 * sizeof(T)))";
    low = "-1 - highest()";
  }
  return "__device__ __forceinline__ Compute highest() {\n  return " + high +
         ";\n}\n__device__ __forceinline__ Compute lowest() {\n  return " +
         low + ";\n}\n";
}

/// The type that numbers are computed in: f32 for 16-bit floats.
DType computedIn(DType dtype) {
  if (isFloat(dtype))
    return dtype == DType::f64 ? DType::f64 : DType::f32;
  return isUnsigned(dtype) ? DType::ui64 : DType::i64;
}

/// What numbers are computed in, and the conversions from and to T; sums of f32
/// in f64. Functions have types without a sign.
std::string arithmeticOf(DType dtype) {
  const bool isReal = isFloat(dtype);
  const DType computed = computedIn(dtype);
  const std::string_view wrapping = "unsigned long long";
  std::string text =
      alias("Compute", isUnsigned(dtype) ? wrapping : cType(computed)) +
      alias("Factor", isReal ? cType(computed) : wrapping) +
      alias("Wide", isReal ? "double" : wrapping) +
      alias("Narrowed", isReal ? "double" : "long long") +
      "struct FloatSum;\nstruct IntegerSum;\n" +
      alias("Sum", isReal ? "FloatSum" : "IntegerSum") +
      conversion("computed", dtype, computed) + extremes(dtype);
  for (DType from : {DType::f32, DType::f64, DType::i64})
    text += conversion("stored", from, dtype);
  if (isUnsigned(dtype)) // Wraps, whatever the sign.
    text += "__device__ __forceinline__ T stored(unsigned long long value) {\n"
            "  return stored((long long)value);\n}\n";
  return text;
}

void append(std::string &source, const std::vector<std::string_view> &files) {
  for (std::string_view file : files)
    source += find(kKernelFiles, file);
}

} // namespace

std::string ProgramKey::str() const {
  return std::string(filesOf(family).name) + "." +
         std::string(tandem::name(dtype)) + (isWide ? ".wide" : "");
}

std::vector<ProgramKey> cuda::allPrograms() {
  std::vector<ProgramKey> keys;
  for (KernelFamily family : kFamilies)
    for (DType dtype : fb::EnumValuesDType()) {
      const FamilyFiles files = filesOf(family);
      const std::optional<FunctionGroup> group = functionsOf(family);
      const bool has = group
                           ? !elementwiseFunctions(*group, dtype).empty()
                           : !files.all.empty() ||
                                 (isNumber(dtype) && !files.numbers.empty()) ||
                                 (isFloat(dtype) && !files.floats.empty());
      if (has)
        keys.push_back({family, dtype});
    }
  return keys;
}

std::string cuda::programSource(const ProgramKey &key) {
  const FamilyFiles files = filesOf(key.family);
  const std::optional<FunctionGroup> group = functionsOf(key.family);
  std::string source(
      deviceFunctions(group.value_or(FunctionGroup::conversions), key.dtype));
  source += alias("Index", key.isWide ? "long long" : "int");
  if (!group)
    source += alias("T", cType(key.dtype));
  if (!group && isNumber(key.dtype))
    source += arithmeticOf(key.dtype);
  if (key.family == KernelFamily::resize) // For ResizeTaps.h.
    source += "#define TANDEM_RESIZE_FUNCTION __device__ __forceinline__\n";
  append(source, {"Common"});
  append(source, files.all);
  if (isNumber(key.dtype))
    append(source, files.numbers);
  if (isFloat(key.dtype))
    append(source, files.floats);
  if (key.family == KernelFamily::contraction && key.dtype == DType::i32)
    append(source,
           {"Spatial", "Convolution", "QuadProducts", "ContractionBytes"});
  if (key.family == KernelFamily::shape && key.dtype == DType::ui32)
    append(source, {"Random"});
  if (group)
    for (const ElementwiseFunction &function :
         elementwiseFunctions(*group, key.dtype))
      source += kernelsOf(function);
  return source;
}

int64_t cuda::countKernels(const std::string &source) {
  constexpr std::string_view word = "__global__";
  int64_t count = 0;
  for (size_t at = source.find(word); at != source.npos;
       at = source.find(word, at + word.size()))
    ++count;
  return count;
}
