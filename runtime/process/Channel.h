//===- Channel.h - Messages between two processes ------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROCESS_CHANNEL_H
#define TANDEM_RUNTIME_PROCESS_CHANNEL_H

#include "Descriptor.h"

#include "tandem/Support/Error.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tandem {

/// What one process tells another: bytes, and files that both then have open.
struct Message {
  std::vector<uint8_t> bytes;
  std::vector<Descriptor> files;
};

/// One end of a connection of two processes, by a socket. Each message has a
/// checksum. Used by one thread at a time.
class Channel {
public:
  /// The most files of a message.
  static constexpr size_t kMaxFiles = 8;

  explicit Channel(Descriptor socket) : socket(std::move(socket)) {}
  /// Both ends of a new connection, which exec closes.
  static Expected<std::pair<Channel, Descriptor>> create();

  Status send(std::span<const uint8_t> bytes, std::span<const int> files = {});
  /// Waits for a message; at most so many seconds, unless that is nothing. No
  /// message can be received after a failure.
  Expected<Message> receive(std::optional<double> seconds);
  /// Whether the other end is open and has said nothing.
  bool isQuiet() const;
  /// Whether the other end has been closed.
  bool isClosed() const { return closed; }
  /// Whether there was no message in time.
  bool hasTimedOut() const { return timedOut; }

private:
  Status wait(std::optional<double> deadline);
  Status read(void *data, size_t bytes, std::optional<double> deadline,
              std::vector<Descriptor> *files = nullptr);
  tl::unexpected<Error> gone();

  Descriptor socket;
  bool closed = false, timedOut = false;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_PROCESS_CHANNEL_H
