// Discrete Fourier transforms.

/// Lines of numbers, `inner` apart; complex ones have two parts side by side.
struct FFTLines {
  Index results; // Numbers of the result.
  Index inner, inSize, outSize, length;
  Index readsReal, writesReal, isInverse;
};

struct Complex {
  double re, im;
};
__device__ __forceinline__ Complex product(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// The root of unity to the power of a number that is below the length. Those
/// at multiples of a right angle are exact.
__device__ __forceinline__ Complex root(const FFTLines &plan, long long power) {
  const double halfTurns = 2 * double(power) / double(plan.length);
  const double sine = sinpi(halfTurns);
  return {cospi(halfTurns), plan.isInverse ? sine : -sine};
}

__device__ __forceinline__ Complex load(const T *in, const FFTLines &plan,
                                        Index at) {
  if (plan.readsReal)
    return {double(computed(in[at])), 0};
  return {double(computed(in[2 * at])), double(computed(in[2 * at + 1]))};
}

/// A thread computes one number by the definition, in f64. Roots are products
/// of the one before, and every `kRoots`-th is computed anew. An irfft reads
/// half of a line; the numbers that it does not read are conjugates of others.
extern "C" __global__ void transform_lines(const T *__restrict__ in,
                                           T *__restrict__ out,
                                           const FFTLines plan) {
  constexpr Index kRoots = 8;
  const Index number = threadNumber();
  if (number >= plan.results)
    return;
  const Index row = number / plan.inner, rest = number - row * plan.inner;
  const Index outer = row / plan.outSize;
  const Index k = row - outer * plan.outSize;
  const Complex step = root(plan, k);
  Complex power = {1, 0}, sum = {0, 0};
  double check = 0; // NaN if an element is infinite or NaN.
#pragma unroll 1
  for (Index j = 0; j < plan.inSize; ++j) {
    if (j % kRoots == 0)
      power = root(plan, (long long)j * k % plan.length);
    Complex x = load(in, plan, (outer * plan.inSize + j) * plan.inner + rest);
    check += (x.re - x.re) + (x.im - x.im);
    if (plan.writesReal) {
      const bool isOwnConjugate = j == 0 || 2 * j == plan.length;
      x.im = isOwnConjugate ? 0 : 2 * x.im;
      x.re = isOwnConjugate ? x.re : 2 * x.re;
    }
    const Complex term = product(x, power);
    sum.re += term.re;
    sum.im += term.im;
    power = product(power, step);
  }
  const double scale = plan.isInverse ? double(plan.length) : 1;
  if (plan.writesReal) {
    out[number] = stored(sum.re / scale + check);
    return;
  }
  out[2 * number] = stored(sum.re / scale + check);
  out[2 * number + 1] = stored(sum.im / scale + check);
}
