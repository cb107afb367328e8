//===- DeviceFunctions.cpp - What kernels call and CUDA lacks -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace {

struct DeviceFunction {
  StringRef name;
  StringRef source;
};

constexpr DeviceFunction deviceFunctions[] = {
    {"maximum",
     R"(// The larger; NaN where either is NaN; of zeros the first, as relu has it.
template <typename T> __device__ __forceinline__ T maximum(T a, T b) {
  return a < b || b != b ? b : a;
}
)"},
    {"minimum", R"(// The smaller; NaN where either is NaN.
template <typename T> __device__ __forceinline__ T minimum(T a, T b) {
  return a < b || a != a ? a : b;
}
)"},
    {"floor_div", R"(// Division rounding towards minus infinity; b > 0.
template <typename T> __device__ __forceinline__ T floor_div(T a, T b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
)"},
    {"load4", R"(// Four consecutive elements, moved as one vector.
template <typename T> struct alignas(4 * sizeof(T)) pack4 {
  T element[4];
  __device__ __forceinline__ T operator[](int lane) const {
    return element[lane];
  }
};
template <typename T>
__device__ __forceinline__ pack4<T> load4(const T* from) {
  return *reinterpret_cast<const pack4<T>*>(from);
}
template <typename T>
__device__ __forceinline__ void store4(T* to, const T (&from)[4]) {
  pack4<T> packed;
  for (int lane = 0; lane < 4; ++lane)
    packed.element[lane] = from[lane];
  *reinterpret_cast<pack4<T>*>(to) = packed;
}
)"},
};

} // namespace

/// Whether `type`, or what it points to, is of a half type.
static void noteHalves(Type type, bool &f16, bool &bf16) {
  if (auto lvalue = dyn_cast<emitc::LValueType>(type))
    type = lvalue.getValueType();
  auto opaque = dyn_cast<emitc::OpaqueType>(type);
  f16 |= type.isF16() || (opaque && opaque.getValue().contains("__half"));
  bf16 |=
      type.isBF16() || (opaque && opaque.getValue().contains("__nv_bfloat16"));
}

void tandem::conversion::declareDeviceFunctions(ModuleOp module) {
  llvm::StringSet<> called;
  bool f16 = false, bf16 = false;
  module.walk([&](emitc::CallOpaqueOp call) {
    // Both come in one declaration.
    called.insert(call.getCallee() == "store4" ? "load4" : call.getCallee());
  });
  module.walk([&](Operation *op) {
    if (auto kernel = dyn_cast<emitc::FuncOp>(op))
      for (Type argument : kernel.getArgumentTypes())
        noteHalves(argument, f16, bf16);
    for (Type result : op->getResultTypes())
      noteHalves(result, f16, bf16);
  });
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  if (f16)
    emitc::IncludeOp::create(builder, module.getLoc(), "cuda_fp16.h",
                             /*is_standard_include=*/true);
  if (bf16)
    emitc::IncludeOp::create(builder, module.getLoc(), "cuda_bf16.h",
                             /*is_standard_include=*/true);
  for (const DeviceFunction &function : deviceFunctions)
    if (called.contains(function.name))
      emitc::VerbatimOp::create(builder, module.getLoc(), function.source,
                                ValueRange());
}
