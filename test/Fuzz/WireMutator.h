//===- WireMutator.h - Changes protobuf messages ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_TEST_FUZZ_WIREMUTATOR_H
#define TANDEM_TEST_FUZZ_WIREMUTATOR_H

#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace tandem {

/// The message with one of its fields, at any depth, changed, left out,
/// repeated, moved or replaced by one of the same tag, so that it can still be
/// parsed. Needs no schema: a string that can be read as a message is taken for
/// one. Returns nothing if `message` is none or is empty.
std::optional<std::string> mutateMessage(std::string_view message,
                                         std::minstd_rand &random);

} // namespace tandem

#endif // TANDEM_TEST_FUZZ_WIREMUTATOR_H
