//===- DeviceFunctions.cpp - What kernels call and CUDA lacks -------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CTypes.h"
#include "Patterns.h"

#include "llvm/ADT/StringSet.h"

#include <string_view>
#include <utility>

#include "QuadProducts.inc"

using namespace mlir;

namespace {

struct DeviceFunction {
  StringRef name;
  StringRef source;
};

/// The half types: two bytes in memory, converted by one instruction each.
/// What runs kernels on the host has its own.
constexpr StringRef halves = R"(#ifdef __CUDACC__
struct f16 { unsigned short bits; };
struct bf16 { unsigned short bits; };
template <typename To, typename From>
__device__ __forceinline__ To narrow(From from);
__device__ __forceinline__ float widen(f16 from) {
  float to;
  asm("cvt.f32.f16 %0, %1;" : "=f"(to) : "h"(from.bits));
  return to;
}
__device__ __forceinline__ float widen(bf16 from) {
  return __int_as_float(from.bits << 16);
}
template <> __device__ __forceinline__ f16 narrow<f16>(float from) {
  f16 to;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(from));
  return to;
}
template <> __device__ __forceinline__ f16 narrow<f16>(double from) {
  f16 to;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(to.bits) : "d"(from));
  return to;
}
template <> __device__ __forceinline__ bf16 narrow<bf16>(float from) {
  bf16 to;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to.bits) : "f"(from));
  return to;
}
template <> __device__ __forceinline__ bf16 narrow<bf16>(double from) {
  // Rounded to odd first, so that rounding again gives what rounding once does.
  const float cut = __double2float_rz(from);
  return narrow<bf16>(
      __int_as_float(__float_as_int(cut) | (double(cut) != from ? 1 : 0)));
}
#endif
)";

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
    {"bit_cast", R"(// The bits of a value as another type of its size.
template <typename To, typename From>
__device__ __forceinline__ To bit_cast(From from) {
  return __builtin_bit_cast(To, from);
}
)"},
    {"load", R"(// N consecutive elements, moved by accesses of up to 16 bytes.
template <typename T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) pack {
  T element[N];
  __device__ __forceinline__ T operator[](int lane) const {
    return element[lane];
  }
};
template <int N, typename T>
__device__ __forceinline__ pack<T, N> load(const T* from) {
  return *reinterpret_cast<const pack<T, N>*>(from);
}
template <typename T, int N>
__device__ __forceinline__ void store(T* to, const T (&from)[N]) {
  pack<T, N> packed;
  for (int lane = 0; lane < N; ++lane)
    packed.element[lane] = from[lane];
  *reinterpret_cast<pack<T, N>*>(to) = packed;
}
)"},
};

} // namespace

/// Whether `type`, or what it points to, is of a half type.
static bool isOfHalves(Type type) {
  if (auto lvalue = dyn_cast<emitc::LValueType>(type))
    type = lvalue.getValueType();
  auto opaque = dyn_cast<emitc::OpaqueType>(type);
  return tandem::conversion::isHalf(type) ||
         (opaque && opaque.getValue().contains("f16"));
}

static bool usesHalves(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    bool found = llvm::any_of(op->getResultTypes(), isOfHalves);
    if (auto kernel = dyn_cast<emitc::FuncOp>(op))
      found |= llvm::any_of(kernel.getArgumentTypes(), isOfHalves);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

void tandem::conversion::declareDeviceFunctions(ModuleOp module) {
  llvm::StringSet<> called;
  module.walk([&](emitc::CallOpaqueOp call) {
    // Both come in one declaration.
    called.insert(call.getCallee() == "store" ? "load" : call.getCallee());
  });
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto declare = [&](StringRef source) {
    emitc::VerbatimOp::create(builder, module.getLoc(), source, ValueRange());
  };
  if (usesHalves(module))
    declare(halves);
  // Shared with the prebuilt kernels.
  if (called.contains(kAddQuadProduct))
    declare(kQuadProducts[0].second);
  for (const DeviceFunction &function : deviceFunctions)
    if (called.contains(function.name))
      declare(function.source);
}
