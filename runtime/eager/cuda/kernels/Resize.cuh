// Resizing: a thread has one result. ResizeTaps.h has the formulas.

using tandem::ResizeDim;

struct ResizeWalk {
  Index results; // elements of the result
  Dims dims;     // of the result
  // Of the operand along the dims that keep their sizes and along the others;
  // one of both is 0 for each dim.
  Strides kept, resized;
};

struct ResizeDims {
  ResizeDim of[kMaxRank];
};

/// Where a result lies: its index along each dim, and the offset in the operand
/// along the dims that keep their sizes.
struct ResizePlace {
  Index at[kMaxRank];
  Index offset;
  bool isExtrapolated;
};

__device__ __forceinline__ ResizePlace placeOf(const ResizeWalk &walk,
                                               const ResizeDims &dims,
                                               Index number) {
  ResizePlace place;
  place.offset = 0;
  place.isExtrapolated = false;
#pragma unroll 1
  for (Index dim = walk.dims.rank - 1; dim >= 0; --dim) {
    const Index at = number % walk.dims.size[dim];
    number /= walk.dims.size[dim];
    place.at[dim] = at;
    place.offset += at * walk.kept.of[dim];
    if (walk.resized.of[dim] != 0 &&
        tandem::isExtrapolated(dims.of[dim], double(at)))
      place.isExtrapolated = true;
  }
  return place;
}

extern "C" __global__ void resize_nearest(const T *__restrict__ in,
                                          T *__restrict__ out,
                                          const ResizeWalk walk,
                                          const ResizeDims dims,
                                          const T extrapolation) {
  const Index i = threadNumber();
  if (i >= walk.results)
    return;
  const ResizePlace place = placeOf(walk, dims, i);
  Index offset = place.offset;
#pragma unroll 1
  for (Index dim = 0; dim < walk.dims.rank; ++dim)
    if (walk.resized.of[dim] != 0) {
      const ResizeDim &resized = dims.of[dim];
      offset += Index(tandem::nearestOf(
                    resized, tandem::sourceOf(resized, double(place.at[dim])))) *
                walk.resized.of[dim];
    }
  out[i] = place.isExtrapolated ? extrapolation : in[offset];
}
