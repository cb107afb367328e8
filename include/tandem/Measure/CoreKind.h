//===- CoreKind.h - Kinds of cores in one machine ---------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_MEASURE_COREKIND_H
#define TANDEM_MEASURE_COREKIND_H

#include <filesystem>
#include <string>

namespace tandem::measure {

/// The kind of core that processor number `cpu` is, on machines with several
/// kinds, as the operating system names it: the name of its list of processors
/// ("cpu_core", "cpu_atom"), else its capacity relative to the fastest kind
/// ("capacity 446 of 1024"), else its highest frequency ("3.9 of 5.1 GHz").
/// Empty where all cores are of one kind, or the system does not say. `devices`
/// is the path of Linux's /sys/devices; tests pass another one.
std::string coreKind(int cpu,
                     const std::filesystem::path &devices = "/sys/devices");

/// The kind of the core that runs the calling thread at this moment; the system
/// may move the thread at any time.
std::string currentCoreKind();

} // namespace tandem::measure

#endif // TANDEM_MEASURE_COREKIND_H
