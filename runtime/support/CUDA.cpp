//===- CUDA.cpp - NVIDIA's libraries, opened ------------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tandem/Runtime/Libraries/CUDA.h"

#include "tandem/Runtime/Libraries/Library.h"

using namespace tandem;
using namespace tandem::cuda;

namespace {

constexpr const char *kDriverNames[] = {"libcuda.so.1", "libcuda.so"};
constexpr const char *kNVRTCNames[] = {"libnvrtc.so", "libnvrtc.so.13",
                                       "libnvrtc.so.12"};
constexpr const char *kNVJitLinkNames[] = {
    "libnvJitLink.so", "libnvJitLink.so.13", "libnvJitLink.so.12"};
constexpr const char *kCUDNNNames[] = {"libcudnn.so.9"};
constexpr const char *kCUBLASLtNames[] = {"libcublasLt.so", "libcublasLt.so.13",
                                          "libcublasLt.so.12"};

constexpr std::string_view kToolkitHint =
    "install the CUDA toolkit, from NVIDIA or as Debian's package "
    "nvidia-cuda-toolkit, and set CUDAToolkit_ROOT to the folder that holds "
    "lib64/libnvrtc.so where that is not /usr/local/cuda";

constexpr LibrarySpec kDriver = {
    "driver of a GPU",
    Variable::driver,
    kDriverNames,
    Toolkit::no,
    /*isInPythonPackages=*/false,
    "install NVIDIA's driver; it brings libcuda.so.1"};
constexpr LibrarySpec kNVRTC = {"NVRTC",
                                Variable::nvrtc,
                                kNVRTCNames,
                                Toolkit::holds,
                                /*isInPythonPackages=*/true,
                                kToolkitHint};
constexpr LibrarySpec kNVJitLink = {"nvJitLink",
                                    Variable::nvJitLink,
                                    kNVJitLinkNames,
                                    Toolkit::holds,
                                    /*isInPythonPackages=*/true,
                                    kToolkitHint};
constexpr LibrarySpec kCUDNN = {
    "cuDNN 9",
    Variable::cudnn,
    kCUDNNNames,
    Toolkit::mayHold,
    /*isInPythonPackages=*/true,
    "install cuDNN 9, from NVIDIA or as PyPI's package nvidia-cudnn-cu13"};
constexpr LibrarySpec kCUBLASLt = {"cuBLASLt",
                                   Variable::cublasLt,
                                   kCUBLASLtNames,
                                   Toolkit::holds,
                                   /*isInPythonPackages=*/true,
                                   kToolkitHint};

std::string writeVersion(int64_t major, int64_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

// The list of a table's symbols, whose pointers are in `table`.
#define TANDEM_SYMBOL(member, symbol, result, parameters)                      \
  {#symbol, reinterpret_cast<void **>(&table.member), false},
#define TANDEM_OPTIONAL_SYMBOL(member, symbol, result, parameters)             \
  {#symbol, reinterpret_cast<void **>(&table.member), true},

Expected<Driver> openDriver() {
  Driver table;
  const LibrarySymbol symbols[] = {
#include "tandem/Runtime/Libraries/Driver.def"
  };
  TANDEM_ASSIGN_OR_RETURN(table.path, openLibrary(kDriver, symbols));
  int version = 0;
  table.driverGetVersion(&version);
  table.version = writeVersion(version / 1000, version % 1000 / 10);
  return table;
}

Expected<NVRTC> openNVRTC() {
  NVRTC table;
  const LibrarySymbol symbols[] = {
#include "tandem/Runtime/Libraries/NVRTC.def"
  };
  TANDEM_ASSIGN_OR_RETURN(table.path, openLibrary(kNVRTC, symbols));
  int major = 0, minor = 0;
  table.getVersion(&major, &minor);
  table.version = writeVersion(major, minor);
  return table;
}

Expected<NVJitLink> openNVJitLink() {
  NVJitLink table;
  const LibrarySymbol symbols[] = {
#include "tandem/Runtime/Libraries/NVJitLink.def"
  };
  TANDEM_ASSIGN_OR_RETURN(table.path, openLibrary(kNVJitLink, symbols));
  unsigned major = 12, minor = 0;
  if (table.getVersion)
    table.getVersion(&major, &minor);
  table.version = writeVersion(major, minor);
  return table;
}

Expected<CUDNN> openCUDNN() {
  CUDNN table;
  const LibrarySymbol symbols[] = {
#include "tandem/Runtime/Libraries/CUDNN.def"
  };
  TANDEM_ASSIGN_OR_RETURN(table.path, openLibrary(kCUDNN, symbols));
  // It opens NVRTC for each plan of an engine that it compiles, and closes it
  // again, which costs 12 ms and some memory, unless it is open anyway.
  (void)nvrtc();
  // 91900 is 9.19.0.
  const size_t version = table.getVersion();
  table.version = writeVersion(version / 10000, version % 10000 / 100);
  return table;
}

Expected<CUBLASLt> openCUBLASLt() {
  CUBLASLt table;
  const LibrarySymbol symbols[] = {
#include "tandem/Runtime/Libraries/CUBLASLt.def"
  };
  TANDEM_ASSIGN_OR_RETURN(table.path, openLibrary(kCUBLASLt, symbols));
  // 130100 is 13.1.0.
  const size_t version = table.getVersion();
  table.version = writeVersion(version / 10000, version % 10000 / 100);
  return table;
}

} // namespace

/// What stands for the installed ones, if anything does.
static const Expected<Driver> *otherDriver = nullptr;
static const Expected<NVRTC> *otherNVRTC = nullptr;

void cuda::replaceLibraries(const Expected<Driver> &driver,
                            const Expected<NVRTC> &nvrtc) {
  otherDriver = &driver;
  otherNVRTC = &nvrtc;
}

const Expected<Driver> &cuda::driver() {
  if (otherDriver)
    return *otherDriver;
  static const auto &opened = *new Expected<Driver>(openDriver());
  return opened;
}
const Expected<NVRTC> &cuda::nvrtc() {
  if (otherNVRTC)
    return *otherNVRTC;
  static const auto &opened = *new Expected<NVRTC>(openNVRTC());
  return opened;
}
const Expected<NVJitLink> &cuda::nvJitLink() {
  static const auto &opened = *new Expected<NVJitLink>(openNVJitLink());
  return opened;
}
const Expected<CUDNN> &cuda::cudnn() {
  static const auto &opened = *new Expected<CUDNN>(openCUDNN());
  return opened;
}
const Expected<CUBLASLt> &cuda::cublasLt() {
  static const auto &opened = *new Expected<CUBLASLt>(openCUBLASLt());
  return opened;
}

template <typename Table>
static std::string describe(const LibrarySpec &spec,
                            const Expected<Table> &library) {
  std::string line(spec.title);
  line.resize(std::max<size_t>(line.size() + 1, 17), ' ');
  if (library)
    return line + library->version + " " + library->path + "\n";
  const Error &error = library.error();
  return line + "missing: " + error.message + " (" + error.hint + ")\n";
}

std::string cuda::describeLibraries() {
  return describe(kDriver, driver()) + describe(kNVRTC, nvrtc()) +
         describe(kNVJitLink, nvJitLink()) + describe(kCUDNN, cudnn()) +
         describe(kCUBLASLt, cublasLt());
}
