// Reductions over any dims.

struct Reduction {
  Index results;
  Index perBlock; // results of a block, a power of two
  Index count;    // elements of a result
  Dims kept;
  Strides keptStrides;
  Dims reduced;
  Strides reducedStrides;
};

/// The elements of one result, accumulated by threads that stand apart by
/// `perBlock`; the block's first threads have the results.
template <typename Accumulator>
__device__ __forceinline__ Accumulator accumulate(const T *__restrict__ in,
                                                  const Reduction &plan,
                                                  Index result) {
  __shared__ Accumulator shared[kMaxThreads];
  Accumulator mine = Accumulator::empty();
  const Index step = Index(blockDim.x) / plan.perBlock;
  if (result < plan.results) {
    in += offsetAt(plan.kept, plan.keptStrides, result);
    for (Index i = Index(threadIdx.x) / plan.perBlock; i < plan.count;
         i += step)
      mine.add(computed(in[offsetAt(plan.reduced, plan.reducedStrides, i)]), i);
  }
  return combineThreads(mine, int(plan.perBlock), shared);
}

__device__ __forceinline__ Index resultOf(const Reduction &plan) {
  return Index(blockIdx.x) * plan.perBlock +
         Index(threadIdx.x) % plan.perBlock;
}
__device__ __forceinline__ bool writes(const Reduction &plan, Index result) {
  return Index(threadIdx.x) < plan.perBlock && result < plan.results;
}

extern "C" __global__ void reduce_sum(const T *__restrict__ in,
                                      T *__restrict__ out,
                                      const Reduction plan) {
  const Index result = resultOf(plan);
  const Sum sum = accumulate<Sum>(in, plan, result);
  if (writes(plan, result))
    out[result] = stored(sum.total());
}
extern "C" __global__ void reduce_prod(const T *__restrict__ in,
                                       T *__restrict__ out,
                                       const Reduction plan) {
  const Index result = resultOf(plan);
  const Product all = accumulate<Product>(in, plan, result);
  if (writes(plan, result))
    out[result] = stored(Narrowed(all.product));
}
extern "C" __global__ void reduce_max(const T *__restrict__ in,
                                      T *__restrict__ out,
                                      const Reduction plan) {
  const Index result = resultOf(plan);
  const Extremum<true> all = accumulate<Extremum<true>>(in, plan, result);
  if (writes(plan, result))
    out[result] = stored(all.best);
}
extern "C" __global__ void reduce_min(const T *__restrict__ in,
                                      T *__restrict__ out,
                                      const Reduction plan) {
  const Index result = resultOf(plan);
  const Extremum<false> all = accumulate<Extremum<false>>(in, plan, result);
  if (writes(plan, result))
    out[result] = stored(all.best);
}
extern "C" __global__ void reduce_argmax(const T *__restrict__ in,
                                         long long *__restrict__ out,
                                         const Reduction plan) {
  const Index result = resultOf(plan);
  const LargestPosition all = accumulate<LargestPosition>(in, plan, result);
  if (writes(plan, result))
    out[result] = all.position < 0 ? 0 : all.position;
}
