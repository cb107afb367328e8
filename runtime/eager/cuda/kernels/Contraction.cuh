// Sums of products. A block of 16 x 16 threads computes a tile of 64 x 64
// results, a thread 4 x 4 of them, from slices of both operands in shared memory.

constexpr int kTileM = 64, kTileN = 64, kTileK = 16, kThreads = 16,
              kPerThread = 4;

__device__ __forceinline__ float addProduct(float sum, float a, float b) {
  return fmaf(a, b, sum);
}
__device__ __forceinline__ double addProduct(double sum, double a, double b) {
  return fma(a, b, sum);
}
__device__ __forceinline__ unsigned long long
addProduct(unsigned long long sum, unsigned long long a, unsigned long long b) {
  return sum + a * b;
}

/// Terms of sums of products that are one element of each operand. `Sum` is the
/// type of the sums.
template <typename StoredElement> struct Elements {
  using Element = StoredElement;
  using Term = Factor;
  using Sum = Factor;
  /// The number of terms that hold `elements` elements.
  __device__ __forceinline__ static Index count(Index elements) {
    return elements;
  }
  /// Term `number` of `elements` elements at `from`, `stride` apart.
  __device__ __forceinline__ static Term read(const Element *from, Index stride,
                                              Index number, Index elements) {
    return Factor(computed(from[number * stride]));
  }
};

/// The products of one slice are added by themselves: so errors of equal sign
/// do not add up over the whole sum.
template <typename Sum, typename Left, typename Right>
__device__ __forceinline__ void
addSlice(const Left (&left)[kTileK][kTileM + 1],
         const Right (&right)[kTileK][kTileN + 1], int row, int column,
         Sum (&sums)[kPerThread][kPerThread]) {
  Sum slice[kPerThread][kPerThread] = {};
  for (int k = 0; k < kTileK; ++k)
#pragma unroll
    for (int i = 0; i < kPerThread; ++i)
#pragma unroll
      for (int j = 0; j < kPerThread; ++j)
        slice[i][j] = addProduct(slice[i][j], left[k][row + i * kThreads],
                                 right[k][column + j * kThreads]);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i)
#pragma unroll
    for (int j = 0; j < kPerThread; ++j)
      sums[i][j] += slice[i][j];
}

/// Fills a slice: term (k, x) of `from` at [k][x]. `isContiguousAlongK` says
/// which neighboring threads should read.
template <typename Term, typename From>
__device__ __forceinline__ void fill(Term (&slice)[kTileK][kTileM + 1],
                                     const From &from, Index firstX,
                                     Index firstK, bool isContiguousAlongK) {
  for (int i = threadIdx.x; i < kTileM * kTileK; i += kThreads * kThreads) {
    const int k = isContiguousAlongK ? i % kTileK : i / kTileM;
    const int x = isContiguousAlongK ? i / kTileK : i % kTileM;
    slice[k][x] = from(firstX + x, firstK + k);
  }
}

/// Sums `k` terms for each result. `left(m, k)` and `right(n, k)` are 0 outside
/// their ranges; `store(m, n, value)` is called inside m x n only.
template <typename Left, typename Right, typename Store>
__device__ __forceinline__ void contract(Index m, Index n, Index k, Index tile,
                                         const Left &left, const Right &right,
                                         const Store &store) {
  using Sum = typename Left::Sum;
  __shared__ typename Left::Term leftSlice[kTileK][kTileM + 1];
  __shared__ typename Right::Term rightSlice[kTileK][kTileN + 1];
  const Index tilesN = (n + kTileN - 1) / kTileN;
  const Index firstM = tile / tilesN * kTileM, firstN = tile % tilesN * kTileN;
  const int row = threadIdx.x / kThreads, column = threadIdx.x % kThreads;
  Sum sums[kPerThread][kPerThread] = {};
  for (Index firstK = 0; firstK < k; firstK += kTileK) {
    fill(leftSlice, left, firstM, firstK, left.isContiguousAlongK());
    fill(rightSlice, right, firstN, firstK, right.isContiguousAlongK());
    __syncthreads();
    addSlice(leftSlice, rightSlice, row, column, sums);
    __syncthreads();
  }
  for (int i = 0; i < kPerThread; ++i)
    for (int j = 0; j < kPerThread; ++j) {
      const Index atM = firstM + row + i * kThreads;
      const Index atN = firstN + column + j * kThreads;
      if (atM < m && atN < n)
        store(atM, atN, Compute(sums[i][j]));
    }
}

struct Matmul {
  Index m, n, k;
  Index tiles; // of one product
  Index leftM, leftK, rightN, rightK;
  Dims batch;
  Strides left, right;
};

/// The rows of a matrix, or its columns.
template <typename Terms> struct MatrixSide {
  using Term = typename Terms::Term;
  using Sum = typename Terms::Sum;
  const typename Terms::Element *__restrict__ data;
  Index size, depth, stride, strideK;
  __device__ bool isContiguousAlongK() const { return strideK == 1; }
  __device__ Term operator()(Index x, Index k) const {
    return x < size && k < Terms::count(depth)
               ? Terms::read(data + x * stride, strideK, k, depth)
               : Term();
  }
};

struct MatrixStore {
  T *__restrict__ out;
  Index n;
  __device__ void operator()(Index atM, Index atN, Compute sum) const {
    out[atM * n + atN] = stored(sum);
  }
};

/// Left and Right are the terms of the operands.
template <typename Left, typename Right>
__device__ __forceinline__ void
multiplyMatrices(const typename Left::Element *__restrict__ left,
                 const typename Right::Element *__restrict__ right,
                 T *__restrict__ out, const Matmul &plan) {
  const Index batch = Index(blockIdx.x) / plan.tiles;
  const MatrixSide<Left> rows = {left + offsetAt(plan.batch, plan.left, batch),
                                 plan.m, plan.k, plan.leftM, plan.leftK};
  const MatrixSide<Right> columns = {
      right + offsetAt(plan.batch, plan.right, batch), plan.n, plan.k,
      plan.rightN, plan.rightK};
  const MatrixStore store = {out + batch * plan.m * plan.n, plan.n};
  contract(plan.m, plan.n, Left::count(plan.k), Index(blockIdx.x) % plan.tiles,
           rows, columns, store);
}

extern "C" __global__ void matmul(const T *__restrict__ left,
                                  const T *__restrict__ right,
                                  T *__restrict__ out, const Matmul plan) {
  multiplyMatrices<Elements<T>, Elements<T>>(left, right, out, plan);
}
