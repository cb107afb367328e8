// Random words by Philox4x32-10 (include/tandem/Support/Philox.h).

struct Words {
  Index size; // of the result
};

__device__ __forceinline__ unsigned int highOfProduct(unsigned int a,
                                                      unsigned int b) {
  return (unsigned int)((unsigned long long)(a)*b >> 32);
}

/// A thread computes the four words of a block.
extern "C" __global__ void random_words(const unsigned long long *__restrict__ key,
                                  const unsigned long long *__restrict__ counter,
                                  T *__restrict__ out, const Words plan) {
  const Index first = 4 * threadNumber();
  if (first >= plan.size)
    return;
  const unsigned long long block =
      *counter + (unsigned long long)(first / 4);
  unsigned int a = (unsigned int)(block), b = (unsigned int)(block >> 32),
               c = 0, d = 0;
  unsigned int low = (unsigned int)(*key), high = (unsigned int)(*key >> 32);
  for (int round = 0; round < 10; ++round) {
    const unsigned int highA = highOfProduct(a, 0xD2511F53u),
                       highC = highOfProduct(c, 0xCD9E8D57u);
    const unsigned int lowA = a * 0xD2511F53u, lowC = c * 0xCD9E8D57u;
    a = highC ^ b ^ low;
    b = lowC;
    c = highA ^ d ^ high;
    d = lowA;
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  const unsigned int words[4] = {a, b, c, d};
  for (Index i = 0; i < 4 && first + i < plan.size; ++i)
    out[first + i] = T(words[i]);
}
