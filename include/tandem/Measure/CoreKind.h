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

/// Returns the kind of core of processor number `cpu`, on machines with several
/// kinds. The text is the first of the following that the operating system
/// provides: the name of the list that contains the processor ("cpu_core",
/// "cpu_atom"), its capacity relative to the fastest kind ("capacity 446 of
/// 1024"), or its highest frequency ("3.9 of 5.1 GHz"). The text is empty if
/// all cores are of the same kind, or if the system provides none of these.
/// `devices` is the path of Linux's /sys/devices; tests pass another one.
std::string coreKind(int cpu,
                     const std::filesystem::path &devices = "/sys/devices");

/// The kind of the core that runs the calling thread at this moment; the system
/// may move the thread at any time.
std::string currentCoreKind();

} // namespace tandem::measure

#endif // TANDEM_MEASURE_COREKIND_H
