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

/// Functions of the OpenMP library that oneDNN has brought, whichever that is:
/// another one must not be linked beside it. Null where it has none of the
/// name.
struct OpenMP {
  int (*getMaxThreads)();
  void (*setNumThreads)(int);
  int (*getNumProcs)();
  /// libgomp's own: runs `body` on each of so many threads.
  void (*parallel)(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
};

const OpenMP &openMP();

/// Whether this process was forked from one that has called openMP. Its OpenMP
/// workers stayed behind there; libgomp would wait for them for ever.
bool lacksWorkers();

} // namespace tandem::onednn

#endif // TANDEM_RUNTIME_EAGER_ONEDNN_OPENMP_H
