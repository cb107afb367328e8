// Combining among the threads of a block.

constexpr int kMaxThreads = 256;

/// Combines what the threads of a block have accumulated for the same result:
/// those whose numbers are equal modulo `results`, a power of two as is the
/// block's size. The first of them has it.
template <typename Accumulator>
__device__ __forceinline__ Accumulator
combineThreads(const Accumulator &mine, int results, Accumulator *shared) {
  const int thread = threadIdx.x;
  shared[thread] = mine;
  __syncthreads();
  for (int half = blockDim.x / 2; half >= results; half /= 2) {
    if (thread < half)
      shared[thread].merge(shared[thread + half]);
    __syncthreads();
  }
  return shared[thread % results];
}
