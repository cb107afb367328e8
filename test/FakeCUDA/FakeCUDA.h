//===- FakeCUDA.h - The fake driver, for unit tests -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FAKECUDA_FAKECUDA_H
#define TANDEM_TEST_FAKECUDA_FAKECUDA_H

#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace tandem::test {

/// The controls of Reports.h, of the library that is used as the driver.
struct FakeCUDA {
  void (*fail)(const char *function, int result, int count);
  const char *(*collect)();
  void (*seed)(unsigned seed);
  void (*reset)();
  size_t (*liveBytes)();
  int (*liveGraphs)();
  void (*hold)(bool isHeld);
  void *library;

  template <typename Function> Function *find(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(library, name));
  }
};

/// Names the fake as driver and libraries of this process. To be called before
/// any is used.
inline const FakeCUDA &fakeCUDA() {
  static const FakeCUDA fake = [] {
    for (const char *variable :
         {"TANDEM_LIBCUDA", "TANDEM_NVRTC", "TANDEM_CUDNN", "TANDEM_CUBLASLT"})
      setenv(variable, TANDEM_FAKE_CUDA, 1);
    FakeCUDA fake = {};
    fake.library = dlopen(TANDEM_FAKE_CUDA, RTLD_NOW);
    fake.fail = fake.find<void(const char *, int, int)>("fakeCUDAFail");
    fake.collect = fake.find<const char *()>("fakeCUDACollect");
    fake.seed = fake.find<void(unsigned)>("fakeCUDASeed");
    fake.reset = fake.find<void()>("fakeCUDAReset");
    fake.liveBytes = fake.find<size_t()>("fakeCUDALiveBytes");
    fake.liveGraphs = fake.find<int()>("fakeCUDALiveGraphs");
    fake.hold = fake.find<void(bool)>("fakeCUDAHold");
    return fake;
  }();
  return fake;
}

} // namespace tandem::test

#endif // TANDEM_TEST_FAKECUDA_FAKECUDA_H
