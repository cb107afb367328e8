//===- HostCUDA.h - CUDA C++ of kernels on the host ------------*- C++ -*--===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Emulates what Tandem's CUDA C++ uses of the language and its headers, so that
// the source of a kernel is executed, and tested, with no GPU. Whoever runs an
// Entry gives its threads what they wait for one another with (Hooks).
//
// Included ahead of generated kernels, compiled by any C++17 compiler, and
// without the standard library, which would take longer than all else.

#ifndef TANDEM_HOST_CUDA_H
#define TANDEM_HOST_CUDA_H

#include "HostEntry.h"

#define __global__
#define __launch_bounds__(...)
#define __device__
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
// All threads of a block run on one of the host's. Where loads are counted,
// there is but one such.
#ifdef TANDEM_COUNT_LOADS
#define __shared__ static __attribute__((section("tandem_shared")))
#else
#define __shared__ static thread_local
#endif

namespace tandem_host {

static thread_local Index blockIdx, threadIdx, blockDim, gridDim;

template <unsigned... I> struct Numbers {};
template <unsigned N, unsigned... I>
struct CountTo : CountTo<N - 1, N - 1, I...> {};
template <unsigned... I> struct CountTo<0, I...> {
  using Type = Numbers<I...>;
};

template <typename T> struct ParameterOf {
  static constexpr Parameter value = {sizeof(T), 0, false, alignof(T)};
};
template <typename T> struct ParameterOf<T *> {
  static constexpr Parameter value = {sizeof(T *), alignof(T), true,
                                      alignof(T *)};
};
template <typename T> struct ParameterOf<const T *> {
  static constexpr Parameter value = {sizeof(T *), alignof(T), false,
                                      alignof(T *)};
};

static const Hooks *hooks;

template <auto kernel> struct EntryOf;
template <typename... P, void (*kernel)(P...)> struct EntryOf<kernel> {
  template <unsigned... I> static void call(void *const *args, Numbers<I...>) {
    kernel(*static_cast<P *>(args[I])...);
  }
  static void run(void *const *args) {
    call(args, typename CountTo<sizeof...(P)>::Type());
  }
  static Place place() { return {&blockIdx, &threadIdx, &blockDim, &gridDim}; }
  static void setHooks(const Hooks *given) { hooks = given; }
  static constexpr Parameter parameters[] = {ParameterOf<P>::value...,
                                             Parameter()};
  static constexpr Entry value = {parameters, sizeof...(P), run, place,
                                  setHooks};
};

inline unsigned lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) %
         32;
}
/// Lane `source` of the caller's segment of `width` lanes, or the caller's own
/// where there is none.
template <typename T>
inline T shuffle(unsigned mask, T value, int source, int width) {
  const int start = int(lane()) / width * width;
  const bool isInside = source >= start && source < start + width;
  const void *found = hooks->exchange(mask, &value, sizeof(T),
                                      isInside ? unsigned(source) : lane());
  __builtin_memcpy(&value, found, sizeof(T));
  return value;
}

template <typename To, typename From> inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

} // namespace tandem_host

#ifdef TANDEM_COUNT_LOADS
// Compiled with -fsanitize=thread, kernels call these functions ahead of what
// they read and write, in place of ThreadSanitizer's.
#pragma clang attribute push(                                                  \
    __attribute__((disable_sanitizer_instrumentation)), apply_to = function)
extern "C" {
extern const char __start_tandem_shared[] __attribute__((weak));
extern const char __stop_tandem_shared[] __attribute__((weak));
static void tandem_host_load(const void *from, unsigned long bytes) {
  // Nothing is set yet where static variables are initialized.
  if (tandem_host::hooks)
    tandem_host::hooks->load(from, unsigned(bytes),
                             from >= __start_tandem_shared &&
                                 from < __stop_tandem_shared);
}
#define TANDEM_HOST_ACCESS(bytes)                                              \
  void __tsan_read##bytes(const void *from) { tandem_host_load(from, bytes); } \
  void __tsan_unaligned_read##bytes(const void *from) {                        \
    tandem_host_load(from, bytes);                                             \
  }                                                                            \
  void __tsan_write##bytes(void *) {}                                          \
  void __tsan_unaligned_write##bytes(void *) {}
TANDEM_HOST_ACCESS(1)
TANDEM_HOST_ACCESS(2)
TANDEM_HOST_ACCESS(4)
TANDEM_HOST_ACCESS(8)
TANDEM_HOST_ACCESS(16)
void *__tsan_memcpy(void *to, const void *from, unsigned long bytes) {
  tandem_host_load(from, bytes);
  return __builtin_memcpy(to, from, bytes);
}
void *__tsan_memset(void *to, int value, unsigned long bytes) {
  return __builtin_memset(to, value, bytes);
}
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
}
#pragma clang attribute pop
#endif // TANDEM_COUNT_LOADS

using tandem_host::blockDim;
using tandem_host::blockIdx;
using tandem_host::gridDim;
using tandem_host::threadIdx;

//===----------------------------------------------------------------------===//
// Threads that wait for one another
//===----------------------------------------------------------------------===//

static inline void __syncthreads() { tandem_host::hooks->syncThreads(); }
static inline void __syncwarp(unsigned mask = ~0u) {
  tandem_host::hooks->syncWarp(mask);
}
template <typename T>
static inline T __shfl_sync(unsigned mask, T value, int source,
                            int width = 32) {
  const int start = int(tandem_host::lane()) / width * width;
  return tandem_host::shuffle(mask, value, start + source % width, width);
}
template <typename T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta,
                               int width = 32) {
  return tandem_host::shuffle(mask, value,
                              int(tandem_host::lane()) - int(delta), width);
}
template <typename T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta,
                                 int width = 32) {
  return tandem_host::shuffle(mask, value,
                              int(tandem_host::lane()) + int(delta), width);
}
template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T value, int laneMask,
                                int width = 32) {
  return tandem_host::shuffle(mask, value, int(tandem_host::lane()) ^ laneMask,
                              width);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

#define TANDEM_HOST_UNARY(name)                                                \
  static inline float name##f(float x) { return __builtin_##name##f(x); }      \
  static inline double name(double x) { return __builtin_##name(x); }
#define TANDEM_HOST_BINARY(name)                                               \
  static inline float name##f(float x, float y) {                              \
    return __builtin_##name##f(x, y);                                          \
  }                                                                            \
  static inline double name(double x, double y) {                              \
    return __builtin_##name(x, y);                                             \
  }

TANDEM_HOST_UNARY(acos)
TANDEM_HOST_UNARY(asin)
TANDEM_HOST_UNARY(atan)
TANDEM_HOST_UNARY(cbrt)
TANDEM_HOST_UNARY(ceil)
TANDEM_HOST_UNARY(cos)
TANDEM_HOST_UNARY(cosh)
TANDEM_HOST_UNARY(erf)
TANDEM_HOST_UNARY(erfc)
TANDEM_HOST_UNARY(exp)
TANDEM_HOST_UNARY(exp2)
TANDEM_HOST_UNARY(expm1)
TANDEM_HOST_UNARY(fabs)
TANDEM_HOST_UNARY(floor)
TANDEM_HOST_UNARY(log)
TANDEM_HOST_UNARY(log10)
TANDEM_HOST_UNARY(log1p)
TANDEM_HOST_UNARY(log2)
TANDEM_HOST_UNARY(rint)
TANDEM_HOST_UNARY(round)
TANDEM_HOST_UNARY(sin)
TANDEM_HOST_UNARY(sinh)
TANDEM_HOST_UNARY(sqrt)
TANDEM_HOST_UNARY(tan)
TANDEM_HOST_UNARY(tanh)
TANDEM_HOST_UNARY(trunc)
TANDEM_HOST_BINARY(atan2)
TANDEM_HOST_BINARY(copysign)
TANDEM_HOST_BINARY(fmax)
TANDEM_HOST_BINARY(fmin)
TANDEM_HOST_BINARY(fmod)
TANDEM_HOST_BINARY(pow)

static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline double sinpi(double x) {
  const double turn = x - 2 * rint(x / 2); // from -1 to 1
  const double folded = fabs(turn) > 0.5 ? copysign(1.0, turn) - turn : turn;
  return sin(3.14159265358979323846 * folded);
}
static inline double cospi(double x) { return sinpi(x + 0.5); }
static inline float fmaf(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
static inline double fma(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}

template <typename T> static inline bool isnan(T x) { return x != x; }
template <typename T> static inline bool isinf(T x) {
  return __builtin_isinf(x);
}
template <typename T> static inline bool isfinite(T x) {
  return __builtin_isfinite(x);
}
// Overloads, as CUDA has them, so that narrow types are promoted.
#define TANDEM_HOST_MINMAX(T)                                                  \
  static inline T max(T a, T b) { return a < b ? b : a; }                      \
  static inline T min(T a, T b) { return b < a ? b : a; }
TANDEM_HOST_MINMAX(int)
TANDEM_HOST_MINMAX(unsigned)
TANDEM_HOST_MINMAX(long long)
TANDEM_HOST_MINMAX(unsigned long long)
template <typename T> static inline T abs(T a) { return a < 0 ? -a : a; }

static inline float __int_as_float(unsigned x) {
  return tandem_host::bits<float>(x);
}
static inline double __longlong_as_double(unsigned long long x) {
  return tandem_host::bits<double>(x);
}

//===----------------------------------------------------------------------===//
// Half types
//===----------------------------------------------------------------------===//

// What kernels declare for the device by instructions of its own: storage, and
// exact conversions that round to nearest even.

struct f16 {
  unsigned short bits;
};
struct bf16 {
  unsigned short bits;
};

namespace tandem_host {

/// Rounds a double to a format of `exponentBits` and `mantissaBits` that fits
/// in 16 bits.
template <int exponentBits, int mantissaBits>
inline unsigned short narrow(double value) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  constexpr unsigned infinity = ((1u << exponentBits) - 1) << mantissaBits;
  unsigned sign = bits<unsigned long long>(value) >> 63 << 15;
  double magnitude = __builtin_fabs(value);
  if (magnitude != magnitude)
    return (unsigned short)(sign | infinity | 1u << (mantissaBits - 1));
  if (magnitude == 0)
    return (unsigned short)sign;
  int exponent = __builtin_isinf(magnitude) ? 1024 : __builtin_ilogb(magnitude);
  if (exponent > bias)
    return (unsigned short)(sign | infinity);
  if (exponent < 1 - bias)
    exponent = 1 - bias; // subnormal
  // In units of the last place; a carry runs into the exponent by itself.
  double units =
      __builtin_rint(__builtin_scalbn(magnitude, mantissaBits - exponent));
  unsigned mantissa = unsigned(units);
  unsigned result = (unsigned(exponent + bias - 1) << mantissaBits) + mantissa;
  return (unsigned short)(sign | (result > infinity ? infinity : result));
}

template <int exponentBits, int mantissaBits>
inline float widen(unsigned short stored) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = stored >> mantissaBits & ((1 << exponentBits) - 1);
  int mantissa = stored & ((1 << mantissaBits) - 1);
  float result;
  if (exponent == (1 << exponentBits) - 1)
    result = mantissa ? __builtin_nanf("") : __builtin_inff();
  else if (exponent == 0)
    result = __builtin_scalbnf(float(mantissa), 1 - bias - mantissaBits);
  else
    result = __builtin_scalbnf(float(mantissa + (1 << mantissaBits)),
                               exponent - bias - mantissaBits);
  return stored >> 15 ? -result : result;
}

} // namespace tandem_host

inline float widen(f16 from) { return tandem_host::widen<5, 10>(from.bits); }
inline float widen(bf16 from) {
  return tandem_host::bits<float>(unsigned(from.bits) << 16);
}
/// To f16 or bf16; a float is a double exactly.
template <typename To> inline To narrow(double from) {
  return {__is_same(To, f16) ? tandem_host::narrow<5, 10>(from)
                             : tandem_host::narrow<8, 7>(from)};
}

#endif // TANDEM_HOST_CUDA_H
