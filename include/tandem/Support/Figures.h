//===- Figures.h - Figures for people ------------------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_SUPPORT_FIGURES_H
#define TANDEM_SUPPORT_FIGURES_H

#include <cstdint>
#include <string>

namespace tandem {

/// A time with three significant digits in a suitable unit: "850 ns", "12.3
/// µs".
std::string formatTime(double ns);
/// A number of bytes in a suitable unit: "512 B", "1.5 MiB".
std::string formatBytes(int64_t bytes);
/// A count: "12", "1.2k", "3.4M".
std::string formatCount(int64_t count);

} // namespace tandem

#endif // TANDEM_SUPPORT_FIGURES_H
