// Sums are computed in f32 for f32 and 16-bit floats, in f64 for all others.
template <typename Number> struct Interpolated {
  typedef double Type;
};
template <> struct Interpolated<float> {
  typedef float Type;
};
typedef Interpolated<Compute>::Type Real;

/// The sum over all taps along the dims from `dim` on. If it were inlined, the
/// code would grow threefold with each dim.
template <int dim>
__device__ __attribute__((noinline)) Real sumTaps(const T *__restrict__ in,
                                                  const ResizeWalk &walk,
                                                  const ResizeDims &dims,
                                                  const ResizePlace &place,
                                                  Index offset) {
  if constexpr (dim == kMaxRank) {
    return Real(computed(in[offset]));
  } else {
    if (dim >= walk.dims.rank)
      return Real(computed(in[offset]));
    if (walk.resized.of[dim] == 0)
      return sumTaps<dim + 1>(in, walk, dims, place, offset);
    Real sum = 0;
    tandem::forEachTap(
        dims.of[dim], double(place.at[dim]),
        [&](long long index, double weight) {
          sum += Real(weight) *
                 sumTaps<dim + 1>(in, walk, dims, place,
                                  offset + Index(index) * walk.resized.of[dim]);
        });
    return sum;
  }
}

/// Floats are rounded to T, integers as roundResized says.
__device__ __forceinline__ T storedSum(float sum, bool) { return stored(sum); }
__device__ __forceinline__ T storedSum(double sum, bool truncates) {
  const bool isReal = Compute(0.5) != Compute(0);
  return stored(
      isReal ? sum
             : tandem::roundResized(sum, tandem::gridOf(sizeof(T)), truncates));
}

extern "C" __global__ void resize_interpolate(const T *__restrict__ in,
                                              T *__restrict__ out,
                                              const ResizeWalk walk,
                                              const ResizeDims dims,
                                              const T extrapolation) {
  const Index i = threadNumber();
  if (i >= walk.results)
    return;
  const ResizePlace place = placeOf(walk, dims, i);
  if (place.isExtrapolated) {
    out[i] = extrapolation;
    return;
  }
  bool truncates = true;
#pragma unroll 1
  for (Index dim = 0; dim < walk.dims.rank; ++dim)
    if (walk.resized.of[dim] != 0)
      truncates =
          dims.of[dim].mode == tandem::kLinear && dims.of[dim].antialias == 0;
  out[i] =
      storedSum(sumTaps<0>(in, walk, dims, place, place.offset), truncates);
}
