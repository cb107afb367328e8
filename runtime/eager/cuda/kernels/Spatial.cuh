// How windows lie over an image. Dims are numbered by role: batch, channel, and
// up to three of space.

constexpr int kRoles = 5, kSpatial = 3;

struct SpatialWindow {
  Index results; // elements of the result
  Index size[kRoles], outStride[kRoles], inStride[kRoles]; // size: the result's
  Index inSize[kSpatial];
  Index taps[kSpatial], stride[kSpatial], low[kSpatial], dilation[kSpatial];
};

/// The index, by role, of the element at an offset in the result.
__device__ __forceinline__ void indexOf(const SpatialWindow &window,
                                        Index offset, Index *at) {
#pragma unroll
  for (int role = 0; role < kRoles; ++role)
    at[role] = offset / window.outStride[role] % window.size[role];
}

/// Whether a tap lies inside the image, and where: its offset from the first
/// element of the channel.
__device__ __forceinline__ bool isInside(const SpatialWindow &window,
                                         const Index *at, Index d, Index h,
                                         Index w, Index &offset) {
  const Index tap[kSpatial] = {d, h, w};
  bool inside = true;
  offset = 0;
#pragma unroll
  for (int i = 0; i < kSpatial; ++i) {
    const Index x = at[2 + i] * window.stride[i] +
                    tap[i] * window.dilation[i] - window.low[i];
    inside = inside && x >= 0 && x < window.inSize[i];
    offset += x * window.inStride[2 + i];
  }
  return inside;
}

/// Whether a tap of a transposed convolution meets an element of the image, and
/// where: its offset from the first element of the channel.
__device__ __forceinline__ bool meetsElement(const SpatialWindow &window,
                                             const Index *at, Index d, Index h,
                                             Index w, Index &offset) {
  const Index tap[kSpatial] = {d, h, w};
  bool meets = true;
  offset = 0;
#pragma unroll
  for (int i = 0; i < kSpatial; ++i) {
    const Index reached = at[2 + i] + window.low[i] - tap[i] * window.dilation[i];
    const Index x = reached / window.stride[i];
    meets = meets && reached >= 0 && reached % window.stride[i] == 0 &&
            x < window.inSize[i];
    offset += x * window.inStride[2 + i];
  }
  return meets;
}
