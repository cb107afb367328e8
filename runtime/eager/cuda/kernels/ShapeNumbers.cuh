struct Iota {
  Index size; // of the result
  Index axisSize, axisStride;
};

extern "C" __global__ void iota(T *__restrict__ out, const Iota plan) {
  const Index i = threadNumber();
  if (i < plan.size)
    out[i] = stored((long long)(i / plan.axisStride % plan.axisSize));
}
