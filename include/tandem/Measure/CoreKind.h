//===- CoreKind.h - Which kind of core this is ------------------*- C++ -*-===//
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

/// What kind of core processor `cpu` is, where a machine has several kinds, in
/// the words of the system: the name of its list of processors ("cpu_core",
/// "cpu_atom"), else its share of the fastest kind's capacity ("capacity 446 of
/// 1024"), else its highest frequency ("3.9 of 5.1 GHz"). Empty where all are
/// of one kind, or the system does not say. `devices` is Linux's /sys/devices.
std::string coreKind(int cpu,
                     const std::filesystem::path &devices = "/sys/devices");

/// The kind of the core that runs the calling thread, which may be another one
/// the next moment.
std::string currentCoreKind();

} // namespace tandem::measure

#endif // TANDEM_MEASURE_COREKIND_H
