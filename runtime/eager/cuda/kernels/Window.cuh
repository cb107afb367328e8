// Pooling: a thread has one result.

/// Accumulates the elements of a window that are inside; how many they are.
template <typename Accumulator>
__device__ __forceinline__ Index pool(const T *__restrict__ in,
                                      const SpatialWindow &window, Index result,
                                      Accumulator &all) {
  Index at[kRoles];
  indexOf(window, result, at);
  in += at[0] * window.inStride[0] + at[1] * window.inStride[1];
  Index count = 0, offset;
  for (Index d = 0; d < window.taps[0]; ++d)
    for (Index h = 0; h < window.taps[1]; ++h)
      for (Index w = 0; w < window.taps[2]; ++w)
        if (isInside(window, at, d, h, w, offset)) {
          all.add(computed(in[offset]), 0);
          ++count;
        }
  return count;
}

extern "C" __global__ void max_pool(const T *__restrict__ in,
                                    T *__restrict__ out,
                                    const SpatialWindow window) {
  const Index i = threadNumber();
  if (i >= window.results)
    return;
  Extremum<true> all = Extremum<true>::empty();
  pool(in, window, i, all);
  out[i] = stored(all.best);
}
