//===- ValueNames.h - Finding values by their names -------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_OPT_VALUENAMES_H
#define TANDEM_TOOLS_TANDEM_OPT_VALUENAMES_H

#include "mlir/IR/DialectRegistry.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>
#include <vector>

namespace tandem::tools {

/// Finds the locations ("12:8") of the ops that define the values `names` in
/// the function `function` of an MLIR file. Names are those in the file, with
/// or without `%`. The error for an unknown name suggests similar ones. A file
/// that does not parse gives an empty list; whoever parses it next will report
/// its errors.
llvm::Expected<std::vector<std::string>>
findValues(const llvm::MemoryBuffer &file, llvm::ArrayRef<std::string> names,
           llvm::StringRef function, const mlir::DialectRegistry &registry);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_OPT_VALUENAMES_H
