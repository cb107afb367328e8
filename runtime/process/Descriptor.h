//===- Descriptor.h - An open file ---------------------------- -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_PROCESS_DESCRIPTOR_H
#define TANDEM_RUNTIME_PROCESS_DESCRIPTOR_H

#include <unistd.h>
#include <utility>

namespace tandem {

/// A file descriptor that is closed at the end; -1 stands for none.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }

  explicit operator bool() const { return number >= 0; }
  int get() const { return number; }

private:
  int number;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_PROCESS_DESCRIPTOR_H
