// Scans of floats.

__device__ __forceinline__ float exponential(float x) { return expf(x); }
__device__ __forceinline__ double exponential(double x) { return exp(x); }
__device__ __forceinline__ float logarithm(float x) { return logf(x); }
__device__ __forceinline__ double logarithm(double x) { return log(x); }

/// The largest element, and the sum of the exponentials of the distances to it.
/// Equal infinities have no distance.
struct LogSumExp {
  Compute largest, sum;
  __device__ static LogSumExp empty() { return {lowest(), 0}; }
  __device__ void add(Compute x, Index) { merge({x, 1}); }
  __device__ void merge(const LogSumExp &other) {
    if (other.largest == largest) {
      sum += other.sum;
    } else if (other.largest < largest) {
      sum += other.sum * exponential(other.largest - largest);
    } else {
      sum = sum * exponential(largest - other.largest) + other.sum;
      largest = other.largest;
    }
  }
};
__device__ __forceinline__ T resultOf(const LogSumExp &all) {
  return stored(all.largest + logarithm(all.sum));
}

extern "C" __global__ void scan_log_sum_exp_by_thread(const T *__restrict__ in,
                                                      T *__restrict__ out,
                                                      const ScanLines plan) {
  scanByThread<LogSumExp>(in, out, plan);
}
extern "C" __global__ void scan_log_sum_exp_by_block(const T *__restrict__ in,
                                                     T *__restrict__ out,
                                                     const ScanLines plan) {
  scanByBlock<LogSumExp>(in, out, plan);
}
