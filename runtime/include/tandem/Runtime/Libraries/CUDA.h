//===- CUDA.h - NVIDIA's libraries, as far as they are used -----*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of functions that are found at run time, so that building needs no
// CUDA. Types and names are those of NVIDIA's documentation; a test compares
// them with the toolkit's headers if these are installed.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_LIBRARIES_CUDA_H
#define TANDEM_RUNTIME_LIBRARIES_CUDA_H

#include "tandem/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <string>

// These structs are declared as in CUDA's headers, so that pointers to them
// have the same types.
struct CUctx_st;
struct CUevent_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphEdgeData_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUmod_st;
struct CUstream_st;
struct _nvrtcProgram;
struct nvJitLink;
struct cudnnContext;
struct cublasLtContext;

namespace tandem::cuda {

/// Stands for CUresult, nvrtcResult and similar enums. 0 means success.
using Result = int;
inline constexpr Result kSuccess = 0;
/// Stands for the enums CUdevice_attribute and CUjit_option.
using Attribute = int;
using JitOption = int;
using DeviceNumber = int;
using DevicePointer = unsigned long long;
using ContextHandle = CUctx_st *;
using EventHandle = CUevent_st *;
using FunctionHandle = CUfunc_st *;
using GraphHandle = CUgraph_st *;
using GraphExecHandle = CUgraphExec_st *;
using GraphNodeHandle = CUgraphNode_st *;
using ModuleHandle = CUmod_st *;
using StreamHandle = CUstream_st *;

/// CUDA_KERNEL_NODE_PARAMS_v2: a launch of a kernel that is a node of a graph.
struct KernelNodeParams {
  FunctionHandle function = nullptr;
  unsigned gridX = 1, gridY = 1, gridZ = 1;
  unsigned blockX = 1, blockY = 1, blockZ = 1;
  unsigned sharedBytes = 0;
  void **parameters = nullptr;
  void **extra = nullptr;
  void *kernel = nullptr;
  ContextHandle context = nullptr;
};
/// CUgraphExecUpdateResultInfo: why a graph cannot take another's place.
struct GraphUpdateInfo {
  Result result;
  GraphNodeHandle node, from;
};

/// cublasLtMatmulHeuristicResult_t: an algorithm of cuBLASLt's.
struct MatmulHeuristic {
  uint64_t algo[8];
  size_t workspaceBytes;
  Result state;
  float wavesCount;
  int reserved[4];
};

/// The members that all tables have.
struct Library {
  /// The path of the library's file, with links resolved.
  std::string path;
  /// The version of the library, such as "13.0"; for a driver, the version of
  /// CUDA that the driver supports.
  std::string version;
};

#define TANDEM_SYMBOL(member, symbol, result, parameters)                      \
  result(*member) parameters = nullptr;
#define TANDEM_OPTIONAL_SYMBOL TANDEM_SYMBOL

/// libcuda, which comes with the driver of a GPU.
struct Driver : Library {
#include "tandem/Runtime/Libraries/Driver.def"
};
/// CUDA C++ to PTX and cubin.
struct NVRTC : Library {
#include "tandem/Runtime/Libraries/NVRTC.def"
};
/// Links PTX and cubin.
struct NVJitLink : Library {
#include "tandem/Runtime/Libraries/NVJitLink.def"
};
/// The backend API of cuDNN 9.
struct CUDNN : Library {
#include "tandem/Runtime/Libraries/CUDNN.def"
};
/// The part of cuBLAS for products with epilogues.
struct CUBLASLt : Library {
#include "tandem/Runtime/Libraries/CUBLASLt.def"
};

#undef TANDEM_SYMBOL
#undef TANDEM_OPTIONAL_SYMBOL

/// Each of these functions opens its library at the first call and never closes
/// it. Errors have phase "load", and say where the library was searched for and
/// how to install it. Thread-safe. No call creates a context or initializes the
/// driver.
const Expected<Driver> &driver();
const Expected<NVRTC> &nvrtc();
const Expected<NVJitLink> &nvJitLink();
const Expected<CUDNN> &cudnn();
const Expected<CUBLASLt> &cublasLt();

/// Makes driver() and nvrtc() return these tables instead of the installed
/// libraries. The tables must live as long as the process uses them. Call this
/// function before a device is opened.
void replaceLibraries(const Expected<Driver> &driver,
                      const Expected<NVRTC> &nvrtc);

/// Returns one line for each library, with its version and file, or with the
/// reason why it is missing. Opens all libraries.
std::string describeLibraries();

} // namespace tandem::cuda

#endif // TANDEM_RUNTIME_LIBRARIES_CUDA_H
