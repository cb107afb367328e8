// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512})' \
// RUN:   | FileCheck %s
// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=256})' \
// RUN:   | FileCheck %s --check-prefix=NARROW
// RUN: sed 's/"cores": 2,/"cores": 2, "streamed_bytes": 1048576,/' %S/../../../utils/cpu-specs/generic.json > %t.json
// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg),tandem-cpu-lower-kernel{vector-bits=512 device-spec=%t.json})' \
// RUN:   | FileCheck %s --check-prefix=EARLY

// The innermost loop is one vector pair, and weights do not depend on the loop
// over W: loads of the input are scalars.

// CHECK: module @conv1d attributes {tandem.dtype = "{{.*}}", tandem.extent = 1000 : i64, tandem.form = "{{.*}}", tandem.grain = {{.*}} : i64}
// CHECK-LABEL: llvm.func internal @conv1d.body
// CHECK-SAME: {llvm.noalias, llvm.readonly}
// CHECK-SAME: {llvm.noalias, llvm.writeonly}
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: llvm.load {{.*}} -> vector<32xf32>
// CHECK: llvm.load {{.*}} -> f32
// CHECK-NOT: llvm.intr.masked
// CHECK: llvm.store {{.*}} : vector<32xf32>
// CHECK-LABEL: llvm.func @conv1d(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: i64, %arg4: i64)
// CHECK: llvm.call @conv1d.body
module @conv1d {
  func.func @conv1d(%x: tensor<1000x100x1xf32>, %w: tensor<3x1x32xf32>)
      -> tensor<1000x98x32xf32> {
    %0 = tandem.conv %x, %w
        layout = <input = "NWC", kernel = "WIO", output = "NWC">
        : (tensor<1000x100x1xf32>, tensor<3x1x32xf32>) -> tensor<1000x98x32xf32>
    return %0 : tensor<1000x98x32xf32>
  }
}

// -----

// A remainder is masked, one vector at a time.

// CHECK-LABEL: llvm.func internal @tail.body
// CHECK: llvm.load {{.*}} -> vector<64xf32>
// CHECK: llvm.store {{.*}} vector<64xf32>
// CHECK: arith.cmpi slt, {{.*}} vector<16xi32>
// CHECK: llvm.intr.masked.load {{.*}} vector<16xf32>
// CHECK: llvm.intr.masked.store {{.*}} vector<16xf32>
module @tail {
  func.func @tail(%x: tensor<100xf32>) -> tensor<100xf32> {
    %0 = tandem.neg %x : tensor<100xf32>
    return %0 : tensor<100xf32>
  }
}

// -----

// Padding along the vector is a mask.

// CHECK-LABEL: llvm.func internal @along.body
// CHECK: llvm.intr.masked.load
// CHECK-NOT: scf.if
// CHECK-LABEL: llvm.func @along
module @along {
  func.func @along(%x: tensor<4x32xf32>, %w: tensor<1x1x3xf32>)
      -> tensor<4x1x32xf32> {
    %1 = tandem.reshape %x shape = [4, 1, 32]
        : (tensor<4x32xf32>) -> tensor<4x1x32xf32>
    %0 = tandem.conv %1, %w
        layout = <input = "NCW", kernel = "OIW", output = "NCW">
        pad_low = [1] pad_high = [1]
        : (tensor<4x1x32xf32>, tensor<1x1x3xf32>) -> tensor<4x1x32xf32>
    return %0 : tensor<4x1x32xf32>
  }
}

// -----

// Padding across it is a select.

// CHECK-LABEL: llvm.func internal @across.body
// CHECK-NOT: scf.if
// CHECK-NOT: masked
// CHECK: %[[P:.*]] = arith.select %[[C:.*]], %{{.*}}, %{{.*}} : index
// CHECK: llvm.load {{.*}} -> f32
// CHECK: arith.select %[[C]], %{{.*}}, %{{.*}} : f32
// CHECK-LABEL: llvm.func @across
module @across {
  func.func @across(%x: tensor<4x9x1xf32>, %w: tensor<3x1x32xf32>)
      -> tensor<4x9x32xf32> {
    %0 = tandem.conv %x, %w
        layout = <input = "NWC", kernel = "WIO", output = "NWC">
        pad_low = [1] pad_high = [1]
        : (tensor<4x9x1xf32>, tensor<3x1x32xf32>) -> tensor<4x9x32xf32>
    return %0 : tensor<4x9x32xf32>
  }
}

// -----

// Steps of two are loaded in one piece and picked out.

// CHECK-LABEL: llvm.func internal @strided.body
// CHECK-NOT: gather
// CHECK: llvm.intr.masked.load {{.*}} vector<128xf32>
// CHECK: llvm.shufflevector
module @strided {
  func.func @strided(%x: tensor<3x64xf32>) -> tensor<3x32xf32> {
    %0 = tandem.slice %x starts = [0, 1] limits = [3, 64] strides = [1, 2]
        : (tensor<3x64xf32>) -> tensor<3x32xf32>
    return %0 : tensor<3x32xf32>
  }
}

// -----

// A long loop is cut into blocks that threads can share.

// CHECK: module @long attributes {tandem.dtype = "f32", tandem.extent = {{[0-9][0-9][0-9]}} : i64
// CHECK: arith.minsi
module @long {
  func.func @long(%x: tensor<1000001xf32>) -> tensor<1000001xf32> {
    %0 = tandem.neg %x : tensor<1000001xf32>
    return %0 : tensor<1000001xf32>
  }
}

// -----

// Truth values are bytes in memory; tensors of constants are in the object.

// CHECK: llvm.mlir.global private constant @bools.constant0(dense<[1, 0, 1]> : tensor<3xi8>)
// CHECK: llvm.intr.masked.load {{.*}} vector<16xi8>
// CHECK: arith.cmpi ne
module @bools {
  func.func @bools(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
    %p = tandem.constant dense<[true, false, true]> : tensor<3xi1>
    %0 = tandem.select %p, %x, %y
        : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

// What lies across the lanes is loaded in vectors along it, a tile of 16 x 16
// at a time, and transposed in four shuffles of all of them. The body is there
// once per row.

// CHECK: module @transposed attributes {tandem.dtype = "f32", tandem.extent = 16 : i64
// CHECK-LABEL: llvm.func internal @transposed.body
// CHECK-NOT: masked
// CHECK-COUNT-16: llvm.load {{.*}} -> vector<16xf32>
// CHECK-COUNT-64: llvm.shufflevector
// CHECK-COUNT-16: arith.negf {{.*}} vector<16xf32>
// CHECK-NOT: scf.for
// CHECK-NOT: {{masked|nontemporal}}
// CHECK-LABEL: llvm.func @transposed
// Vectors of 256 bits are shuffled within lanes of 128: of 8 columns, halves are
// loaded in pairs. The first four rows come out of eight shuffles, as do the
// last four.
// NARROW-LABEL: llvm.func internal @transposed.body
// NARROW-COUNT-2: llvm.load {{.*}} -> vector<4xf32>
// NARROW: llvm.shufflevector %{{.*}}, %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>
// NARROW-COUNT-14: llvm.load {{.*}} -> vector<4xf32>
// NARROW: llvm.shufflevector %{{.*}}, %{{.*}} [0, 8, 1, 9, 4, 12, 5, 13] : vector<8xf32>
// NARROW: llvm.shufflevector %{{.*}}, %{{.*}} [2, 10, 3, 11, 6, 14, 7, 15] : vector<8xf32>
// NARROW-COUNT-14: llvm.shufflevector {{.*}} : vector<8xf32>
// NARROW-NOT: llvm.shufflevector
// NARROW-COUNT-8: arith.negf {{.*}} vector<8xf32>
// NARROW-LABEL: llvm.func @transposed
// A description may say that results of 1 MiB are stored past the caches.
// EARLY-LABEL: module @transposed
// EARLY: llvm.store {{.*}} nontemporal} : vector<16xf32>
module @transposed {
  func.func @transposed(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
    %0 = tandem.transpose %x permutation = [1, 0]
        : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %1 = tandem.neg %0 : tensor<512x512xf32>
    return %1 : tensor<512x512xf32>
  }
}

// -----

// A longer body is there once, and reads the tile from scratch memory.

// CHECK-LABEL: llvm.func internal @long.body
// CHECK: llvm.alloca {{.*}} x f32 {alignment = 64 : i64}
// CHECK-COUNT-64: llvm.shufflevector
// CHECK-COUNT-16: llvm.store {{.*}} vector<16xf32>
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK: arith.negf {{.*}} vector<16xf32>
// CHECK-NOT: arith.negf
// CHECK-LABEL: llvm.func @long
module @long {
  func.func @long(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
    %0 = tandem.transpose %x permutation = [1, 0]
        : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %1 = tandem.neg %0 : tensor<512x512xf32>
    %2 = tandem.abs %1 : tensor<512x512xf32>
    %3 = tandem.floor %2 : tensor<512x512xf32>
    %4 = tandem.add %3, %1 : tensor<512x512xf32>
    return %4 : tensor<512x512xf32>
  }
}

// -----

// A tile that has all columns, and to which nothing is done, is a run of the
// result: pairs of inputs, as packed weights of bf16 have them.

// CHECK-LABEL: llvm.func internal @pairs.body
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<16xbf16>
// CHECK-COUNT-2: llvm.shufflevector
// CHECK-COUNT-2: llvm.store {{.*}} {alignment = 2 : i64} : vector<16xbf16>
// CHECK-NOT: llvm.store
// CHECK-LABEL: llvm.func @pairs
module @pairs {
  func.func @pairs(%x: tensor<64x64xbf16>) -> tensor<32x64x2xbf16> {
    %0 = tandem.reshape %x shape = [32, 2, 64]
        : (tensor<64x64xbf16>) -> tensor<32x2x64xbf16>
    %1 = tandem.transpose %0 permutation = [0, 2, 1]
        : (tensor<32x2x64xbf16>) -> tensor<32x64x2xbf16>
    return %1 : tensor<32x64x2xbf16>
  }
}

// -----

// Beyond the caches it is stored past them. Columns 16 KiB apart compete for
// the first-level cache: blocks are 512 columns long, and tiles go along them.

// CHECK: module @past attributes {tandem.dtype = "f32", tandem.extent = 1024 : i64
// CHECK-LABEL: llvm.func internal @past.body
// CHECK: scf.for {{.*}} step %c16
// CHECK: scf.for {{.*}} step %c16
// CHECK-COUNT-16: llvm.store {{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>
// CHECK: llvm.fence seq_cst
module @past {
  func.func @past(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %0 = tandem.transpose %x permutation = [1, 0]
        : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
}

// -----

// The few channels of a vector of positions are interleaved, and written as a
// run. The last positions take a tile that is masked.

// CHECK-LABEL: llvm.func internal @interleaved.body
// CHECK: scf.if
// CHECK-COUNT-3: llvm.load {{.*}} -> vector<16xf32>
// CHECK-COUNT-9: llvm.shufflevector {{.*}} vector<16xf32>
// CHECK-NOT: llvm.shufflevector
// CHECK-COUNT-3: llvm.store {{.*}} : vector<16xf32>
// CHECK: } else {
// CHECK: llvm.intr.masked.load
// CHECK-LABEL: llvm.func @interleaved
module @interleaved {
  func.func @interleaved(%x: tensor<2x3x9x9xf32>) -> tensor<2x9x9x3xf32> {
    %0 = tandem.transpose %x permutation = [0, 2, 3, 1]
        : (tensor<2x3x9x9xf32>) -> tensor<2x9x9x3xf32>
    return %0 : tensor<2x9x9x3xf32>
  }
}

// -----

// If something is computed, tiles at the edges are masked; few channels make
// narrow tiles.

// CHECK-LABEL: llvm.func internal @edges.body
// CHECK-NOT: scf.if
// CHECK-COUNT-4: llvm.intr.masked.load {{.*}} -> vector<16xf32>
// CHECK-COUNT-8: llvm.shufflevector {{.*}} vector<16xf32>
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK: llvm.intr.masked.store {{.*}} : vector<4xf32>
// CHECK-LABEL: llvm.func @edges
module @edges {
  func.func @edges(%x: tensor<2x3x9x9xf32>) -> tensor<2x9x9x3xf32> {
    %0 = tandem.transpose %x permutation = [0, 2, 3, 1]
        : (tensor<2x3x9x9xf32>) -> tensor<2x9x9x3xf32>
    %1 = tandem.abs %0 : tensor<2x9x9x3xf32>
    return %1 : tensor<2x9x9x3xf32>
  }
}

// -----

// Few rows are not worth a tile: they are gathered.

// CHECK-LABEL: llvm.func internal @gathered.body
// CHECK: llvm.intr.masked.gather
// CHECK-LABEL: llvm.func @gathered
module @gathered {
  func.func @gathered(%x: tensor<64x6x3xf32>) -> tensor<3x6x64xf32> {
    %0 = tandem.transpose %x permutation = [2, 1, 0]
        : (tensor<64x6x3xf32>) -> tensor<3x6x64xf32>
    return %0 : tensor<3x6x64xf32>
  }
}

// -----

// Results beyond the caches are stored past them, but for the remainder.

// CHECK-LABEL: llvm.func internal @streamed.body
// CHECK: llvm.store {{.*}} {alignment = 64 : i64, nontemporal} : vector<64xf32>
// CHECK: llvm.intr.masked.store
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: llvm.return
module @streamed {
  func.func @streamed(%x: tensor<12582913xf32>) -> tensor<12582913xf32> {
    %0 = tandem.neg %x : tensor<12582913xf32>
    return %0 : tensor<12582913xf32>
  }
}

// -----

// A remainder takes some ns: 2,560 of them are worth a task.

// CHECK: module @remainder attributes {tandem.dtype = "f32", tandem.extent = 205 : i64, tandem.form = "loop", tandem.grain = 8 : i64
module @remainder {
  func.func @remainder(%x: tensor<65536xf32>, %y: tensor<65536xf32>) -> tensor<65536xf32> {
    %0 = tandem.rem %x, %y : tensor<65536xf32>
    return %0 : tensor<65536xf32>
  }
}

// -----

// What the caches hold with all that is read is not: they were measured with
// three times as much.

// CHECK-LABEL: llvm.func internal @held.body
// CHECK-NOT: nontemporal
// CHECK-LABEL: llvm.func @held(
module @held {
  func.func @held(%x: tensor<8388608xi8>) -> tensor<8388608xf32> {
    %0 = tandem.cast %x : (tensor<8388608xi8>) -> tensor<8388608xf32>
    return %0 : tensor<8388608xf32>
  }
}

// -----

// Rows that begin at places that are not aligned are not.

// CHECK-LABEL: llvm.func internal @unaligned_rows.body
// CHECK-NOT: nontemporal
// CHECK-LABEL: llvm.func @unaligned_rows(
module @unaligned_rows {
  func.func @unaligned_rows(%x: tensor<4096x2049xf32>, %y: tensor<2049xf32>)
      -> tensor<4096x2049xf32> {
    %0 = tandem.add %x, %y
        : (tensor<4096x2049xf32>, tensor<2049xf32>) -> tensor<4096x2049xf32>
    return %0 : tensor<4096x2049xf32>
  }
}

// -----

// Memory holds bf16 as integers, which all targets load under a mask.

// CHECK-LABEL: llvm.func internal @half.body
// CHECK: llvm.load {{.*}} -> vector<64xi16>
// CHECK: arith.extf {{.*}} vector<64xbf16> to vector<64xf32>
// CHECK: llvm.store {{.*}} : vector<64xi16>
// CHECK: llvm.intr.masked.load {{.*}} vector<16xi16>
// CHECK: llvm.intr.masked.store {{.*}} vector<16xi16>
module @half {
  func.func @half(%x: tensor<100xbf16>) -> tensor<100xbf16> {
    %0 = tandem.neg %x : tensor<100xbf16>
    return %0 : tensor<100xbf16>
  }
}

// -----

// A row is cut where it goes on in another operand: neither part has a branch.

// CHECK-LABEL: llvm.func internal @concat_columns.body
// CHECK-NOT: scf.if
// CHECK-NOT: llvm.intr.masked
// CHECK: llvm.getelementptr inbounds %arg0
// CHECK: llvm.getelementptr inbounds %arg1
// CHECK: llvm.store
// CHECK-NOT: scf.if
// CHECK-NOT: llvm.intr.masked
// CHECK: llvm.return
module @concat_columns {
  func.func @concat_columns(%x: tensor<8x64xf32>, %y: tensor<8x128xf32>) -> tensor<8x192xf32> {
    %0 = tandem.concat %x, %y axis = 1 : (tensor<8x64xf32>, tensor<8x128xf32>) -> tensor<8x192xf32>
    return %0 : tensor<8x192xf32>
  }
}

// -----

// Whole rows are of one operand or the other: that is decided once for each.

// CHECK-LABEL: llvm.func internal @concat_rows.body
// CHECK: scf.if
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK: } else {
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: llvm.return
module @concat_rows {
  func.func @concat_rows(%x: tensor<8x128xf32>, %y: tensor<9x128xf32>) -> tensor<17x128xf32> {
    %0 = tandem.concat %x, %y axis = 0 : (tensor<8x128xf32>, tensor<9x128xf32>) -> tensor<17x128xf32>
    return %0 : tensor<17x128xf32>
  }
}

// -----

// Rows of three: a vector takes sixteen, which fill three registers. Each
// element of the column goes to the three lanes of its row. LLVM must not know
// the mask of the store (HiddenValues.h).

// CHECK-LABEL: llvm.func internal @short_rows.body
// CHECK: %[[ROWS:.*]] = arith.constant 16 : index
// CHECK: scf.for {{.*}} step %[[ROWS]]
// CHECK: %[[MASK:[a-z0-9_]+]] = arith.constant dense<{{.*}}> : vector<64xi1>
// CHECK: llvm.intr.masked.load %{{.*}}, %[[MASK]], {{.*}} vector<64xf32>
// CHECK: %[[COLUMN:.*]] = llvm.intr.masked.load {{.*}} vector<16xf32>
// CHECK: llvm.shufflevector %[[COLUMN]], %{{.*}} [0, 0, 0, 1, 1, 1, 2, {{.*}} 15, 15, 15, 16, {{.*}}] : vector<16xf32>
// CHECK: arith.subf {{.*}} vector<64xf32>
// CHECK: %[[NUMBER:.*]] = llvm.bitcast %[[MASK]] : vector<64xi1> to i64
// CHECK: %[[OPAQUE:.*]] = llvm.inline_asm {{.*}} %[[NUMBER]]
// CHECK: %[[HIDDEN:.*]] = llvm.bitcast %[[OPAQUE]] : i64 to vector<64xi1>
// CHECK: llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[HIDDEN]] {{.*}} vector<64xf32>
module @short_rows {
  func.func @short_rows(%x: tensor<1024x3xf32>, %y: tensor<1024x1xf32>) -> tensor<1024x3xf32> {
    %0 = tandem.sub %x, %y : (tensor<1024x3xf32>, tensor<1024x1xf32>) -> tensor<1024x3xf32>
    return %0 : tensor<1024x3xf32>
  }
}

// -----

// What a pad does inside short rows is a constant mask: no branch is left.

// CHECK-LABEL: llvm.func internal @short_pad.body
// CHECK-NOT: scf.if
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: llvm.shufflevector
// CHECK: arith.select {{.*}} vector<64xi1>, vector<64xf32>
// CHECK-NOT: scf.if
// CHECK: llvm.return
module @short_pad {
  func.func @short_pad(%x: tensor<1024x5xf32>) -> tensor<1024x8xf32> {
    %0 = tandem.pad %x low = [0, 1] high = [0, 2] interior = [0, 0] value = 0.5 : (tensor<1024x5xf32>) -> tensor<1024x8xf32>
    return %0 : tensor<1024x8xf32>
  }
}

// -----

// Long rows that are only moved are left to memcpy, halves too, though bodies
// widen and narrow them; what is computed is not.

// CHECK-LABEL: llvm.func internal @long_rows.body
// CHECK-NOT: vector<
// CHECK: "llvm.intr.memcpy"
// CHECK-NOT: vector<
// CHECK: "llvm.intr.memcpy"
// CHECK-NOT: vector<
// CHECK: llvm.return
module @long_rows {
  func.func @long_rows(%x: tensor<8x1024xbf16>, %y: tensor<9x1024xbf16>) -> tensor<17x1024xbf16> {
    %0 = tandem.concat %x, %y axis = 0 : (tensor<8x1024xbf16>, tensor<9x1024xbf16>) -> tensor<17x1024xbf16>
    return %0 : tensor<17x1024xbf16>
  }
}

// -----

// So are short rows, if many are one run of memory.

// NARROW-LABEL: llvm.func internal @run_of_rows.body
// NARROW-NOT: vector<
// NARROW: "llvm.intr.memcpy"
// NARROW-NOT: vector<
// NARROW: "llvm.intr.memcpy"
// NARROW-NOT: vector<
// NARROW: llvm.return
module @run_of_rows {
  func.func @run_of_rows(%x: tensor<512x8xbf16>, %y: tensor<256x8xbf16>) -> tensor<768x8xbf16> {
    %0 = tandem.concat %x, %y axis = 0 : (tensor<512x8xbf16>, tensor<256x8xbf16>) -> tensor<768x8xbf16>
    return %0 : tensor<768x8xbf16>
  }
}

// -----

// Too few are not, nor are rows that are no run of the result.

// NARROW-LABEL: llvm.func internal @few_rows.body
// NARROW-NOT: llvm.intr.memcpy
// NARROW: llvm.return
module @few_rows {
  func.func @few_rows(%x: tensor<512x8xf32>, %y: tensor<8x8xf32>) -> tensor<520x8xf32> {
    %0 = tandem.concat %x, %y axis = 0 : (tensor<512x8xf32>, tensor<8x8xf32>) -> tensor<520x8xf32>
    return %0 : tensor<520x8xf32>
  }
}

// -----

// CHECK-LABEL: llvm.func internal @gathered_rows.body
// CHECK-NOT: vector<
// CHECK: "llvm.intr.memcpy"
// CHECK-NOT: vector<
// CHECK: llvm.return
module @gathered_rows {
  func.func @gathered_rows(%x: tensor<80x1024xf32>, %at: tensor<9xi64>) -> tensor<9x1024xf32> {
    %0 = tandem.gather %x, %at axis = 0 : (tensor<80x1024xf32>, tensor<9xi64>) -> tensor<9x1024xf32>
    return %0 : tensor<9x1024xf32>
  }
}

// -----

// CHECK-LABEL: llvm.func internal @rounded_rows.body
// CHECK-NOT: llvm.intr.memcpy
// CHECK: llvm.return
module @rounded_rows {
  func.func @rounded_rows(%x: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
    %0 = tandem.cast %x : (tensor<8x1024xf32>) -> tensor<8x1024xbf16>
    %1 = tandem.cast %0 : (tensor<8x1024xbf16>) -> tensor<8x1024xf32>
    return %1 : tensor<8x1024xf32>
  }
}

// -----

// Integers of 64 bits are divided in vectors where these have an inverse to do
// it with (tandem-expand-math), and else one by one.

// NARROW-LABEL: llvm.func internal @quotients.body
// NARROW: arith.divsi {{.*}} : i64
// CHECK-LABEL: llvm.func internal @quotients.body
// CHECK: arith.divsi {{.*}} : vector<{{[0-9]+}}xi64>
// CHECK: llvm.return
module @quotients {
  func.func @quotients(%x: tensor<100xi64>, %y: tensor<100xi64>) -> tensor<100xi64> {
    %0 = tandem.div %x, %y : tensor<100xi64>
    return %0 : tensor<100xi64>
  }
}

// -----

// Every second element of a row, and its remainder: one load and a shuffle, at
// the image's beginning where a row of the window is not inside.

// CHECK-LABEL: llvm.func internal @windows.body
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: arith.select %{{.*}}, %{{.*}} : index
// CHECK: llvm.shufflevector %{{.*}} [0, 2, 4, 6, {{.*}}] : vector<{{[0-9]+}}xi16>
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: llvm.return
module @windows {
  func.func @windows(%x: tensor<1x4x112x112xbf16>) -> tensor<1x4x56x56xbf16> {
    %0 = tandem.avg_pool %x layout = "NCHW" window = [3, 3] strides = [2, 2] pad_low = [1, 1] pad_high = [0, 0]
        : (tensor<1x4x112x112xbf16>) -> tensor<1x4x56x56xbf16>
    return %0 : tensor<1x4x56x56xbf16>
  }
}

// -----

// What all elements of a row share is loaded ahead of its loop, which LLVM may
// not do: the loop may be empty.

// CHECK-LABEL: llvm.func internal @column.body
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> f16
// CHECK: scf.for
// CHECK-NOT: -> f16
// CHECK: llvm.load {{.*}} -> vector<64xf16>
// CHECK-NOT: -> f16
// CHECK: llvm.store {{.*}} : vector<64xf16>
module @column {
  func.func @column(%x: tensor<8x4096xf16>, %y: tensor<8x1xf16>) -> tensor<8x4096xf16> {
    %0 = tandem.div %x, %y : (tensor<8x4096xf16>, tensor<8x1xf16>) -> tensor<8x4096xf16>
    return %0 : tensor<8x4096xf16>
  }
}

// -----

// Nine weights would take too many registers.

// CHECK-LABEL: llvm.func internal @weights.body
// CHECK: scf.for
// CHECK-NOT: -> f32
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> f32
module @weights {
  func.func @weights(%x: tensor<1x1x66x258xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<1x1x64x256xf32> {
    %0 = tandem.conv %x, %w layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
        : (tensor<1x1x66x258xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x64x256xf32>
    return %0 : tensor<1x1x64x256xf32>
  }
}
