//===- CUDASource.h - CUDA C++ text of kernels -----------------*- C++ -*--===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_TARGET_CUDA_CUDASOURCE_H
#define TANDEM_LIB_TARGET_CUDA_CUDASOURCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tandem {

/// Rewrites what upstream's C++ printer made into what a person would have
/// written, as directed by marker lines in the text. A marker follows the line
/// that defines the variable that it is about, and holds to the end of the
/// scope:
///   //@name v7 sum     v7 is called sum
///   //@const v7 sum    and its definition is const
///   //@shared v7 tile  and it is in shared memory
///   //@aligned v7 tile the same, and its vectors may be loaded
///   //@inline v7       its one use is replaced by its definition
/// A variable that is set right after its definition is defined with that
/// value. Fixed-width types get the names they have in CUDA without any header.
std::string rewriteSource(llvm::StringRef printed);

/// The source of a kernel, the kernel's name in it, and the name that it is to
/// have.
struct NamedSource {
  std::string source, name, newName;
};

/// One source of all kernels, in which types and functions that several of them
/// declare are declared once.
std::string mergeSources(llvm::ArrayRef<NamedSource> sources);

} // namespace tandem

#endif // TANDEM_LIB_TARGET_CUDA_CUDASOURCE_H
