// softmax, its gradient and batch_norm.

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

__device__ Share shareOf(const Lines &plan) {
  const Index line =
      Index(blockIdx.x) * plan.perBlock + Index(threadIdx.x) % plan.perBlock;
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
