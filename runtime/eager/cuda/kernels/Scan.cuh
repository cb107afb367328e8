// Scans along a dim.

/// Lines of `size` elements, `inner` apart.
struct ScanLines {
  Index lines, size, inner;
  Index isExclusive, isReverse;
};

/// The offset of the first element of a line.
__device__ __forceinline__ Index startOf(const ScanLines &plan, Index line) {
  const Index outer = line / plan.inner;
  return outer * plan.size * plan.inner + (line - outer * plan.inner);
}
/// The offset of element i in the order of the scan.
__device__ __forceinline__ Index offsetOf(const ScanLines &plan, Index i) {
  return (plan.isReverse ? plan.size - 1 - i : i) * plan.inner;
}

__device__ __forceinline__ T resultOf(const Sum &all) {
  return stored(all.total());
}
__device__ __forceinline__ T resultOf(const Product &all) {
  return stored(Narrowed(all.product));
}
template <bool isMax>
__device__ __forceinline__ T resultOf(const Extremum<isMax> &all) {
  return stored(all.best);
}

/// A thread scans a line by itself.
template <typename Accumulator>
__device__ __forceinline__ void scanByThread(const T *__restrict__ in,
                                             T *__restrict__ out,
                                             const ScanLines &plan) {
  const Index line = threadNumber();
  if (line >= plan.lines)
    return;
  in += startOf(plan, line);
  out += startOf(plan, line);
  Accumulator all = Accumulator::empty();
#pragma unroll 1
  for (Index i = 0; i < plan.size; ++i) {
    const Index at = offsetOf(plan, i);
    if (plan.isExclusive)
      out[at] = resultOf(all);
    all.add(computed(in[at]), i);
    if (!plan.isExclusive)
      out[at] = resultOf(all);
  }
}

/// Combines what each thread of a block has with what the threads before it
/// have (Hillis and Steele, Data parallel algorithms, CACM 29, 1986).
template <typename Accumulator>
__device__ __forceinline__ void scanThreads(Accumulator *shared) {
  const int thread = threadIdx.x;
  for (int distance = 1; distance < int(blockDim.x); distance *= 2) {
    Accumulator all = shared[thread];
    if (thread >= distance) {
      all = shared[thread - distance];
      all.merge(shared[thread]);
    }
    __syncthreads();
    shared[thread] = all;
    __syncthreads();
  }
}

/// A block scans a line, as many elements at a time as it has threads.
template <typename Accumulator>
__device__ __forceinline__ void scanByBlock(const T *__restrict__ in,
                                            T *__restrict__ out,
                                            const ScanLines &plan) {
  __shared__ Accumulator shared[kMaxThreads];
  const int thread = threadIdx.x;
  in += startOf(plan, Index(blockIdx.x));
  out += startOf(plan, Index(blockIdx.x));
  Accumulator before = Accumulator::empty();
#pragma unroll 1
  for (Index first = 0; first < plan.size; first += Index(blockDim.x)) {
    const Index i = first + Index(thread);
    Accumulator mine = Accumulator::empty();
    if (i < plan.size)
      mine.add(computed(in[offsetOf(plan, i)]), i);
    shared[thread] = mine;
    __syncthreads();
    scanThreads(shared);
    Accumulator all = before;
    if (!plan.isExclusive)
      all.merge(shared[thread]);
    else if (thread > 0)
      all.merge(shared[thread - 1]);
    if (i < plan.size)
      out[offsetOf(plan, i)] = resultOf(all);
    before.merge(shared[blockDim.x - 1]);
    __syncthreads();
  }
}

extern "C" __global__ void scan_sum_by_thread(const T *__restrict__ in,
                                              T *__restrict__ out,
                                              const ScanLines plan) {
  scanByThread<Sum>(in, out, plan);
}
extern "C" __global__ void scan_sum_by_block(const T *__restrict__ in,
                                             T *__restrict__ out,
                                             const ScanLines plan) {
  scanByBlock<Sum>(in, out, plan);
}
extern "C" __global__ void scan_prod_by_thread(const T *__restrict__ in,
                                               T *__restrict__ out,
                                               const ScanLines plan) {
  scanByThread<Product>(in, out, plan);
}
extern "C" __global__ void scan_prod_by_block(const T *__restrict__ in,
                                              T *__restrict__ out,
                                              const ScanLines plan) {
  scanByBlock<Product>(in, out, plan);
}
extern "C" __global__ void scan_max_by_thread(const T *__restrict__ in,
                                              T *__restrict__ out,
                                              const ScanLines plan) {
  scanByThread<Extremum<true>>(in, out, plan);
}
extern "C" __global__ void scan_max_by_block(const T *__restrict__ in,
                                             T *__restrict__ out,
                                             const ScanLines plan) {
  scanByBlock<Extremum<true>>(in, out, plan);
}
extern "C" __global__ void scan_min_by_thread(const T *__restrict__ in,
                                              T *__restrict__ out,
                                              const ScanLines plan) {
  scanByThread<Extremum<false>>(in, out, plan);
}
extern "C" __global__ void scan_min_by_block(const T *__restrict__ in,
                                             T *__restrict__ out,
                                             const ScanLines plan) {
  scanByBlock<Extremum<false>>(in, out, plan);
}
