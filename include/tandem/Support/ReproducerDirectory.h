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

/// The directory of reproducers, made where it is not there: `chosen`; where
/// that is empty, $TANDEM_REPRODUCER_DIR; else `tandem-reproducers-UID` among
/// the temporary files, which must be this user's alone.
Expected<std::string> openReproducerDirectory(const std::string &chosen);

} // namespace tandem

#endif // TANDEM_SUPPORT_REPRODUCERDIRECTORY_H
