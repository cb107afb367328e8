// Two dims change places: tiles go through shared memory, so that reading and
// writing both are contiguous.

constexpr int kTile = 32, kTileRows = 8;

struct Transposition {
  Index rows, columns; // of the operand; it is contiguous along its columns
  Index fromStart, fromRow;
  Index toStart, toColumn; // the result is contiguous along the rows
  Dims batch;
  Strides from, to;
};

// In blocks of kTile * kTileRows threads, one a tile.
extern "C" __global__ void transpose(const T *__restrict__ in,
                                     T *__restrict__ out,
                                     const Transposition plan) {
  __shared__ T tile[kTile][kTile + 1]; // no two of a column in one bank
  const Index tilesAcross = (plan.columns + kTile - 1) / kTile;
  const Index tilesDown = (plan.rows + kTile - 1) / kTile;
  const Index number = Index(blockIdx.x) / tilesAcross;
  const Index column = Index(blockIdx.x) % tilesAcross * kTile;
  const Index row = number % tilesDown * kTile, batch = number / tilesDown;
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile;

  in += plan.fromStart + offsetAt(plan.batch, plan.from, batch);
  for (int r = y; r < kTile; r += kTileRows)
    if (row + r < plan.rows && column + x < plan.columns)
      tile[r][x] = in[(row + r) * plan.fromRow + column + x];
  __syncthreads();
  out += plan.toStart + offsetAt(plan.batch, plan.to, batch);
  for (int c = y; c < kTile; c += kTileRows)
    if (row + x < plan.rows && column + c < plan.columns)
      out[(column + c) * plan.toColumn + row + x] = tile[x][c];
}
