//===- SizeFunctions.h - Elementwise ONNX ops on sizes ----------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_LIB_IMPORT_ONNX_SIZES_SIZEFUNCTIONS_H
#define TANDEM_LIB_IMPORT_ONNX_SIZES_SIZEFUNCTIONS_H

#include "Common/Sizes.h"

#include "llvm/ADT/StringRef.h"

namespace tandem::onnx {

using namespace importer;

using SizeFunction = std::optional<Size> (*)(const Size &, const Size &);

/// The function of an elementwise ONNX op on two sizes, whose result is nothing
/// where it is not known; null where there is none.
SizeFunction findSizeFunction(llvm::StringRef op);
/// The same for ops whose results are truth values, as 0 or 1.
SizeFunction findSizePredicate(llvm::StringRef op);

} // namespace tandem::onnx

#endif // TANDEM_LIB_IMPORT_ONNX_SIZES_SIZEFUNCTIONS_H
