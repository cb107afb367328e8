//===- ReproducerDirectory.h - Where failures are written -------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_REPRODUCERDIRECTORY_H
#define TANDEM_SUPPORT_REPRODUCERDIRECTORY_H

#include "tandem/Support/Error.h"

#include <string>

namespace tandem {

/// Returns the directory for reproducers, and creates the directory if it does
/// not exist. The directory is `chosen` or, if `chosen` is empty,
/// $TANDEM_REPRODUCER_DIR. If neither is set, the directory is
/// `tandem-reproducers-UID` in the system's directory of temporary files. That
/// directory must belong to this user, and no other user may be able to write
/// to it. Errors have phase "write".
Expected<std::string> openReproducerDirectory(const std::string &chosen);

} // namespace tandem

#endif // TANDEM_SUPPORT_REPRODUCERDIRECTORY_H
