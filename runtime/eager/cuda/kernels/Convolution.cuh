// Convolutions, as products of a matrix of windows, which exists nowhere, with
// that of the weights; or, where a group has few outputs, one result a thread.

struct Conv {
  SpatialWindow window; // size[1]: output channels of one group
  Index positions;      // of the result, in all images
  Index depth;          // taps by input channels of a group
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

/// A tap and an input channel, the channel fastest.
struct Term {
  Index d, h, w, channel;
};
__device__ __forceinline__ Term termOf(const Conv &conv, Index k) {
  const Index tap = k / conv.groupInputs;
  const Index row = tap / conv.window.taps[2];
  return {row / conv.window.taps[1], row % conv.window.taps[1],
          tap % conv.window.taps[2], k % conv.groupInputs};
}

template <typename Element> struct WindowRows {
  const Element *__restrict__ in;
  const Conv &conv;
  __device__ bool isContiguousAlongK() const {
    return conv.window.inStride[1] == 1;
  }
  __device__ Factor operator()(Index x, Index k) const {
    if (x >= conv.positions || k >= conv.depth)
      return Factor(0);
    Index at[kRoles], offset;
    positionOf(conv, x, at);
    const Term term = termOf(conv, k);
    if (!isInside(conv.window, at, term.d, term.h, term.w, offset))
      return Factor(0);
    return Factor(computed(in[at[0] * conv.window.inStride[0] +
                           term.channel * conv.window.inStride[1] + offset]));
  }
};

template <typename Element> struct WeightColumns {
  const Element *__restrict__ weights;
  const Conv &conv;
  __device__ bool isContiguousAlongK() const { return conv.weightOut != 1; }
  __device__ Factor operator()(Index x, Index k) const {
    if (x >= conv.window.size[1] || k >= conv.depth)
      return Factor(0);
    const Term term = termOf(conv, k);
    return Factor(
        computed(weights[x * conv.weightOut + term.channel * conv.weightIn +
                      term.d * conv.weight[0] + term.h * conv.weight[1] +
                      term.w * conv.weight[2]]));
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

template <typename Data, typename Weight>
__device__ __forceinline__ void
convolveTiles(const Data *__restrict__ in, const Weight *__restrict__ weights,
              const T *__restrict__ bias, T *__restrict__ out,
              const Conv &conv) {
  const Index group = Index(blockIdx.x) / conv.tiles;
  const WindowRows<Data> rows = {in + group * conv.inGroup, conv};
  const WeightColumns<Weight> columns = {weights + group * conv.weightGroup,
                                         conv};
  const ImageStore store = {out + group * conv.outGroup,
                            bias + group * conv.window.size[1], conv};
  contract(conv.positions, conv.window.size[1], conv.depth,
           Index(blockIdx.x) % conv.tiles, rows, columns, store);
}

/// The result at the thread's number. `reads` tells where a tap reads.
template <typename Data, typename Weight, typename Reads>
__device__ __forceinline__ void
computeResult(const Data *__restrict__ in, const Weight *__restrict__ weights,
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
  Factor sum = 0;
  for (Index d = 0; d < conv.window.taps[0]; ++d)
    for (Index h = 0; h < conv.window.taps[1]; ++h)
      for (Index w = 0; w < conv.window.taps[2]; ++w) {
        if (!reads(conv.window, at, d, h, w, offset))
          continue;
        const Weight *weight = weights + d * conv.weight[0] + h * conv.weight[1] +
                          w * conv.weight[2];
        // A tap's by themselves, as in a slice.
        Factor part = 0;
        for (Index c = 0; c < conv.groupInputs; ++c)
          part = addProduct(
              part, Factor(computed(in[offset + c * conv.window.inStride[1]])),
              Factor(computed(weight[c * conv.weightIn])));
        sum += part;
      }
  const Compute result = Compute(sum);
  out[i] =
      stored(conv.hasBias ? result + computed(bias[channel]) : result);
}
