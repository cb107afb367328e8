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
#include <ranges>
#include <vector>

namespace tandem {

class Device;

/// Allocates aligned memory of one device and counts the bytes in use.
/// Thread-safe. An allocator must outlive the memory that it hands out.
class Allocator {
public:
  /// `device` must outlive the allocator; null stands for the host.
  explicit Allocator(const Device *device = nullptr) : place(device) {}
  virtual ~Allocator() = default;
  /// The device whose memory this allocator hands out; null for host memory.
  const Device *device() const { return place; }
  /// Allocates at least `bytes` (>= 0) bytes, aligned to kAlignment. The
  /// returned pointer is not null. Fails with phase "allocate" if memory runs
  /// out.
  virtual Expected<void *> allocate(int64_t bytes) = 0;
  /// Frees a block. `pointer` must have been returned by allocate, and `bytes`
  /// must be the size that was passed to allocate for that block.
  virtual void deallocate(void *pointer, int64_t bytes) = 0;

  /// Alignment of every allocated block, in bytes.
  static constexpr size_t kAlignment = 64;

  /// The number of bytes that are allocated now. This number is a sum of
  /// several counters, and is not exact while other threads allocate or free
  /// memory. To measure the peak memory of one thread, use MemoryScope.
  int64_t liveBytes() const;

protected:
  /// Adds `delta` bytes to the counters of this allocator and of the calling
  /// thread's innermost MemoryScope. Implementations call this function with a
  /// positive number in allocate and with a negative number in deallocate.
  void count(int64_t delta);

private:
  /// A counter shared by some of the threads, in a cache line of its own to
  /// avoid false sharing. A counter is negative if its threads free more bytes
  /// than they allocate.
  struct alignas(64) Share {
    std::atomic<int64_t> live{0};
  };

  const Device *place;
  std::array<Share, 16> shares;
};

/// Measures the peak memory of the current thread, in bytes. The scope counts
/// the allocations and deallocations that this thread makes between the scope's
/// construction and destruction, with any Allocator. Scopes may be nested:
/// allocations made during an inner scope are not counted in the outer scopes.
/// Scopes must be destroyed on the same thread, in reverse order of
/// construction. Counting costs a few instructions per allocation.
class MemoryScope {
public:
  MemoryScope();
  ~MemoryScope();
  MemoryScope(const MemoryScope &) = delete;
  MemoryScope &operator=(const MemoryScope &) = delete;

  /// The largest number of bytes held at the same time.
  int64_t peakBytes() const { return peak; }

private:
  friend class Allocator;
  int64_t live = 0, peak = 0;
  MemoryScope *outer;
};

/// The process-wide caching allocator of host memory, which is never destroyed.
/// Like PyTorch's caching allocators, this allocator keeps freed blocks by size
/// class and reuses the blocks without a system call.
Allocator &cachingAllocator();

/// Sets whether the allocators of host and device memory fill each block that
/// they hand out with 0xff bytes, which are a NaN in every floating-point type.
/// The default is false. Checks of results enable filling because a reused
/// block may already contain the correct results of an earlier run. The setting
/// applies to the whole process. Call this function before other threads
/// allocate memory.
void fillAllocations(bool isWanted);

/// Makes allocators fill the blocks that they hand out to the calling thread
/// with 0xff bytes, as fillAllocations does for the whole process, until this
/// object is destroyed. The object must be destroyed on the thread that created
/// it.
class FilledAllocations {
public:
  FilledAllocations();
  ~FilledAllocations();
  FilledAllocations(const FilledAllocations &) = delete;
  FilledAllocations &operator=(const FilledAllocations &) = delete;
};

/// True if an allocator must fill the blocks that it hands out to the calling
/// thread with 0xff bytes. Implementations of Allocator call this function.
bool areAllocationsFilled();

/// A dense row-major tensor in the memory of one device. Copies of a Tensor
/// share the storage, which is freed when the last copy is destroyed. Several
/// threads may read the same const Tensor.
class Tensor {
public:
  Tensor() = default;

  /// Allocates uninitialized memory from `allocator`. `type` must be static,
  /// and `allocator` must outlive the tensor. Fails with phase "allocate" if
  /// memory runs out, and with the error of checkedBytes if `type` is dynamic
  /// or too large.
  static Expected<Tensor> allocate(const TensorType &type,
                                   Allocator &allocator = cachingAllocator());
  /// Wraps memory that the caller owns and that must outlive the tensor.
  /// Kernels run at full speed only on memory that is aligned to 64 bytes.
  /// `device` is the device whose memory holds the elements, or null for host
  /// memory.
  static Tensor borrow(const TensorType &type, void *data,
                       const Device *device = nullptr);
  /// Wraps memory that the tensor and its copies keep alive through `data`.
  static Tensor share(const TensorType &type, std::shared_ptr<void> data,
                      const Device *device = nullptr);
  /// Returns a tensor that shares this tensor's memory and has another type (a
  /// reshape). `type` must have the same number of bytes.
  Tensor viewAs(const TensorType &type) const;
  /// Returns a tensor of another type that shares the part of this tensor's
  /// memory that begins `offset` bytes behind its first element (a slice). The
  /// part must be within this tensor.
  Tensor partAs(const TensorType &type, int64_t offset) const;

  /// Releases the memory and leaves an empty tensor, which keeps its type.
  void reset() {
    pointer = nullptr;
    storage.reset();
  }

  /// True if the tensor has memory.
  explicit operator bool() const { return pointer != nullptr; }
  const TensorType &type() const { return tensorType; }
  const Shape &shape() const { return tensorType.shape; }
  DType dtype() const { return tensorType.dtype; }
  /// The size of the elements in bytes; the type must be static.
  int64_t bytes() const { return tensorType.bytes(); }
  /// Pointer to the elements in device memory, which the host may not be able
  /// to read.
  void *data() const { return pointer; }
  /// The device whose memory holds the elements; null for host memory.
  const Device *device() const { return place; }
  /// The owner of the memory; null if the memory belongs to the caller of
  /// `borrow`.
  const std::shared_ptr<void> &owner() const { return storage; }
  template <typename T> T *as() const { return static_cast<T *>(pointer); }

private:
  TensorType tensorType;
  void *pointer = nullptr;
  const Device *place = nullptr;
  std::shared_ptr<void> storage;
};

/// Returns the types of a range of tensors, in order.
template <std::ranges::range Tensors>
  requires std::same_as<std::ranges::range_value_t<Tensors>, Tensor>
std::vector<TensorType> typesOf(const Tensors &tensors) {
  std::vector<TensorType> types;
  for (const Tensor &tensor : tensors)
    types.push_back(tensor.type());
  return types;
}

} // namespace tandem

#endif // TANDEM_RUNTIME_TENSOR_H
