// Elementwise ops: kernels `dense_F` and `strided_F` of every function F, which
// reads and writes one element through pointers, are appended to this.

/// Several elements that are moved as one, of 16 bytes at most.
template <typename E, int count> struct alignas(sizeof(E) * count) Lanes {
  E at[count];
};

/// An operand of a dense loop; all elements may be one.
template <typename E> struct Operand {
  const E *__restrict__ data;
  bool isRepeated;
};

__device__ constexpr int largest(int size) { return size; }
template <typename... Sizes>
__device__ constexpr int largest(int first, int second, Sizes... rest) {
  return largest(first > second ? first : second, rest...);
}

template <int count, typename E>
__device__ __forceinline__ Lanes<E, count> load(const Operand<E> &operand,
                                                Index first) {
  if (!operand.isRepeated)
    return *reinterpret_cast<const Lanes<E, count> *>(operand.data + first);
  Lanes<E, count> lanes;
#pragma unroll
  for (int lane = 0; lane < count; ++lane)
    lanes.at[lane] = operand.data[0];
  return lanes;
}

template <auto function, int count, typename R, typename... E>
__device__ __forceinline__ void mapLanes(R *out, const Lanes<E, count> &...in) {
  Lanes<R, count> results;
#pragma unroll
  for (int lane = 0; lane < count; ++lane)
    function(&in.at[lane]..., &results.at[lane]);
  *reinterpret_cast<Lanes<R, count> *>(out) = results;
}

/// Operands and result are dense, in the same order, and aligned to 16 bytes. A
/// thread has so many elements that the widest type is moved 16 bytes at once.
template <auto function, typename R, typename... E>
__device__ __forceinline__ void mapDense(R *__restrict__ out, Index size,
                                         Operand<E>... in) {
  constexpr int count = 16 / largest(sizeof(R), sizeof(E)...);
  const Index first = threadNumber() * count;
  if (first + count <= size) {
    mapLanes<function, count>(out + first, load<count>(in, first)...);
    return;
  }
  for (Index i = first; i < size; ++i)
    function(in.data + (in.isRepeated ? 0 : i)..., out + i);
}

/// An operand and its strides by the dims of the result.
template <typename E> struct StridedOperand {
  const E *__restrict__ data;
  const Strides &strides;
};

/// A thread has one element of the result, which is dense.
template <auto function, typename R, typename... E>
__device__ __forceinline__ void mapStrided(R *__restrict__ out, Index size,
                                           const Dims &dims,
                                           StridedOperand<E>... in) {
  const Index i = threadNumber();
  if (i < size)
    function(in.data + offsetAt(dims, in.strides, i)..., out + i);
}
