//===- ValueNames.h - Values by the names in a file -----------*- C++ -*-===//
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

/// The places ("12:8") of the ops that give the values of `names` in the
/// function `function` of an MLIR file. Names are as in the file, with or
/// without `%`. An error names what is near; a file that does not parse gives
/// an empty list, for its errors will be reported by who reads it next.
llvm::Expected<std::vector<std::string>>
findValues(const llvm::MemoryBuffer &file, llvm::ArrayRef<std::string> names,
           llvm::StringRef function, const mlir::DialectRegistry &registry);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_OPT_VALUENAMES_H
