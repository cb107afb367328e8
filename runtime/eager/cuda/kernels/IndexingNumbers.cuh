// Scattering that combines numbers, and sorting.

struct Add {
  static __device__ __forceinline__ T apply(T a, T b) {
    return stored(Narrowed(Factor(computed(a)) + Factor(computed(b))));
  }
};
struct Mul {
  static __device__ __forceinline__ T apply(T a, T b) {
    return stored(Narrowed(Factor(computed(a)) * Factor(computed(b))));
  }
};
/// NaN wins.
struct Min {
  static __device__ __forceinline__ T apply(T a, T b) {
    const Compute x = computed(a), y = computed(b);
    return x != x || x < y ? a : b;
  }
};
struct Max {
  static __device__ __forceinline__ T apply(T a, T b) {
    const Compute x = computed(a), y = computed(b);
    return x != x || x > y ? a : b;
  }
};

extern "C" __global__ void scatter_add_i32(const int *__restrict__ indices,
                                           const T *__restrict__ updates,
                                           T *__restrict__ out,
                                           const Scatter plan) {
  scatter<Add>(indices, updates, out, plan);
}
extern "C" __global__ void scatter_add_i64(const long long *__restrict__ indices,
                                           const T *__restrict__ updates,
                                           T *__restrict__ out,
                                           const Scatter plan) {
  scatter<Add>(indices, updates, out, plan);
}
extern "C" __global__ void scatter_mul_i32(const int *__restrict__ indices,
                                           const T *__restrict__ updates,
                                           T *__restrict__ out,
                                           const Scatter plan) {
  scatter<Mul>(indices, updates, out, plan);
}
extern "C" __global__ void scatter_mul_i64(const long long *__restrict__ indices,
                                           const T *__restrict__ updates,
                                           T *__restrict__ out,
                                           const Scatter plan) {
  scatter<Mul>(indices, updates, out, plan);
}
extern "C" __global__ void scatter_min_i32(const int *__restrict__ indices,
                                           const T *__restrict__ updates,
                                           T *__restrict__ out,
                                           const Scatter plan) {
  scatter<Min>(indices, updates, out, plan);
}
extern "C" __global__ void scatter_min_i64(const long long *__restrict__ indices,
                                           const T *__restrict__ updates,
                                           T *__restrict__ out,
                                           const Scatter plan) {
  scatter<Min>(indices, updates, out, plan);
}
extern "C" __global__ void scatter_max_i32(const int *__restrict__ indices,
                                           const T *__restrict__ updates,
                                           T *__restrict__ out,
                                           const Scatter plan) {
  scatter<Max>(indices, updates, out, plan);
}
extern "C" __global__ void scatter_max_i64(const long long *__restrict__ indices,
                                           const T *__restrict__ updates,
                                           T *__restrict__ out,
                                           const Scatter plan) {
  scatter<Max>(indices, updates, out, plan);
}

/// Lines of `size` elements, `inner` apart, of which k are selected.
struct Selection {
  Index outer, size, inner;
  Index k;
  Index isAscending;
};

/// Whether x comes before y, at a lower index or not; NaN is larger than all
/// numbers.
__device__ __forceinline__ bool comesBefore(Compute x, Compute y,
                                            bool isAscending, bool isLower) {
  if (!isAscending) {
    const Compute larger = x;
    x = y;
    y = larger;
  }
  if (x != x)
    return y != y && isLower;
  return y != y || x < y || (x == y && isLower);
}

/// A thread counts what comes before one element, which is its place.
extern "C" __global__ void order_lines(const T *__restrict__ in,
                                       T *__restrict__ values,
                                       long long *__restrict__ indices,
                                       const Selection plan) {
  const Index i = threadNumber();
  const Index perLine = plan.size * plan.inner;
  if (i >= plan.outer * perLine)
    return;
  const Index line = i / perLine;
  const Index at = (i - line * perLine) / plan.inner;
  const Index rest = i - line * perLine - at * plan.inner;
  in += line * perLine + rest;
  const Compute mine = computed(in[at * plan.inner]);
  Index place = 0;
#pragma unroll 1
  for (Index j = 0; j < plan.size; ++j)
    place += j != at && comesBefore(computed(in[j * plan.inner]), mine,
                                    plan.isAscending != 0, j < at);
  if (place >= plan.k)
    return;
  const Index to = (line * plan.k + place) * plan.inner + rest;
  values[to] = in[at * plan.inner];
  indices[to] = at;
}
