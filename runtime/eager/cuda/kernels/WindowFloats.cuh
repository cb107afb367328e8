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

/// The largest element of a window and its tap: the first one of those that are
/// equal.
extern "C" __global__ void
max_pool_with_index(const T *__restrict__ in, T *__restrict__ out,
                    unsigned char *__restrict__ index,
                    const SpatialWindow window) {
  const Index i = threadNumber();
  if (i >= window.results)
    return;
  Index at[kRoles];
  indexOf(window, i, at);
  in += at[0] * window.inStride[0] + at[1] * window.inStride[1];
  LargestPosition largest = LargestPosition::empty();
  Index tap = 0, offset;
  for (Index d = 0; d < window.taps[0]; ++d)
    for (Index h = 0; h < window.taps[1]; ++h)
      for (Index w = 0; w < window.taps[2]; ++w, ++tap)
        if (isInside(window, at, d, h, w, offset))
          largest.add(computed(in[offset]), tap);
  out[i] = stored(largest.best);
  index[i] = (unsigned char)(largest.position < 0 ? 0 : largest.position);
}

/// The gradients of the windows that have chosen an element.
extern "C" __global__ void
max_pool_backward(const T *__restrict__ gradient,
                  const unsigned char *__restrict__ index, T *__restrict__ out,
                  const SpatialWindow window) {
  const Index i = threadNumber();
  if (i >= window.results)
    return;
  Index at[kRoles];
  indexOf(window, i, at);
  const Index image = at[0] * window.inStride[0] + at[1] * window.inStride[1];
  FloatSum sum = FloatSum::empty();
  Index tap = 0, offset;
  for (Index d = 0; d < window.taps[0]; ++d)
    for (Index h = 0; h < window.taps[1]; ++h)
      for (Index w = 0; w < window.taps[2]; ++w, ++tap)
        if (meetsElement(window, at, d, h, w, offset) &&
            Index(index[image + offset]) == tap)
          sum.add(computed(gradient[image + offset]), 0);
  out[i] = stored(sum.total());
}

/// How many taps of the window that reaches position `at` by tap `tap` along
/// spatial dim `dim` lie in the image, whose sizes are those of the result.
__device__ __forceinline__ Index countInside(const SpatialWindow &window,
                                             int dim, Index at, Index tap) {
  const Index start = at - tap * window.dilation[dim];
  Index count = 0;
  for (Index t = 0; t < window.taps[dim]; ++t) {
    const Index x = start + t * window.dilation[dim];
    count += x >= 0 && x < window.size[2 + dim];
  }
  return count;
}

/// The gradients of all windows that an element lies in, divided by the numbers
/// of their elements.
extern "C" __global__ void
avg_pool_backward(const T *__restrict__ gradient, T *__restrict__ out,
                  const SpatialWindow window, const Divisor divisor) {
  const Index i = threadNumber();
  if (i >= window.results)
    return;
  Index at[kRoles];
  indexOf(window, i, at);
  gradient += at[0] * window.inStride[0] + at[1] * window.inStride[1];
  const Index whole = window.taps[0] * window.taps[1] * window.taps[2];
  FloatSum sum = FloatSum::empty();
  Index offset;
  for (Index d = 0; d < window.taps[0]; ++d)
    for (Index h = 0; h < window.taps[1]; ++h)
      for (Index w = 0; w < window.taps[2]; ++w)
        if (meetsElement(window, at, d, h, w, offset)) {
          const Index count = divisor.countsPadding
                                  ? whole
                                  : countInside(window, 0, at[2], d) *
                                        countInside(window, 1, at[3], h) *
                                        countInside(window, 2, at[4], w);
          sum.addNumber(double(computed(gradient[offset])) / double(count));
        }
  out[i] = stored(sum.total());
}
