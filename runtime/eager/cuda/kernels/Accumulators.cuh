// How elements are combined to one. An accumulator is a plain struct, as it
// stands in shared memory; `position` is that of the element in row-major order.

/// A sum of floats in f64; one of f64 with the rounding errors kept beside it
/// (A. Neumaier, ZAMM 54, 1974).
struct FloatSum {
  double sum, rest;
  __device__ static FloatSum empty() { return {0, 0}; }
  __device__ void addNumber(double x) {
    const double next = sum + x;
    if (sizeof(Compute) == sizeof(double))
      rest += fabs(sum) >= fabs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  __device__ void add(Compute x, Index) { addNumber(double(x)); }
  __device__ void merge(const FloatSum &other) {
    addNumber(other.sum);
    rest += other.rest;
  }
  // The rest is NaN where the sum is infinite.
  __device__ double total() const {
    return rest - rest == 0 ? sum + rest : sum;
  }
};

/// A sum of integers, which wraps.
struct IntegerSum {
  unsigned long long sum;
  __device__ static IntegerSum empty() { return {0}; }
  __device__ void add(Compute x, Index) { sum += (unsigned long long)(x); }
  __device__ void merge(const IntegerSum &other) { sum += other.sum; }
  __device__ long long total() const { return (long long)(sum); }
};

/// A product, of floats in f64, of integers modulo 2^64.
struct Product {
  Wide product;
  __device__ static Product empty() { return {1}; }
  __device__ void add(Compute x, Index) { product *= Wide(x); }
  __device__ void merge(const Product &other) { product *= other.product; }
};

/// Whether `x` displaces `best` as the maximum (or minimum); a NaN displaces
/// all but a NaN.
template <bool isMax>
__device__ __forceinline__ bool displaces(Compute x, Compute best) {
  return x != x ? best == best : isMax ? x > best : x < best;
}

template <bool isMax> struct Extremum {
  Compute best;
  __device__ static Extremum empty() {
    return {isMax ? lowest() : highest()};
  }
  __device__ void add(Compute x, Index) {
    best = displaces<isMax>(x, best) ? x : best;
  }
  __device__ void merge(const Extremum &other) { add(other.best, 0); }
};

/// The first position of the largest element.
struct LargestPosition {
  Compute best;
  Index position; // -1 where there was no element
  __device__ static LargestPosition empty() { return {lowest(), -1}; }
  __device__ void add(Compute x, Index at) {
    const bool isTie = !displaces<true>(x, best) && !displaces<true>(best, x);
    if (position < 0 || displaces<true>(x, best) || (isTie && at < position)) {
      best = x;
      position = at;
    }
  }
  __device__ void merge(const LargestPosition &other) {
    if (other.position >= 0)
      add(other.best, other.position);
  }
};
