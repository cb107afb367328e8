//===- HumanReadable.h - Human-readable numbers -----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_HUMANREADABLE_H
#define TANDEM_SUPPORT_HUMANREADABLE_H

#include <cstdint>
#include <string>

namespace tandem {

/// Formats a time in nanoseconds with three significant digits and a suitable
/// unit, e.g. "850 ns" or "12.3 µs".
std::string formatTime(double ns);
/// Formats a number of bytes with a suitable unit, e.g. "512 B" or "1.50 MiB".
std::string formatBytes(int64_t bytes);
/// Formats a count, e.g. "12", "12.3k" or "3.40M". Counts below 10000 are
/// printed in full.
std::string formatCount(int64_t count);

} // namespace tandem

#endif // TANDEM_SUPPORT_HUMANREADABLE_H
