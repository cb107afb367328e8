struct Divisor {
  Index countsPadding;
};

extern "C" __global__ void avg_pool(const T *__restrict__ in,
                                    T *__restrict__ out,
                                    const SpatialWindow window,
                                    const Divisor divisor) {
  const Index i = threadNumber();
  if (i >= window.results)
    return;
  Sum sum = Sum::empty();
  Index count = pool(in, window, i, sum);
  if (divisor.countsPadding)
    count = window.taps[0] * window.taps[1] * window.taps[2];
  out[i] = stored(sum.total() / double(count));
}
