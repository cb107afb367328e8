extern "C" __global__ void reduce_mean(const T *__restrict__ in,
                                       T *__restrict__ out,
                                       const Reduction plan) {
  const Index result = resultOf(plan);
  const Sum sum = accumulate<Sum>(in, plan, result);
  if (writes(plan, result))
    out[result] = stored(sum.total() / double(plan.count));
}

/// The mean, then the mean of the squares of the distances from it.
extern "C" __global__ void moments(const T *__restrict__ in,
                                   T *__restrict__ mean,
                                   T *__restrict__ variance,
                                   const Reduction plan) {
  __shared__ FloatSum shared[kMaxThreads];
  const Index result = resultOf(plan);
  const double center =
      accumulate<FloatSum>(in, plan, result).total() / double(plan.count);
  FloatSum squares = FloatSum::empty();
  const Index step = Index(blockDim.x) / plan.perBlock;
  if (result < plan.results) {
    in += offsetAt(plan.kept, plan.keptStrides, result);
    for (Index i = Index(threadIdx.x) / plan.perBlock; i < plan.count;
         i += step) {
      const double distance =
          double(computed(in[offsetAt(plan.reduced, plan.reducedStrides, i)])) -
          center;
      squares.addNumber(distance * distance);
    }
  }
  const double all =
      combineThreads(squares, int(plan.perBlock), shared).total();
  if (writes(plan, result)) {
    mean[result] = stored(center);
    variance[result] = stored(all / double(plan.count));
  }
}
