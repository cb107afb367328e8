//===- HostEntry.h - Kernels on the host, thread by thread ------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels that were compiled behind HostCUDA.h and whoever runs them agree
// on. Included by both; without the standard library, as HostCUDA.h.
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_HOST_ENTRY_H
#define TANDEM_HOST_ENTRY_H

namespace tandem_host {

struct Index {
  unsigned x, y, z;
};

/// What a launch passes for one parameter.
struct Parameter {
  unsigned bytes;
  /// The alignment of what a pointer points to, in bytes; 0 if the parameter is
  /// not a pointer.
  unsigned alignment;
  bool isWritten;
  /// The alignment of the parameter itself in a buffer of parameters, in bytes.
  unsigned ownAlignment;
};

/// The place of a thread.
struct Place {
  Index *blockIdx, *threadIdx, *blockDim, *gridDim;
};

/// How the threads of a block wait for one another.
struct Hooks {
  void (*syncThreads)();
  void (*syncWarp)(unsigned mask);
  /// Waits for the lanes of `mask`; what `source` of them has brought.
  const void *(*exchange)(unsigned mask, const void *value, unsigned bytes,
                          unsigned source);
  /// Before a thread reads memory that may be none of its own, where kernels
  /// are compiled with TANDEM_COUNT_LOADS.
  void (*load)(const void *from, unsigned bytes, bool isShared);
};

/// A kernel, to be run thread by thread.
struct Entry {
  const Parameter *parameters;
  unsigned numParameters;
  /// One thread, at the place that is set; `args` point to the parameters.
  void (*run)(void *const *args);
  /// The place and the hooks of the calling thread of the host.
  Place (*place)();
  void (*setHooks)(const Hooks *);
};

} // namespace tandem_host

#endif // TANDEM_HOST_ENTRY_H
