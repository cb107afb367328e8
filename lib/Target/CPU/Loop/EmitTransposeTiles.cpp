//===- EmitTransposeTiles.cpp - Operands that lie across the lanes --------===//
//
// Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loop/TransposeTiles.h"

#include "IndexBuilder.h"
#include "Loop/Schedule.h"
#include "VectorShuffles.h"

#include "tandem/Runtime/Kernels/HostKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace tandem {

/// The most ops of a body, including its yield, that is emitted once for each
/// row of a tile.
static constexpr int64_t kMaxUnrolledOps = 4;

/// The largest number of columns, if it is no power of two, that are
/// interleaved in registers.
static constexpr int64_t kMaxInterleaved = 7;

/// One perfect shuffle of the vectors' elements in a row: element e of vector v
/// goes from address v * rows + e to that address rotated left by one bit. Once
/// per bit of v, and the bits of e come first. Each `lane` elements of a vector
/// are shuffled by themselves.
static SmallVector<Value> shuffle(OpBuilder &builder, Location loc,
                                  ArrayRef<Value> vectors, int64_t lane) {
  int64_t count = vectors.size();
  int64_t length = cast<VectorType>(vectors[0].getType()).getNumElements();
  SmallVector<int32_t> low, high;
  for (int32_t i = 0; i < length; ++i) {
    int32_t first = i / lane * lane, within = i % lane;
    low.push_back(first + within / 2 + within % 2 * length);
    high.push_back(first + (lane + within) / 2 + within % 2 * length);
  }
  SmallVector<Value> shuffled;
  for (int64_t i = 0; i < count / 2; ++i)
    for (ArrayRef<int32_t> mask : {ArrayRef(low), ArrayRef(high)})
      shuffled.push_back(LLVM::ShuffleVectorOp::create(
          builder, loc, vectors[i], vectors[i + count / 2], mask));
  return shuffled;
}

/// Element number i of the results is element i / n of vector i % n of the n
/// vectors. A result takes a shuffle for each vector.
static SmallVector<Value> interleaveAll(OpBuilder &builder, Location loc,
                                        ArrayRef<Value> vectors) {
  const auto count = static_cast<int32_t>(vectors.size());
  const auto length = static_cast<int32_t>(
      cast<VectorType>(vectors[0].getType()).getNumElements());
  SmallVector<Value> results;
  for (int32_t first = 0; first < count * length; first += length) {
    Value result = LLVM::PoisonOp::create(builder, loc, vectors[0].getType());
    for (int32_t number = 0; number < count; ++number) {
      SmallVector<int32_t> mask;
      for (int32_t i = first; i < first + length; ++i) {
        const int32_t source = i % count;
        mask.push_back(source == number  ? length + i / count
                       : source < number ? i - first
                                         : -1);
      }
      result = LLVM::ShuffleVectorOp::create(builder, loc, result,
                                             vectors[number], mask);
    }
    results.push_back(result);
  }
  return results;
}

namespace {

class BlockEmitter : IndexBuilder {
public:
  BlockEmitter(OpBuilder &builder, linalg::GenericOp op,
               const TransposeTiles &tiles, KernelScratch &kernelScratch,
               function_ref<Buffer(Value)> getBuffer, StreamQuery isStreamed)
      : IndexBuilder(builder, op.getLoc()), op(op), tiles(tiles),
        getBuffer(getBuffer), isStreamed(isStreamed),
        sizes(op.getStaticLoopRanges()) {
    for (unsigned input : tiles.inputs)
      scratch.push_back(kernelScratch.allocate(getElementType(input),
                                               tiles.rows * tiles.columns));
  }

  void emit(Value iteration);

private:
  void forTiles(Value begin, Value end, int64_t step,
                function_ref<void(Value)> emit);
  void emitTile(Value row, Value column);
  void emitRows(bool isMasked);
  void emitRow(Value row, Value mask, function_ref<void(LaneEmitter &)> bind);
  bool staysInRegisters();
  bool isContiguousCopy();
  /// The number of columns of a tile that is not masked. It is not that of
  /// `tiles` if a row of the result is shorter.
  int64_t countColumns();
  void storeContiguously(ArrayRef<Value> vectors);
  BlockArgument getArgument(unsigned input);
  SmallVector<Value> transposeInput(unsigned input, bool isMasked);
  void storeTile(Type elementType, ArrayRef<Value> vectors, Value tile);
  SmallVector<Value> loadColumns(unsigned input, const LoopStrides &access,
                                 bool isMasked);
  SmallVector<Value> loadHalves(unsigned input, const LoopStrides &access);
  bool hasTwoLanes(unsigned input);
  Value getSource(unsigned input, const LoopStrides &access);
  /// How many iterations of a loop are left from the tile on.
  Value getRest(unsigned loop) {
    return arith::SubIOp::create(builder, loc, index(sizes[loop]), loops[loop]);
  }
  unsigned columnLoop() const { return sizes.size() - 1; }
  Type getElementType(unsigned input);

  Value min(Value a, Value b) {
    return arith::MinSIOp::create(builder, loc, a, b);
  }
  Value getPointer(Type elementType, Value base, Value offset) {
    offset =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), offset);
    return LLVM::GEPOp::create(builder, loc, base.getType(), elementType, base,
                               offset, LLVM::GEPNoWrapFlags::inbounds);
  }

  linalg::GenericOp op;
  const TransposeTiles &tiles;
  function_ref<Buffer(Value)> getBuffer;
  StreamQuery isStreamed;
  SmallVector<int64_t> sizes;
  /// The indices of all loops; those of rows and columns are at the first
  /// element of the tile.
  SmallVector<Value> loops;
  /// A tile per input that is transposed, rows x columns.
  SmallVector<Value> scratch;
};

} // namespace

/// Truth values are bytes in memory.
Type BlockEmitter::getElementType(unsigned input) {
  Type type = cast<RankedTensorType>(op.getDpsInputs()[input].getType())
                  .getElementType();
  return type.isInteger(1) ? builder.getI8Type() : type;
}

void BlockEmitter::forTiles(Value begin, Value end, int64_t step,
                            function_ref<void(Value)> emit) {
  auto loop = scf::ForOp::create(builder, loc, begin, end, index(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emit(loop.getInductionVar());
}

void BlockEmitter::emit(Value iteration) {
  SmallVector<int64_t> blocks = getTransposeBlocks(sizes, tiles);
  SmallVector<Value> outer = delinearize(builder, loc, blocks, iteration);
  Value column = outer.pop_back_val(), row = outer.pop_back_val();
  if (!tiles.isRowsInner)
    std::swap(column, row);
  column = scale(column, tiles.blockColumns);
  row = scale(row, tiles.blockRows);
  Value rowEnd =
      min(add(row, index(tiles.blockRows)), index(sizes[tiles.rowLoop]));
  Value columnEnd =
      min(add(column, index(tiles.blockColumns)), index(sizes.back()));
  loops = outer;
  loops.insert(loops.begin() + tiles.rowLoop, row);
  loops.push_back(column);
  auto forRows = [&](function_ref<void(Value)> emit) {
    forTiles(row, rowEnd, tiles.rows, emit);
  };
  auto forColumns = [&](function_ref<void(Value)> emit) {
    forTiles(column, columnEnd, tiles.columns, emit);
  };
  if (tiles.isRowsInner)
    forColumns([&](Value j) { forRows([&](Value i) { emitTile(i, j); }); });
  else
    forRows([&](Value i) { forColumns([&](Value j) { emitTile(i, j); }); });
}

/// Whole tiles, and what is left at the edges under masks.
void BlockEmitter::emitTile(Value row, Value column) {
  loops[tiles.rowLoop] = row;
  loops.back() = column;
  int64_t rows = sizes[tiles.rowLoop], columns = sizes.back();
  const int64_t most = countColumns();
  if (rows % tiles.rows == 0 && columns % most == 0)
    return emitRows(/*isMasked=*/false);
  if (rows < tiles.rows || columns < most)
    return emitRows(/*isMasked=*/true);
  auto fits = [&](unsigned loop, int64_t size) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                 getRest(loop), index(size));
  };
  Value isWhole = arith::AndIOp::create(
      builder, loc, fits(tiles.rowLoop, tiles.rows), fits(columnLoop(), most));
  auto branch = scf::IfOp::create(builder, loc, isWhole, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitRows(/*isMasked=*/false);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitRows(/*isMasked=*/true);
}

/// The body for one row of a tile, with what has been transposed as `bind` has
/// it.
void BlockEmitter::emitRow(Value row, Value mask,
                           function_ref<void(LaneEmitter &)> bind) {
  SmallVector<Value> at(loops);
  at[tiles.rowLoop] = add(at[tiles.rowLoop], row);
  LaneEmitter emitter(builder, loc, tiles.columns, at, mask, getBuffer);
  bind(emitter);
  for (auto [result, element] :
       llvm::zip_equal(op.getResults(), emitter.emitElements(op)))
    emitter.store(getBuffer(result),
                  builder.getMultiDimIdentityMap(sizes.size()), element,
                  !mask && isStreamed(cast<RankedTensorType>(result.getType()),
                                      tiles.columns, sizes.back()));
}

BlockArgument BlockEmitter::getArgument(unsigned input) {
  return op.getMatchingBlockArgument(op.getDpsInputOperand(input));
}

/// Whether a vector that has been transposed is a row, and the body is so
/// little that it is there once per row: the tile need not go through memory.
bool BlockEmitter::staysInRegisters() {
  return tiles.rows == tiles.columns &&
         static_cast<int64_t>(op.getBody()->getOperations().size()) <=
             kMaxUnrolledOps &&
         llvm::none_of(tiles.inputs, [&](unsigned input) {
           return getArgument(input).getType().isInteger(1);
         });
}

/// Whether a tile is one contiguous piece of the result and is only copied: it
/// has all columns of the result, and the body computes nothing. An example is
/// packing pairs of inputs.
bool BlockEmitter::isContiguousCopy() {
  const int64_t columns = sizes.back();
  return (columns == tiles.columns ||
          columns <= std::min(tiles.columns, kMaxInterleaved)) &&
         tiles.rowLoop + 2 == sizes.size() && op.getNumResults() == 1 &&
         op.getNumDpsInputs() == 1 &&
         op.getBody()->getTerminator()->getOperand(0) ==
             getArgument(tiles.inputs.front()) &&
         !isStreamed(cast<RankedTensorType>(op.getResult(0).getType()),
                     tiles.columns, columns);
}

int64_t BlockEmitter::countColumns() {
  return isContiguousCopy() ? sizes.back() : tiles.columns;
}

void BlockEmitter::storeContiguously(ArrayRef<Value> vectors) {
  const Type elementType = getElementType(tiles.inputs.front());
  Value offset = index(0);
  for (auto [loop, size] : llvm::zip_equal(loops, sizes))
    offset = add(scale(offset, size), loop);
  Value tile =
      getPointer(elementType, getBuffer(op.getResult(0)).pointer, offset);
  for (auto [i, vector] : llvm::enumerate(vectors))
    LLVM::StoreOp::create(builder, loc, vector,
                          getPointer(elementType, tile, index(i * tiles.rows)),
                          /*alignment=*/elementType.getIntOrFloatBitWidth() /
                              8);
}

void BlockEmitter::emitRows(bool isMasked) {
  SmallVector<SmallVector<Value>> transposed;
  for (unsigned input : tiles.inputs)
    transposed.push_back(transposeInput(input, isMasked));
  if (!isMasked && isContiguousCopy())
    return storeContiguously(transposed.front());
  if (!isMasked && staysInRegisters()) {
    for (int64_t row = 0; row < tiles.rows; ++row)
      emitRow(index(row), {}, [&](LaneEmitter &emitter) {
        for (auto [input, vectors] : llvm::zip_equal(tiles.inputs, transposed))
          emitter.bindValue(getArgument(input), vectors[row]);
      });
    return;
  }
  for (auto [input, vectors, tile] :
       llvm::zip_equal(tiles.inputs, transposed, scratch))
    storeTile(getElementType(input), vectors, tile);
  Value end = index(tiles.rows), mask;
  if (isMasked) {
    end = min(end, getRest(tiles.rowLoop));
    mask = LaneEmitter::createTailMask(builder, loc, tiles.columns,
                                       getRest(columnLoop()));
  }
  forTiles(index(0), end, 1, [&](Value row) {
    emitRow(row, mask, [&](LaneEmitter &emitter) {
      for (auto [input, tile] : llvm::zip_equal(tiles.inputs, scratch))
        emitter.bindInput(
            getArgument(input),
            getPointer(getElementType(input), tile, scale(row, tiles.columns)));
    });
  });
}

Value BlockEmitter::getSource(unsigned input, const LoopStrides &access) {
  Value offset = index(access.origin);
  for (auto [loop, stride] : llvm::zip_equal(loops, access.strides))
    if (stride != 0)
      offset = add(offset, scale(loop, stride));
  return getPointer(getElementType(input),
                    getBuffer(op.getDpsInputs()[input]).pointer, offset);
}

/// Loads each column as a vector of rows. Behind the last column, the last
/// column is loaded again.
SmallVector<Value> BlockEmitter::loadColumns(unsigned input,
                                             const LoopStrides &access,
                                             bool isMasked) {
  Type elementType = getElementType(input);
  auto type = VectorType::get({tiles.rows}, elementType);
  unsigned alignment = elementType.getIntOrFloatBitWidth() / 8;
  Value source = getSource(input, access);
  Value mask, zero, last;
  if (isMasked) {
    mask = LaneEmitter::createTailMask(builder, loc, tiles.rows,
                                       getRest(tiles.rowLoop));
    zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    last = arith::SubIOp::create(builder, loc, getRest(columnLoop()), index(1));
  }
  SmallVector<Value> vectors;
  const int64_t columns = isMasked ? tiles.columns : countColumns();
  for (int64_t i = 0; i < columns; ++i) {
    Value column = last ? min(index(i), last) : index(i);
    Value pointer =
        getPointer(elementType, source, scale(column, access.strides.back()));
    vectors.push_back(
        mask ? LLVM::MaskedLoadOp::create(builder, loc, type, pointer, mask,
                                          zero, alignment)
                   .getResult()
             : LLVM::LoadOp::create(builder, loc, type, pointer, alignment)
                   .getResult());
  }
  return vectors;
}

/// Whether a column is a vector of two lanes of 128 bits, and there are as many
/// columns as rows. AVX2 shuffles within lanes; to shuffle across them takes it
/// two instructions, one of which is slow.
bool BlockEmitter::hasTwoLanes(unsigned input) {
  return tiles.rows == tiles.columns &&
         tiles.rows * getElementType(input).getIntOrFloatBitWidth() == 256;
}

/// Vectors of half of column i, and of the same half of the column half a tile
/// further: first of all upper halves, then of all lower ones.
SmallVector<Value> BlockEmitter::loadHalves(unsigned input,
                                            const LoopStrides &access) {
  Type elementType = getElementType(input);
  const int64_t half = tiles.rows / 2;
  auto type = VectorType::get({half}, elementType);
  Value source = getSource(input, access);
  auto load = [&](int64_t column, int64_t row) -> Value {
    Value pointer = getPointer(elementType, source,
                               index(column * access.strides.back() + row));
    return LLVM::LoadOp::create(builder, loc, type, pointer,
                                elementType.getIntOrFloatBitWidth() / 8);
  };
  SmallVector<Value> vectors;
  for (int64_t row : {int64_t(0), half})
    for (int64_t column = 0; column < half; ++column)
      vectors.push_back(concatenate(
          builder, loc, {load(column, row), load(column + half, row)}));
  return vectors;
}

/// The tile row by row, `tiles.rows` elements to a vector.
SmallVector<Value> BlockEmitter::transposeInput(unsigned input, bool isMasked) {
  LoopStrides access = *getLoopStrides(op, input);
  auto shuffleAll = [&](SmallVector<Value> vectors, int64_t lane) {
    for (unsigned bit = 0; bit < llvm::Log2_64(vectors.size()); ++bit)
      vectors = shuffle(builder, loc, vectors, lane);
    return vectors;
  };
  if (!isMasked && countColumns() < tiles.columns)
    return interleaveAll(builder, loc, loadColumns(input, access, isMasked));
  if (isMasked || !hasTwoLanes(input))
    return shuffleAll(loadColumns(input, access, isMasked), tiles.rows);
  SmallVector<Value> halves = loadHalves(input, access);
  const int64_t half = tiles.rows / 2;
  SmallVector<Value> rows =
      shuffleAll(to_vector(ArrayRef(halves).take_front(half)), half);
  llvm::append_range(
      rows, shuffleAll(to_vector(ArrayRef(halves).drop_front(half)), half));
  return rows;
}

void BlockEmitter::storeTile(Type elementType, ArrayRef<Value> vectors,
                             Value tile) {
  int64_t bytes = tiles.rows * elementType.getIntOrFloatBitWidth() / 8;
  for (auto [i, vector] : llvm::enumerate(vectors))
    LLVM::StoreOp::create(builder, loc, vector,
                          getPointer(elementType, tile, index(i * tiles.rows)),
                          std::min(bytes, kWorkspaceAlignment));
}

void emitTransposeBlock(OpBuilder &builder, linalg::GenericOp op,
                        const TransposeTiles &tiles, Value iteration,
                        KernelScratch &scratch,
                        function_ref<Buffer(Value)> getBuffer,
                        StreamQuery isStreamed) {
  BlockEmitter(builder, op, tiles, scratch, getBuffer, isStreamed)
      .emit(iteration);
}

} // namespace tandem
