//===- Certify.h - tandem-run --certify -------------------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TOOLS_TANDEM_RUN_CERTIFY_H
#define TANDEM_TOOLS_TANDEM_RUN_CERTIFY_H

#include "Run.h"

namespace tandem::tools {

/// Makes the equivalence certificate of the compiled program on the given
/// inputs, as the engine does before it takes that program, and prints it.
/// Returns false where it failed; a reproducer is then written.
Expected<bool> certify(const RunOptions &options);

} // namespace tandem::tools

#endif // TANDEM_TOOLS_TANDEM_RUN_CERTIFY_H
