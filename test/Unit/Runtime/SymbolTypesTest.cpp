//===- SymbolTypesTest.cpp - Our tables against NVIDIA's headers ----------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares every function's type with the toolkit's, where that is installed.
// Their enums are integers here; all else has to be the same.
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Libraries/CUDA.h"

#include <gtest/gtest.h>
#include <type_traits>

#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>) &&                    \
    __has_include(<nvJitLink.h>) && __has_include(<cublasLt.h>)
#define TANDEM_HAS_TOOLKIT
#include <cublasLt.h>
#include <cuda.h>
#include <nvJitLink.h>
#include <nvrtc.h>
#endif
#if __has_include(<cudnn_graph.h>)
#define TANDEM_HAS_CUDNN
#include <cudnn_graph.h>
#endif

namespace {

/// Whether a type of ours does for one of theirs.
template <typename Ours, typename Theirs> constexpr bool stands() {
  if constexpr (std::is_same_v<Ours, Theirs>)
    return true;
  else if constexpr (std::is_enum_v<Theirs>)
    return std::is_integral_v<Ours> && sizeof(Ours) == sizeof(Theirs);
  else if constexpr (std::is_void_v<Ours> && std::is_class_v<Theirs>)
    // What a struct without a name of cuBLASLt's is pointed to by.
    return std::is_const_v<Ours> == std::is_const_v<Theirs>;
  else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>)
    return stands<std::remove_pointer_t<Ours>, std::remove_pointer_t<Theirs>>();
  else
    return false;
}
template <typename R, typename... P, typename S, typename... Q>
constexpr bool match(R (*)(P...), S (*)(Q...)) {
  if constexpr (sizeof...(P) == sizeof...(Q))
    return stands<R, S>() && (stands<P, Q>() && ...);
  else
    return false;
}
// Whether the types match, as they are written in a table and in a header.
template <typename Ours, typename Theirs>
constexpr bool kMatch = match(Ours(nullptr), Theirs(nullptr));

struct Opaque;
typedef struct {
} Unnamed;
enum Kind { kind };
static_assert(kMatch<int (*)(int *, Opaque **), Kind (*)(Kind *, Opaque **)>);
static_assert(!kMatch<int (*)(int *), Kind (*)(Opaque *)>);
static_assert(!kMatch<int (*)(int *), Kind (*)(const int *)>);
static_assert(kMatch<int (*)(void **), Kind (*)(Unnamed **)>);
static_assert(!kMatch<int (*)(void *), Kind (*)(const Unnamed *)>);
static_assert(!kMatch<int (*)(void *), Kind (*)(int *)>);
static_assert(!kMatch<int (*)(int), Kind (*)(int, int)>);
static_assert(!kMatch<int (*)(int64_t), Kind (*)(Kind)>);

#define TANDEM_SYMBOL(member, symbol, result, parameters)                      \
  static_assert(kMatch<decltype(Table::member), decltype(&symbol)>, #symbol);
#define TANDEM_OPTIONAL_SYMBOL TANDEM_SYMBOL

TEST(SymbolTypes, AreTheToolkits) {
#ifdef TANDEM_HAS_TOOLKIT
  {
    using Table = tandem::cuda::Driver;
#include "tandem/Runtime/Libraries/Driver.def"
  }
  {
    using Table = tandem::cuda::NVRTC;
#include "tandem/Runtime/Libraries/NVRTC.def"
  }
  {
    using Table = tandem::cuda::NVJitLink;
#include "tandem/Runtime/Libraries/NVJitLink.def"
  }
  {
    using Table = tandem::cuda::CUBLASLt;
#include "tandem/Runtime/Libraries/CUBLASLt.def"
  }
#else
  GTEST_SKIP() << "no headers of the CUDA toolkit where this was built";
#endif
}

TEST(SymbolTypes, AreCUDNNs) {
#ifdef TANDEM_HAS_CUDNN
  using Table = tandem::cuda::CUDNN;
#include "tandem/Runtime/Libraries/CUDNN.def"
#else
  GTEST_SKIP() << "no headers of cuDNN where this was built";
#endif
}

#define TANDEM_CONSTANT(enumeration, name, symbol, value)                      \
  static_assert(int(symbol) == value, #symbol);

TEST(Constants, AreCUDNNs) {
#ifdef TANDEM_HAS_CUDNN
#include "tandem/Runtime/Libraries/CUDNNConstants.def"
#else
  GTEST_SKIP() << "no headers of cuDNN where this was built";
#endif
}

TEST(Constants, AreCUBLASLts) {
#ifdef TANDEM_HAS_TOOLKIT
#include "tandem/Runtime/Libraries/CUBLASLtConstants.def"
  using Theirs = cublasLtMatmulHeuristicResult_t;
  using Ours = tandem::cuda::MatmulHeuristic;
  static_assert(sizeof(Ours) == sizeof(Theirs) &&
                alignof(Ours) == alignof(Theirs));
  static_assert(sizeof(Ours::algo) == sizeof(Theirs::algo) &&
                offsetof(Ours, algo) == offsetof(Theirs, algo));
  static_assert(offsetof(Ours, workspaceBytes) ==
                offsetof(Theirs, workspaceSize));
  static_assert(offsetof(Ours, state) == offsetof(Theirs, state));
#else
  GTEST_SKIP() << "no headers of the CUDA toolkit where this was built";
#endif
}

TEST(Structs, AreTheDrivers) {
#ifdef TANDEM_HAS_TOOLKIT
  using Params = CUDA_KERNEL_NODE_PARAMS_v2;
  using Ours = tandem::cuda::KernelNodeParams;
  static_assert(sizeof(Ours) == sizeof(Params));
  static_assert(offsetof(Ours, gridX) == offsetof(Params, gridDimX) &&
                offsetof(Ours, blockZ) == offsetof(Params, blockDimZ) &&
                offsetof(Ours, sharedBytes) ==
                    offsetof(Params, sharedMemBytes) &&
                offsetof(Ours, parameters) == offsetof(Params, kernelParams) &&
                offsetof(Ours, extra) == offsetof(Params, extra) &&
                offsetof(Ours, context) == offsetof(Params, ctx));
  using Info = CUgraphExecUpdateResultInfo;
  static_assert(sizeof(tandem::cuda::GraphUpdateInfo) == sizeof(Info) &&
                offsetof(tandem::cuda::GraphUpdateInfo, from) ==
                    offsetof(Info, errorFromNode));
#else
  GTEST_SKIP() << "no headers of the CUDA toolkit where this was built";
#endif
}

/// The files that are installed have all functions and tell a version.
template <typename Table>
void expectOpened(const tandem::Expected<Table> &library) {
  if (!library)
    GTEST_SKIP() << library.error().str();
  EXPECT_FALSE(library->path.empty());
  EXPECT_GE(std::atof(library->version.c_str()), 9.0) << library->version;
}

TEST(InstalledLibraries, NVRTC) { expectOpened(tandem::cuda::nvrtc()); }
TEST(InstalledLibraries, NVJitLink) { expectOpened(tandem::cuda::nvJitLink()); }
TEST(InstalledLibraries, CUDNN) { expectOpened(tandem::cuda::cudnn()); }
TEST(InstalledLibraries, CUBLASLt) { expectOpened(tandem::cuda::cublasLt()); }
TEST(InstalledLibraries, Driver) { expectOpened(tandem::cuda::driver()); }

} // namespace
