// Ops that put elements at computed places: scatter.

/// Lines of `size` elements, `inner` apart, and `count` updates of each.
struct Scatter {
  Index outer, size, inner;
  Index count;
};

struct Replace {
  static __device__ __forceinline__ T apply(T, T update) { return update; }
};

/// A thread has the updates of one line, one after another: in what order
/// elements are combined does not depend on the device.
template <typename Combine, typename I>
__device__ __forceinline__ void scatter(const I *__restrict__ indices,
                                        const T *__restrict__ updates,
                                        T *__restrict__ out,
                                        const Scatter &plan) {
  const Index i = threadNumber();
  if (i >= plan.outer * plan.inner)
    return;
  const Index line = i / plan.inner, rest = i - line * plan.inner;
  updates += line * plan.count * plan.inner + rest;
  out += line * plan.size * plan.inner + rest;
#pragma unroll 1
  for (Index j = 0; j < plan.count; ++j) {
    const I given = indices[j];
    // In range before it is an Index, which may be narrower.
    if (given < 0 || given >= plan.size)
      continue;
    T &to = out[Index(given) * plan.inner];
    to = Combine::apply(to, updates[j * plan.inner]);
  }
}

extern "C" __global__ void scatter_replace_i32(const int *__restrict__ indices,
                                               const T *__restrict__ updates,
                                               T *__restrict__ out,
                                               const Scatter plan) {
  scatter<Replace>(indices, updates, out, plan);
}
extern "C" __global__ void
scatter_replace_i64(const long long *__restrict__ indices,
                    const T *__restrict__ updates, T *__restrict__ out,
                    const Scatter plan) {
  scatter<Replace>(indices, updates, out, plan);
}
