/// Adds the products of four bytes of data with four signed bytes of weights to
/// `sum`, modulo 2^32. Byte is the type of the data: signed or unsigned char.
template <typename Byte>
__device__ __forceinline__ unsigned add_quad_product(unsigned sum, int data,
                                                     int weights) {
#if __CUDA_ARCH__ >= 610
  // CUDA's __dp4a takes data and weights of the same sign only.
  if (Byte(-1) < Byte(0))
    asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(data), "r"(weights));
  else
    asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(data), "r"(weights));
#else
  for (int i = 0; i < 4; ++i)
    sum += unsigned(Byte(data >> 8 * i) * (signed char)(weights >> 8 * i));
#endif
  return sum;
}
