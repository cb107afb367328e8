// Ops that move elements: transpose, broadcast, slice, concat, pad, gather; and
// iota where T is a number.

struct Copy {
  Index size; // of the loop
  Index fromStart, toStart;
  Dims dims;
  Strides from, to;
};

extern "C" __global__ void copy(const T *__restrict__ in, T *__restrict__ out,
                                const Copy plan) {
  const Index i = threadNumber();
  if (i < plan.size)
    out[plan.toStart + offsetAt(plan.dims, plan.to, i)] =
        in[plan.fromStart + offsetAt(plan.dims, plan.from, i)];
}

/// By dims of the result.
struct Padding {
  Index size; // of the result
  Dims dims;
  Index low[kMaxRank];
  Index step[kMaxRank]; // from one element of the operand to the next
  Index operandSize[kMaxRank];
  Strides operand;
};

extern "C" __global__ void pad(const T *__restrict__ in, T *__restrict__ out,
                               const Padding plan, const T fill) {
  const Index i = threadNumber();
  if (i >= plan.size)
    return;
  Index number = i, offset = 0;
  bool isInside = true;
#pragma unroll 1
  for (Index dim = plan.dims.rank - 1; dim >= 0; --dim) {
    const Index rest = number / plan.dims.size[dim];
    const Index at = number - rest * plan.dims.size[dim] - plan.low[dim];
    const Index element = at / plan.step[dim];
    isInside = isInside && at >= 0 && element * plan.step[dim] == at &&
               element < plan.operandSize[dim];
    offset += element * plan.operand.of[dim];
    number = rest;
  }
  out[i] = isInside ? in[offset] : fill;
}

struct Gather {
  Index size; // of the result
  Index axisSize, axisStride;
  Dims dims;
  Strides operand, indices;
};

template <typename I>
__device__ __forceinline__ void gather(const T *__restrict__ in,
                                       const I *__restrict__ indices,
                                       T *__restrict__ out,
                                       const Gather &plan) {
  const Index i = threadNumber();
  if (i >= plan.size)
    return;
  const I given = indices[offsetAt(plan.dims, plan.indices, i)];
  // In range before it is an Index, which may be narrower.
  const Index at = given < 0                  ? 0
                   : given >= plan.axisSize ? plan.axisSize - 1
                                            : Index(given);
  out[i] = in[offsetAt(plan.dims, plan.operand, i) + at * plan.axisStride];
}

extern "C" __global__ void gather_i32(const T *__restrict__ in,
                                      const int *__restrict__ indices,
                                      T *__restrict__ out, const Gather plan) {
  gather(in, indices, out, plan);
}
extern "C" __global__ void gather_i64(const T *__restrict__ in,
                                      const long long *__restrict__ indices,
                                      T *__restrict__ out, const Gather plan) {
  gather(in, indices, out, plan);
}
