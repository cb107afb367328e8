// What kernels of all families share. The source of a program begins with the
// typedefs Index (int or long long) and, but for elementwise ops, T (the type
// of elements), and with device functions that the compiler has printed.
//
// A kernel's parameters are pointers, then structs of Index that the runtime
// fills in the order of their members.

constexpr int kMaxRank = 8;

/// The number of the thread in a grid of one dimension.
__device__ __forceinline__ Index threadNumber() {
  return Index(blockIdx.x) * Index(blockDim.x) + Index(threadIdx.x);
}

/// The dims of a loop, outermost first.
struct Dims {
  Index rank;
  Index size[kMaxRank];
};

struct Strides {
  Index of[kMaxRank];
};

/// The offset of an operand at the `number`-th index of a loop, in row-major
/// order.
__device__ __forceinline__ Index offsetAt(const Dims &dims,
                                          const Strides &strides,
                                          Index number) {
  if (dims.rank == 1) // Without a division.
    return number * strides.of[0];
  Index offset = 0;
#pragma unroll 1
  for (Index dim = dims.rank - 1; dim >= 0; --dim) {
    const Index rest = number / dims.size[dim];
    offset += (number - rest * dims.size[dim]) * strides.of[dim];
    number = rest;
  }
  return offset;
}
