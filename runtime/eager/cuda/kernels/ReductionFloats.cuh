extern "C" __global__ void reduce_mean(const T *__restrict__ in,
                                       T *__restrict__ out,
                                       const Reduction plan) {
  const Index result = resultOf(plan);
  const Sum sum = accumulate<Sum>(in, plan, result);
  if (writes(plan, result))
    out[result] = stored(sum.total() / double(plan.count));
}
