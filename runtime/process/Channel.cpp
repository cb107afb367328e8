//===- Channel.cpp - Messages between two processes -----------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channel.h"

#include "../core/AtomicFile.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <xxhash.h>

using namespace tandem;

namespace {

constexpr char kMagic[8] = {'T', 'A', 'N', 'D', 'E', 'M', 'C', 'H'};
/// Messages are short: what is large is in the files. A length beyond this is
/// no length.
constexpr uint64_t kMaxBytes = uint64_t(64) << 20;

struct Header {
  char magic[8];
  uint64_t bytes = 0;
  uint64_t checksum = 0; ///< XXH3, 64 bits, of the bytes.
};

double now() {
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now().time_since_epoch();
  return time.count();
}

tl::unexpected<Error> damaged() {
  return fail("receive", "a damaged message was received");
}

/// Takes the files out of what recvmsg received.
void takeFiles(msghdr &message, std::vector<Descriptor> &files) {
  for (cmsghdr *part = CMSG_FIRSTHDR(&message); part;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
      continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int number;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof number, sizeof number);
      files.emplace_back(number);
    }
  }
}

/// The room that recvmsg and sendmsg need for the most files.
struct Control {
  alignas(cmsghdr) char bytes[CMSG_SPACE(Channel::kMaxFiles * sizeof(int))];
};

} // namespace

Expected<std::pair<Channel, Descriptor>> Channel::create() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fileError("connect", "a socket", errno);
  return std::pair(Channel(Descriptor(ends[0])), Descriptor(ends[1]));
}

tl::unexpected<Error> Channel::gone() {
  closed = true;
  return fail("receive", "the other process has ended");
}

bool Channel::isQuiet() const {
  pollfd waited{socket.get(), POLLIN, 0};
  return poll(&waited, 1, 0) == 0;
}

Status Channel::send(std::span<const uint8_t> bytes,
                     std::span<const int> files) {
  Header header;
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.bytes = bytes.size();
  header.checksum = XXH3_64bits(bytes.data(), bytes.size());
  std::vector<uint8_t> all(sizeof header + bytes.size());
  std::memcpy(all.data(), &header, sizeof header);
  std::ranges::copy(bytes, all.begin() + sizeof header);

  Control control{};
  for (size_t sent = 0; sent < all.size();) {
    iovec piece{all.data() + sent, all.size() - sent};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (sent == 0 && !files.empty()) {
      message.msg_control = control.bytes;
      message.msg_controllen = CMSG_SPACE(files.size_bytes());
      cmsghdr *part = CMSG_FIRSTHDR(&message);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(files.size_bytes());
      std::memcpy(CMSG_DATA(part), files.data(), files.size_bytes());
    }
    // A signal would end a program that does not expect it.
    const ssize_t count = sendmsg(socket.get(), &message, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && (errno == EPIPE || errno == ECONNRESET))
      return gone();
    if (count < 0)
      return fileError("send", "a socket", errno);
    sent += static_cast<size_t>(count);
  }
  return {};
}

Status Channel::wait(std::optional<double> deadline) {
  while (true) {
    int ms = -1;
    if (deadline)
      ms = static_cast<int>(
          std::clamp(std::ceil((*deadline - now()) * 1e3), 0.0, 1e9));
    pollfd waited{socket.get(), POLLIN, 0};
    const int ready = poll(&waited, 1, ms);
    if (ready > 0)
      return {};
    timedOut = ready == 0;
    if (timedOut)
      return fail("receive", "there was no answer in time");
    if (errno != EINTR)
      return fileError("receive", "a socket", errno);
  }
}

Status Channel::read(void *data, size_t bytes, std::optional<double> deadline,
                     std::vector<Descriptor> *files) {
  auto *next = static_cast<char *>(data);
  while (bytes > 0) {
    TANDEM_RETURN_IF_ERROR(wait(deadline));
    Control control;
    iovec piece{next, bytes};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    const ssize_t count = recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR)
      continue;
    if (count == 0 || (count < 0 && errno == ECONNRESET))
      return gone();
    if (count < 0)
      return fileError("receive", "a socket", errno);
    std::vector<Descriptor> received;
    takeFiles(message, received);
    if (!received.empty() && !files)
      return damaged();
    for (Descriptor &file : received)
      files->push_back(std::move(file));
    next += count;
    bytes -= static_cast<size_t>(count);
  }
  return {};
}

Expected<Message> Channel::receive(std::optional<double> seconds) {
  std::optional<double> deadline;
  if (seconds)
    deadline = now() + *seconds;
  Header header;
  Message message;
  TANDEM_RETURN_IF_ERROR(
      read(&header, sizeof header, deadline, &message.files));
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 ||
      header.bytes > kMaxBytes)
    return damaged();
  message.bytes.resize(header.bytes);
  TANDEM_RETURN_IF_ERROR(read(message.bytes.data(), header.bytes, deadline));
  if (XXH3_64bits(message.bytes.data(), header.bytes) != header.checksum)
    return damaged();
  return message;
}
