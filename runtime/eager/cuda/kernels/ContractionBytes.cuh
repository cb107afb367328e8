// Contractions of integers of 8 bits, whose products are summed in T, an i32.

extern "C" __global__ void matmul_ui8(const unsigned char *__restrict__ left,
                                      const signed char *__restrict__ right,
                                      T *__restrict__ out, const Matmul plan) {
  multiplyMatrices(left, right, out, plan);
}

extern "C" __global__ void
conv_tiled_ui8(const unsigned char *__restrict__ in,
               const signed char *__restrict__ weights,
               const T *__restrict__ bias, T *__restrict__ out,
               const Conv conv) {
  convolveTiles(in, weights, bias, out, conv);
}

extern "C" __global__ void
conv_direct_ui8(const unsigned char *__restrict__ in,
                const signed char *__restrict__ weights,
                const T *__restrict__ bias, T *__restrict__ out,
                const Conv conv) {
  computeResult(in, weights, bias, out, conv, isInside);
}

extern "C" __global__ void matmul_i8(const signed char *__restrict__ left,
                                      const signed char *__restrict__ right,
                                      T *__restrict__ out, const Matmul plan) {
  multiplyMatrices(left, right, out, plan);
}

extern "C" __global__ void
conv_tiled_i8(const signed char *__restrict__ in,
               const signed char *__restrict__ weights,
               const T *__restrict__ bias, T *__restrict__ out,
               const Conv conv) {
  convolveTiles(in, weights, bias, out, conv);
}

extern "C" __global__ void
conv_direct_i8(const signed char *__restrict__ in,
                const signed char *__restrict__ weights,
                const T *__restrict__ bias, T *__restrict__ out,
                const Conv conv) {
  computeResult(in, weights, bias, out, conv, isInside);
}
