//===- ChannelTest.cpp - Messages between two ends ------------------------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "process/Channel.h"

#include <cstring>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <numeric>
#include <sys/socket.h>
#include <thread>

using namespace tandem;
using testing::HasSubstr;

namespace {

struct ChannelTest : testing::Test {
  ChannelTest() {
    auto ends = Channel::create();
    EXPECT_TRUE(ends) << ends.error().str();
    near.emplace(std::move(ends->first));
    socket = std::move(ends->second);
  }
  /// The bytes of a message as they are sent.
  static std::vector<uint8_t> wireOf(std::span<const uint8_t> bytes) {
    auto ends = Channel::create();
    EXPECT_TRUE(ends->first.send(bytes));
    std::vector<uint8_t> wire(4096);
    const ssize_t count = read(ends->second.get(), wire.data(), wire.size());
    wire.resize(static_cast<size_t>(count));
    return wire;
  }
  void write(std::span<const uint8_t> bytes) {
    EXPECT_EQ(::write(socket.get(), bytes.data(), bytes.size()),
              ssize_t(bytes.size()));
  }

  std::optional<Channel> near;
  Descriptor socket;
};

TEST_F(ChannelTest, MessagesArriveWithTheirFiles) {
  Channel far(std::move(socket));
  const std::vector<uint8_t> bytes = {1, 2, 3};
  int pipe[2];
  ASSERT_EQ(pipe2(pipe, O_CLOEXEC), 0);
  const Descriptor in(pipe[1]), out(pipe[0]);
  ASSERT_TRUE(near->send({}));
  ASSERT_TRUE(near->send(bytes, {&pipe[1], 1}));
  EXPECT_TRUE(far.receive(10)->bytes.empty());
  auto message = far.receive(10);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->bytes, bytes);
  ASSERT_EQ(message->files.size(), 1u);
  EXPECT_EQ(::write(message->files[0].get(), "x", 1), 1);
  char heard = 0;
  EXPECT_EQ(read(out.get(), &heard, 1), 1);
  EXPECT_EQ(heard, 'x');
  EXPECT_NE(fcntl(message->files[0].get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(ChannelTest, LargeMessagesArriveInPieces) {
  Channel far(std::move(socket));
  std::vector<uint8_t> bytes(5 << 20);
  std::iota(bytes.begin(), bytes.end(), 0);
  std::thread sender([&] { EXPECT_TRUE(near->send(bytes)); });
  EXPECT_EQ(far.receive(60)->bytes, bytes);
  sender.join();
}

TEST_F(ChannelTest, EveryFlippedBitIsNoticed) {
  const std::vector<uint8_t> bytes = {7, 0, 9};
  const std::vector<uint8_t> wire = wireOf(bytes);
  for (size_t bit = 0; bit < 8 * wire.size(); ++bit) {
    auto ends = Channel::create();
    std::vector<uint8_t> spoilt = wire;
    spoilt[bit / 8] ^= uint8_t(1) << bit % 8;
    ASSERT_EQ(::write(ends->second.get(), spoilt.data(), spoilt.size()),
              ssize_t(spoilt.size()));
    ends->second = Descriptor(); // A longer message never comes.
    EXPECT_FALSE(ends->first.receive(10)) << bit;
  }
}

TEST_F(ChannelTest, TellsTheOthersEndFromSilence) {
  EXPECT_TRUE(near->isQuiet());
  auto silent = near->receive(0.01);
  ASSERT_FALSE(silent);
  EXPECT_TRUE(near->hasTimedOut());
  EXPECT_FALSE(near->isClosed());
  const std::vector<uint8_t> bytes = {7, 0, 9};
  std::vector<uint8_t> wire = wireOf(bytes);
  wire.resize(10);
  write(wire);
  socket = Descriptor();
  auto cut = near->receive(10);
  ASSERT_FALSE(cut);
  EXPECT_TRUE(near->isClosed());
  EXPECT_FALSE(near->isQuiet());
  EXPECT_FALSE(near->send(bytes)); // And no signal ends the process.
}

} // namespace
