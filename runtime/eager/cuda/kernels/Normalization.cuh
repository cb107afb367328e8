// softmax, layer_norm, their gradients, and batch_norm.

__device__ __forceinline__ float exponential(float x) { return expf(x); }
__device__ __forceinline__ double exponential(double x) { return exp(x); }
__device__ __forceinline__ float root(float x) { return sqrtf(x); }
__device__ __forceinline__ double root(double x) { return sqrt(x); }

struct Lines {
  Index lines, size;
  Index stride;   // of the elements of a line: lines that lie side by side
  Index perBlock; // lines of a block, a power of two
};

/// The elements of a line that a thread works on: `first`, `first + step` and so
/// on, up to `size`. The line begins at element `start`. A line has as many
/// threads as the block has for each of its lines.
struct Share {
  Index start, first, step, size;
};

/// The line that a thread works on.
__device__ Index lineOf(const Lines &plan) {
  return Index(blockIdx.x) * plan.perBlock +
         Index(threadIdx.x) % plan.perBlock;
}

__device__ Share shareOf(const Lines &plan) {
  const Index line = lineOf(plan);
  return {line / plan.stride * plan.size * plan.stride + line % plan.stride,
          Index(threadIdx.x) / plan.perBlock, Index(blockDim.x) / plan.perBlock,
          line < plan.lines ? plan.size : 0};
}

/// exp(x - max) over the sum of the same along a line.
extern "C" __global__ void softmax(const T *__restrict__ in,
                                   T *__restrict__ out, const Lines plan) {
  __shared__ Extremum<true> extrema[kMaxThreads];
  __shared__ Sum sums[kMaxThreads];
  const auto [start, first, step, size] = shareOf(plan);

  Extremum<true> most = Extremum<true>::empty();
  for (Index i = first; i < size; i += step)
    most.add(computed(in[start + i * plan.stride]), i);
  const Compute max = combineThreads(most, int(plan.perBlock), extrema).best;

  Sum sum = Sum::empty();
  for (Index i = first; i < size; i += step)
    sum.add(exponential(computed(in[start + i * plan.stride]) - max), i);
  const double all = combineThreads(sum, int(plan.perBlock), sums).total();

  for (Index i = first; i < size; i += step)
    out[start + i * plan.stride] = stored(
        exponential(computed(in[start + i * plan.stride]) - max) / Compute(all));
}

/// y * (g - sum(g * y)) along a line, for the result y of a softmax and its
/// gradient g.
extern "C" __global__ void softmax_backward(const T *__restrict__ result,
                                            const T *__restrict__ gradient,
                                            T *__restrict__ out,
                                            const Lines plan) {
  __shared__ Sum sums[kMaxThreads];
  const auto [start, first, step, size] = shareOf(plan);

  Sum sum = Sum::empty();
  for (Index i = first; i < size; i += step)
    sum.add(computed(result[start + i * plan.stride]) *
                computed(gradient[start + i * plan.stride]),
            i);
  const Compute all =
      Compute(combineThreads(sum, int(plan.perBlock), sums).total());

  for (Index i = first; i < size; i += step)
    out[start + i * plan.stride] =
        stored(computed(result[start + i * plan.stride]) *
               (computed(gradient[start + i * plan.stride]) - all));
}

/// (x - mean) / sqrt(variance + epsilon) * scale + offset along a line, and the
/// mean and the inverse deviation of each line.
extern "C" __global__ void
layer_norm(const T *__restrict__ in, const T *__restrict__ scale,
           const T *__restrict__ offset, T *__restrict__ out,
           Compute *__restrict__ mean, Compute *__restrict__ inverse,
           const Lines plan, const double epsilon) {
  __shared__ FloatSum sums[kMaxThreads];
  __shared__ FloatSum squares[kMaxThreads];
  const auto [start, first, step, size] = shareOf(plan);

  FloatSum sum = FloatSum::empty();
  for (Index i = first; i < size; i += step)
    sum.add(computed(in[start + i]), i);
  const double center =
      combineThreads(sum, int(plan.perBlock), sums).total() / double(plan.size);

  FloatSum square = FloatSum::empty();
  for (Index i = first; i < size; i += step) {
    const double distance = double(computed(in[start + i])) - center;
    square.addNumber(distance * distance);
  }
  const double variance =
      combineThreads(square, int(plan.perBlock), squares).total() /
      double(plan.size);

  const Compute s = Compute(1 / root(variance + epsilon));
  for (Index i = first; i < size; i += step)
    out[start + i] = stored((computed(in[start + i]) - Compute(center)) * s *
                                computed(scale[i]) +
                            computed(offset[i]));
  const Index line = lineOf(plan);
  if (first == 0 && line < plan.lines) {
    mean[line] = Compute(center);
    inverse[line] = s;
  }
}

/// (h - mean(h) - x * mean(h * x)) * inverse along a line, where h is gradient *
/// scale and x is (in - mean) * inverse.
extern "C" __global__ void
layer_norm_backward(const T *__restrict__ gradient, const T *__restrict__ in,
                    const T *__restrict__ scale,
                    const Compute *__restrict__ mean,
                    const Compute *__restrict__ inverse, T *__restrict__ out,
                    const Lines plan) {
  __shared__ FloatSum sums[kMaxThreads];
  __shared__ FloatSum dots[kMaxThreads];
  const auto [start, first, step, size] = shareOf(plan);
  const Index line = lineOf(plan);
  const Compute center = size != 0 ? mean[line] : Compute(0);
  const Compute s = size != 0 ? inverse[line] : Compute(0);

  FloatSum sum = FloatSum::empty(), dot = FloatSum::empty();
  for (Index i = first; i < size; i += step) {
    const Compute h = computed(gradient[start + i]) * computed(scale[i]);
    sum.add(h, i);
    dot.add(h * ((computed(in[start + i]) - center) * s), i);
  }
  const double count = double(plan.size);
  const Compute meanOfH = Compute(
      combineThreads(sum, int(plan.perBlock), sums).total() / count);
  const Compute slope = Compute(
      combineThreads(dot, int(plan.perBlock), dots).total() / count);

  for (Index i = first; i < size; i += step) {
    const Compute h = computed(gradient[start + i]) * computed(scale[i]);
    const Compute x = (computed(in[start + i]) - center) * s;
    out[start + i] = stored((h - meanOfH - x * slope) * s);
  }
}

struct Columns {
  Index columns, lines;
  Index perBlock; // columns of a block, a power of two
};

/// The sums of gradient * x and of gradient over all lines, column by column.
extern "C" __global__ void
layer_norm_backward_sums(const T *__restrict__ gradient,
                         const T *__restrict__ in,
                         const Compute *__restrict__ mean,
                         const Compute *__restrict__ inverse,
                         T *__restrict__ ofScale, T *__restrict__ ofOffset,
                         const Columns plan) {
  __shared__ FloatSum products[kMaxThreads];
  __shared__ FloatSum sums[kMaxThreads];
  const Index column =
      Index(blockIdx.x) * plan.perBlock + Index(threadIdx.x) % plan.perBlock;
  const Index first = Index(threadIdx.x) / plan.perBlock;
  const Index step = Index(blockDim.x) / plan.perBlock;

  FloatSum product = FloatSum::empty(), sum = FloatSum::empty();
  if (column < plan.columns)
    for (Index line = first; line < plan.lines; line += step) {
      const Index at = line * plan.columns + column;
      const Compute g = computed(gradient[at]);
      product.add(g * ((computed(in[at]) - mean[line]) * inverse[line]), line);
      sum.add(g, line);
    }
  const double allProducts =
      combineThreads(product, int(plan.perBlock), products).total();
  const double all = combineThreads(sum, int(plan.perBlock), sums).total();
  if (first == 0 && column < plan.columns) {
    ofScale[column] = stored(Compute(allProducts));
    ofOffset[column] = stored(Compute(all));
  }
}

struct Channels {
  Index size; // of the result
  Index channels, stride;
};

extern "C" __global__ void
batch_norm(const T *__restrict__ in, const T *__restrict__ scale,
           const T *__restrict__ offset, const T *__restrict__ mean,
           const T *__restrict__ variance, T *__restrict__ out,
           const Channels plan, const double epsilon) {
  const Index i = threadNumber();
  if (i >= plan.size)
    return;
  const Index c = i / plan.stride % plan.channels;
  const Compute deviation =
      root(Compute(double(computed(variance[c])) + epsilon));
  out[i] = stored((computed(in[i]) - computed(mean[c])) / deviation *
                      computed(scale[c]) +
                  computed(offset[c]));
}
