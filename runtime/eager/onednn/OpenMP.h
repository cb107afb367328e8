//===- OpenMP.h - The OpenMP library that oneDNN brings ---------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_EAGER_ONEDNN_OPENMP_H
#define TANDEM_RUNTIME_EAGER_ONEDNN_OPENMP_H

namespace tandem::onednn {

/// Functions of the OpenMP library that oneDNN has loaded, whichever that is.
/// Tandem looks them up at run time because a second OpenMP library must not be
/// linked beside it. A pointer is null where the library has no such function.
struct OpenMP {
  int (*getMaxThreads)();
  void (*setNumThreads)(int);
  int (*getNumProcs)();
  /// GOMP_parallel, which only libgomp has: runs `body` on each of `threads`
  /// threads.
  void (*parallel)(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
};

const OpenMP &openMP();

} // namespace tandem::onednn

#endif // TANDEM_RUNTIME_EAGER_ONEDNN_OPENMP_H
