//===- Tensor.h - Dense tensors and the memory they live in -*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_TENSOR_H
#define TANDEM_RUNTIME_TENSOR_H

#include "tandem/Support/TensorType.h"

#include <atomic>
#include <cstddef>
#include <memory>

namespace tandem {

class Device;

/// Hands out aligned memory of one device and counts it. Thread-safe.
class Allocator {
public:
  explicit Allocator(const Device *device = nullptr) : place(device) {}
  virtual ~Allocator() = default;
  /// Whose memory it is; null for the host's.
  const Device *device() const { return place; }
  /// At least `bytes` (>= 0) bytes aligned to kAlignment; never a null pointer
  /// on success. Fails with phase "allocate" where memory runs out.
  virtual Expected<void *> allocate(int64_t bytes) = 0;
  /// `pointer` and `bytes` as of an earlier allocate.
  virtual void deallocate(void *pointer, int64_t bytes) = 0;

  static constexpr size_t kAlignment = 64;

  /// Bytes handed out now, and the most at any time since resetPeak.
  int64_t liveBytes() const { return live; }
  int64_t peakBytes() const { return peak; }
  void resetPeak() { peak = live.load(); }

protected:
  void count(int64_t delta);

private:
  const Device *place;
  std::atomic<int64_t> live{0}, peak{0};
};

/// Watches what the thread that makes it allocates, from any Allocator, until
/// it is destroyed. Scopes nest: what happens within an inner one is that one's
/// alone. Costs a few instructions an allocation.
class MemoryScope {
public:
  MemoryScope();
  ~MemoryScope();
  MemoryScope(const MemoryScope &) = delete;
  MemoryScope &operator=(const MemoryScope &) = delete;

  /// The most bytes held at once.
  int64_t peakBytes() const { return peak; }

private:
  friend class Allocator;
  int64_t live = 0, peak = 0;
  MemoryScope *outer;
};

/// The process-wide caching allocator: freed blocks are kept by size class and
/// handed out again without a system call, as PyTorch's allocators do.
Allocator &cachingAllocator();

/// Has cachingAllocator fill each block that it hands out with 0xff, which is a
/// NaN in every float type: for checks, since a block that is used again may
/// hold the very results that are to be computed. Process-wide; to be called
/// before other threads allocate.
void fillAllocations(bool isWanted);

/// A dense row-major tensor in the memory of one device. Copies share the
/// storage, which is freed with the last of them. A const Tensor may be read
/// from many threads.
class Tensor {
public:
  Tensor() = default;

  /// Uninitialised memory for `type` (static), from `allocator`, which must
  /// outlive the tensor.
  static Expected<Tensor> allocate(const TensorType &type,
                                   Allocator &allocator = cachingAllocator());
  /// Wraps memory that the caller keeps alive and at least 64-byte aligned
  /// where kernels are to use it at full speed. `device` as Tensor::device.
  static Tensor borrow(const TensorType &type, void *data,
                       const Device *device = nullptr);
  /// The same of memory that the tensor and its copies keep alive.
  static Tensor share(const TensorType &type, std::shared_ptr<void> data,
                      const Device *device = nullptr);
  /// The same bytes under another type of equal size (reshape).
  Tensor viewAs(const TensorType &type) const;

  /// Gives up the memory; the tensor is then empty. Its type remains.
  void reset() {
    pointer = nullptr;
    storage.reset();
  }

  explicit operator bool() const { return pointer != nullptr; }
  const TensorType &type() const { return tensorType; }
  const Shape &shape() const { return tensorType.shape; }
  DType dtype() const { return tensorType.dtype; }
  int64_t bytes() const { return tensorType.bytes(); }
  /// In the device's memory, which the host may be unable to read.
  void *data() const { return pointer; }
  /// Whose memory the elements are in; null for the host's, which the CPU's
  /// libraries and kernels use.
  const Device *device() const { return place; }
  /// What keeps the memory; null where that is the caller's.
  const std::shared_ptr<void> &owner() const { return storage; }
  template <typename T> T *as() const { return static_cast<T *>(pointer); }

private:
  TensorType tensorType;
  void *pointer = nullptr;
  const Device *place = nullptr;
  std::shared_ptr<void> storage;
};

} // namespace tandem

#endif // TANDEM_RUNTIME_TENSOR_H
