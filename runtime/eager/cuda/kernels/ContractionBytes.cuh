// Contractions of integers of 8 bits, whose products are summed in T, an i32.

struct WidenedByte {
  int value;
};

__device__ __forceinline__ unsigned
addProduct(unsigned sum, WidenedByte data, WidenedByte weight) {
  return sum + unsigned(data.value * weight.value);
}

/// Terms that are one byte of each operand.
template <typename Byte> struct Bytes {
  using Element = Byte;
  using Term = WidenedByte;
  using Sum = unsigned;
  __device__ __forceinline__ static Index count(Index elements) {
    return elements;
  }
  __device__ __forceinline__ static Term read(const Byte *from, Index stride,
                                              Index number, Index elements) {
    return {from[number * stride]};
  }
};

template <typename Byte> struct Quad {
  int bytes;
};

template <typename Byte>
__device__ __forceinline__ unsigned addProduct(unsigned sum, Quad<Byte> data,
                                               Quad<signed char> weights) {
  return add_quad_product<Byte>(sum, data.bytes, weights.bytes);
}

/// Terms that are four bytes of each operand. The last term is filled up with
/// zeros.
template <typename Byte> struct Quads {
  using Element = Byte;
  using Term = Quad<Byte>;
  using Sum = unsigned;
  __device__ __forceinline__ static Index count(Index elements) {
    return (elements + 3) / 4;
  }
  __device__ __forceinline__ static Term read(const Byte *from, Index stride,
                                              Index number, Index elements) {
    from += number * 4 * stride;
    const Index rest = elements - number * 4;
    if (stride == 1 && rest >= 4 && (unsigned long long)from % 4 == 0)
      return {*reinterpret_cast<const int *>(from)};
    unsigned bytes = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (i < rest)
        bytes |= unsigned((unsigned char)from[i * stride]) << 8 * i;
    return {int(bytes)};
  }
};

/// A group with few input channels, such as one of a depthwise convolution,
/// would leave most of a quad empty.
template <typename Byte>
__device__ __forceinline__ void
convolveBytes(const Byte *__restrict__ in,
              const signed char *__restrict__ weights,
              const T *__restrict__ bias, T *__restrict__ out,
              const Conv &conv) {
  if (conv.groupInputs < 4)
    computeResult<Bytes<Byte>, Bytes<signed char>>(in, weights, bias, out, conv,
                                                   isInside);
  else
    computeResult<Quads<Byte>, Quads<signed char>>(in, weights, bias, out, conv,
                                                   isInside);
}

extern "C" __global__ void matmul_ui8(const unsigned char *__restrict__ left,
                                      const signed char *__restrict__ right,
                                      T *__restrict__ out, const Matmul plan) {
  multiplyMatrices<Quads<unsigned char>, Quads<signed char>>(left, right, out,
                                                             plan);
}

extern "C" __global__ void
conv_tiled_ui8(const unsigned char *__restrict__ in,
               const signed char *__restrict__ weights,
               const T *__restrict__ bias, T *__restrict__ out,
               const Conv conv) {
  convolveTiles<Quads<unsigned char>, Quads<signed char>>(in, weights, bias,
                                                          out, conv);
}

extern "C" __global__ void
conv_direct_ui8(const unsigned char *__restrict__ in,
                const signed char *__restrict__ weights,
                const T *__restrict__ bias, T *__restrict__ out,
                const Conv conv) {
  convolveBytes<unsigned char>(in, weights, bias, out, conv);
}

extern "C" __global__ void matmul_i8(const signed char *__restrict__ left,
                                      const signed char *__restrict__ right,
                                      T *__restrict__ out, const Matmul plan) {
  multiplyMatrices<Quads<signed char>, Quads<signed char>>(left, right, out,
                                                           plan);
}

extern "C" __global__ void
conv_tiled_i8(const signed char *__restrict__ in,
               const signed char *__restrict__ weights,
               const T *__restrict__ bias, T *__restrict__ out,
               const Conv conv) {
  convolveTiles<Quads<signed char>, Quads<signed char>>(in, weights, bias, out,
                                                        conv);
}

extern "C" __global__ void
conv_direct_i8(const signed char *__restrict__ in,
                const signed char *__restrict__ weights,
                const T *__restrict__ bias, T *__restrict__ out,
                const Conv conv) {
  convolveBytes<signed char>(in, weights, bias, out, conv);
}
