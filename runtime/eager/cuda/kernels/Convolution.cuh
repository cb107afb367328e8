// Convolutions, as products of a matrix of windows, which exists nowhere, with
// that of the weights; or, where a group has few outputs, one result a thread.

struct Conv {
  SpatialWindow window; // size[1]: output channels of one group
  Index positions;      // of the result, in all images
  Index taps;           // of the window
  Index tiles;          // of one group
  Index groupInputs;
  Index channels; // of the result
  Index weightOut, weightIn, weight[kSpatial];
  Index inGroup, outGroup, weightGroup;
  Index hasBias;
};

/// Rows are positions of the result: batch, then space.
__device__ __forceinline__ void positionOf(const Conv &conv, Index x,
                                           Index *at) {
#pragma unroll
  for (int role = kRoles - 1; role > 1; --role) {
    at[role] = x % conv.window.size[role];
    x /= conv.window.size[role];
  }
  at[1] = 0;
  at[0] = x;
}

/// A tap and an input channel, or a term of several, the channel fastest.
struct Tap {
  Index d, h, w, channel;
};
/// Tap `k`, if a group has `channels` input channels or terms of these.
__device__ __forceinline__ Tap tapOf(const Conv &conv, Index k,
                                     Index channels) {
  const Index tap = k / channels;
  const Index row = tap / conv.window.taps[2];
  return {row / conv.window.taps[1], row % conv.window.taps[1],
          tap % conv.window.taps[2], k % channels};
}

/// The number of terms that are summed for a result.
template <typename Terms>
__device__ __forceinline__ Index depthOf(const Conv &conv) {
  return conv.taps * Terms::count(conv.groupInputs);
}

template <typename Terms> struct WindowRows {
  using Term = typename Terms::Term;
  using Sum = typename Terms::Sum;
  const typename Terms::Element *__restrict__ in;
  const Conv &conv;
  __device__ bool isContiguousAlongK() const {
    return conv.window.inStride[1] == 1;
  }
  __device__ Term operator()(Index x, Index k) const {
    if (x >= conv.positions || k >= depthOf<Terms>(conv))
      return Term();
    Index at[kRoles], offset;
    positionOf(conv, x, at);
    const Tap tap = tapOf(conv, k, Terms::count(conv.groupInputs));
    if (!isInside(conv.window, at, tap.d, tap.h, tap.w, offset))
      return Term();
    return Terms::read(in + at[0] * conv.window.inStride[0] + offset,
                       conv.window.inStride[1], tap.channel, conv.groupInputs);
  }
};

template <typename Terms> struct WeightColumns {
  using Term = typename Terms::Term;
  const typename Terms::Element *__restrict__ weights;
  const Conv &conv;
  __device__ bool isContiguousAlongK() const { return conv.weightOut != 1; }
  __device__ Term operator()(Index x, Index k) const {
    if (x >= conv.window.size[1] || k >= depthOf<Terms>(conv))
      return Term();
    const Tap tap = tapOf(conv, k, Terms::count(conv.groupInputs));
    return Terms::read(weights + x * conv.weightOut + tap.d * conv.weight[0] +
                           tap.h * conv.weight[1] + tap.w * conv.weight[2],
                       conv.weightIn, tap.channel, conv.groupInputs);
  }
};

struct ImageStore {
  T *__restrict__ out;
  const T *__restrict__ bias;
  const Conv &conv;
  __device__ void operator()(Index x, Index channel, Compute sum) const {
    Index at[kRoles], offset = channel * conv.window.outStride[1];
    positionOf(conv, x, at);
#pragma unroll
    for (int role = 0; role < kRoles; ++role)
      offset += at[role] * conv.window.outStride[role];
    out[offset] = stored(conv.hasBias ? sum + computed(bias[channel]) : sum);
  }
};

/// Data and Weights are the terms of the operands.
template <typename Data, typename Weights>
__device__ __forceinline__ void
convolveTiles(const typename Data::Element *__restrict__ in,
              const typename Weights::Element *__restrict__ weights,
              const T *__restrict__ bias, T *__restrict__ out,
              const Conv &conv) {
  const Index group = Index(blockIdx.x) / conv.tiles;
  const WindowRows<Data> rows = {in + group * conv.inGroup, conv};
  const WeightColumns<Weights> columns = {weights + group * conv.weightGroup,
                                          conv};
  const ImageStore store = {out + group * conv.outGroup,
                            bias + group * conv.window.size[1], conv};
  contract(conv.positions, conv.window.size[1], depthOf<Data>(conv),
           Index(blockIdx.x) % conv.tiles, rows, columns, store);
}

/// The result at the thread's number. `reads` tells where a tap reads.
template <typename Data, typename Weights, typename Reads>
__device__ __forceinline__ void
computeResult(const typename Data::Element *__restrict__ in,
              const typename Weights::Element *__restrict__ weights,
              const T *__restrict__ bias, T *__restrict__ out, const Conv &conv,
              const Reads &reads) {
  const Index i = threadNumber();
  if (i >= conv.window.results)
    return;
  Index at[kRoles], offset;
  indexOf(conv.window, i, at);
  const Index channel = i / conv.window.outStride[1] % conv.channels;
  const Index group = channel / conv.window.size[1];
  in += group * conv.inGroup + at[0] * conv.window.inStride[0];
  weights += group * conv.weightGroup +
             channel % conv.window.size[1] * conv.weightOut;
  const Index terms = Data::count(conv.groupInputs);
  typename Data::Sum sum = 0;
  for (Index d = 0; d < conv.window.taps[0]; ++d)
    for (Index h = 0; h < conv.window.taps[1]; ++h)
      for (Index w = 0; w < conv.window.taps[2]; ++w) {
        if (!reads(conv.window, at, d, h, w, offset))
          continue;
        const typename Weights::Element *weight =
            weights + d * conv.weight[0] + h * conv.weight[1] +
            w * conv.weight[2];
        // A tap's by themselves, as in a slice.
        typename Data::Sum part = 0;
        for (Index c = 0; c < terms; ++c)
          part = addProduct(part,
                            Data::read(in + offset, conv.window.inStride[1], c,
                                       conv.groupInputs),
                            Weights::read(weight, conv.weightIn, c,
                                          conv.groupInputs));
        sum += part;
      }
  const Compute result = Compute(sum);
  out[i] =
      stored(conv.hasBias ? result + computed(bias[channel]) : result);
}
