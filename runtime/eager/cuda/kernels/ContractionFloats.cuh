// Convolutions of floats, and their gradients.

extern "C" __global__ void conv_tiled(const T *__restrict__ in,
                                      const T *__restrict__ weights,
                                      const T *__restrict__ bias,
                                      T *__restrict__ out, const Conv conv) {
  convolveTiles<Elements<T>, Elements<T>>(in, weights, bias, out, conv);
}

extern "C" __global__ void conv_direct(const T *__restrict__ in,
                                       const T *__restrict__ weights,
                                       const T *__restrict__ bias,
                                       T *__restrict__ out, const Conv conv) {
  computeResult<Elements<T>, Elements<T>>(in, weights, bias, out, conv,
                                          isInside);
}

// The weights of a result's channel are those of an input channel of the
// convolution whose gradient this is.
extern "C" __global__ void
conv_backward_data(const T *__restrict__ in, const T *__restrict__ weights,
                   const T *__restrict__ bias, T *__restrict__ out,
                   const Conv conv) {
  computeResult<Elements<T>, Elements<T>>(in, weights, bias, out, conv,
                                          meetsElement);
}

// The gradient of the weights is a product of the transposed matrix of windows
// with the gradient of the result: rows are taps by input channels of a group,
// columns are its output channels, and the sum is over the positions.

struct TapRows {
  using Term = Factor;
  using Sum = Factor;
  const WindowRows<Elements<T>> windows;
  __device__ bool isContiguousAlongK() const {
    return !windows.isContiguousAlongK();
  }
  __device__ Factor operator()(Index x, Index k) const {
    return windows(k, x);
  }
};

struct GradientColumns {
  using Term = Factor;
  const T *__restrict__ gradient;
  const Conv &conv;
  __device__ bool isContiguousAlongK() const {
    return conv.window.outStride[1] != 1;
  }
  __device__ Factor operator()(Index x, Index k) const {
    if (x >= conv.window.size[1] || k >= conv.positions)
      return Factor(0);
    Index at[kRoles], offset = x * conv.window.outStride[1];
    positionOf(conv, k, at);
#pragma unroll
    for (int role = 0; role < kRoles; ++role)
      offset += at[role] * conv.window.outStride[role];
    return Factor(computed(gradient[offset]));
  }
};

struct WeightStore {
  T *__restrict__ out;
  const Conv &conv;
  __device__ void operator()(Index x, Index channel, Compute sum) const {
    const Tap tap = tapOf(conv, x, conv.groupInputs);
    out[channel * conv.weightOut + tap.channel * conv.weightIn +
        tap.d * conv.weight[0] + tap.h * conv.weight[1] +
        tap.w * conv.weight[2]] = stored(sum);
  }
};

extern "C" __global__ void
conv_backward_weights(const T *__restrict__ in, const T *__restrict__ gradient,
                      T *__restrict__ out, const Conv conv) {
  const Index group = Index(blockIdx.x) / conv.tiles;
  const TapRows rows = {{in + group * conv.inGroup, conv}};
  const GradientColumns columns = {gradient + group * conv.outGroup, conv};
  const WeightStore store = {out + group * conv.weightGroup, conv};
  contract(conv.taps * conv.groupInputs, conv.window.size[1], conv.positions,
           Index(blockIdx.x) % conv.tiles, rows, columns, store);
}
