//===- Tensor.h - Dense tensors and their memory ----------------*- C++ -*-===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANDEM_RUNTIME_TENSOR_H
#define TANDEM_RUNTIME_TENSOR_H

#include "tandem/Support/TensorType.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace tandem {

class Device;

/// Allocates aligned memory of one device and counts the bytes in use.
/// Thread-safe.
class Allocator {
public:
  explicit Allocator(const Device *device = nullptr) : place(device) {}
  virtual ~Allocator() = default;
  /// The device whose memory it allocates; null for the host's memory.
  const Device *device() const { return place; }
  /// Allocates at least `bytes` (>= 0) bytes, aligned to kAlignment. The
  /// pointer is never null on success. Fails with phase "allocate" where memory
  /// runs out.
  virtual Expected<void *> allocate(int64_t bytes) = 0;
  /// Frees memory. `pointer` and `bytes` must be those of an earlier allocate.
  virtual void deallocate(void *pointer, int64_t bytes) = 0;

  /// Alignment of all memory, in bytes.
  static constexpr size_t kAlignment = 64;

  /// Bytes allocated now: a sum over threads, which may be off by what they
  /// allocate meanwhile. MemoryScope has the most that a thread held at once.
  int64_t liveBytes() const;

protected:
  void count(int64_t delta);

private:
  /// A cache line each, so that threads do not share one to count. Negative
  /// where a thread frees what others have allocated.
  struct alignas(64) Share {
    std::atomic<int64_t> live{0};
  };

  const Device *place;
  std::array<Share, 16> shares;
};

/// Counts the bytes that the current thread allocates, from any Allocator,
/// between the scope's construction and destruction. Scopes nest: allocations
/// within an inner scope count for that scope alone. Costs a few instructions
/// per allocation.
class MemoryScope {
public:
  MemoryScope();
  ~MemoryScope();
  MemoryScope(const MemoryScope &) = delete;
  MemoryScope &operator=(const MemoryScope &) = delete;

  /// The most bytes that were held at once.
  int64_t peakBytes() const { return peak; }

private:
  friend class Allocator;
  int64_t live = 0, peak = 0;
  MemoryScope *outer;
};

/// The process-wide caching allocator of host memory. Freed blocks are kept by
/// size class and reused without a system call, as PyTorch's allocators do.
Allocator &cachingAllocator();

/// Makes the allocators of host and device memory fill each block that they
/// hand out with 0xff bytes, which are a NaN in every float type. Checks use
/// this, because a reused block may already hold the results that are to be
/// computed. Applies to the whole process; call it before other threads
/// allocate.
void fillAllocations(bool isWanted);

/// Does the same, as long as it lives, for what the calling thread allocates.
class FilledAllocations {
public:
  FilledAllocations();
  ~FilledAllocations();
  FilledAllocations(const FilledAllocations &) = delete;
  FilledAllocations &operator=(const FilledAllocations &) = delete;
};

/// Whether an allocator is to fill what it hands out to the calling thread.
bool areAllocationsFilled();

/// A dense row-major tensor in the memory of one device. Copies share the
/// storage, which is freed with the last of them. A const Tensor may be read
/// from many threads.
class Tensor {
public:
  Tensor() = default;

  /// Allocates uninitialised memory for `type`, which must be static, from
  /// `allocator`, which must outlive the tensor.
  static Expected<Tensor> allocate(const TensorType &type,
                                   Allocator &allocator = cachingAllocator());
  /// Wraps memory that the caller keeps alive. Kernels run at full speed only
  /// on memory that is aligned to 64 bytes. `device` is the device whose memory
  /// it is, as in Tensor::device.
  static Tensor borrow(const TensorType &type, void *data,
                       const Device *device = nullptr);
  /// Wraps memory that the tensor and its copies keep alive.
  static Tensor share(const TensorType &type, std::shared_ptr<void> data,
                      const Device *device = nullptr);
  /// A tensor on the same memory with another type of the same number of bytes
  /// (a reshape).
  Tensor viewAs(const TensorType &type) const;

  /// Releases the memory; the tensor is then empty, but keeps its type.
  void reset() {
    pointer = nullptr;
    storage.reset();
  }

  /// Whether the tensor has memory, that is, is not empty.
  explicit operator bool() const { return pointer != nullptr; }
  const TensorType &type() const { return tensorType; }
  const Shape &shape() const { return tensorType.shape; }
  DType dtype() const { return tensorType.dtype; }
  int64_t bytes() const { return tensorType.bytes(); }
  /// Pointer to the elements, in the device's memory, which the host may be
  /// unable to read.
  void *data() const { return pointer; }
  /// The device whose memory holds the elements; null for the host's memory,
  /// which the CPU's libraries and kernels use.
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
