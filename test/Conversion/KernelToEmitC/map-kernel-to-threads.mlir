// RUN: tandem-opt %s --map-kernel-to-threads --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// A space that no vector divides: one element a thread.

// CHECK-LABEL: func @scalar
// CHECK-SAME: (%[[IN:.*]]: memref<1027xf32>, %[[OUT:.*]]: memref<1027xf32>)
// CHECK-SAME: blocks = 5 : i64, threads = 256 : i64
// CHECK: %[[B:.*]] = gpu.block_id
// CHECK: %[[T:.*]] = gpu.thread_id
// CHECK: %[[D:.*]] = arith.constant 256
// CHECK: %[[S:.*]] = arith.muli %[[B]], %[[D]] overflow<nsw>
// CHECK: %[[I:.*]] = arith.addi %[[S]], %[[T]] overflow<nsw>
// CHECK: %[[N:.*]] = arith.constant 1027 : index
// CHECK: %[[IF:.*]] = arith.cmpi slt, %[[I]], %[[N]]
// CHECK: scf.if %[[IF]] {
// CHECK: %[[X:.*]] = memref.load %[[IN]][%[[I]]]
// CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]]
// CHECK: memref.store %[[Y]], %[[OUT]][%[[I]]]
func.func @scalar(%x: tensor<1027xf32>) -> tensor<1027xf32> {
  %e = tensor.empty() : tensor<1027xf32>
  %r = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<1027xf32>) outs(%e : tensor<1027xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<1027xf32>
  return %r : tensor<1027xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// Four elements of a row a thread, each operand a vector; the grid is exact.

// CHECK-LABEL: func @vector
// CHECK-SAME: blocks = 4 : i64
// CHECK-NOT: scf.if
// CHECK: %[[R:.*]] = arith.remsi %{{.*}}, %c64
// CHECK: %[[V:.*]] = vector.load %{{.*}} : memref<4096xf32>, vector<4xf32>
// CHECK: %[[B:.*]] = vector.load %{{.*}}[%[[R]]] : memref<64xf32>, vector<4xf32>
// CHECK: %[[L:.*]] = memref.alloca() : memref<4xf32, #gpu.address_space<private>>
// CHECK: scf.for %[[LANE:.*]] =
// CHECK: vector.extract %[[V]][%[[LANE]]]
// CHECK: vector.extract %[[B]][%[[LANE]]]
// CHECK: memref.store %{{.*}}, %[[L]][%[[LANE]]]
// CHECK: vector.store {{.*}} : memref<4096xf32>, vector<4xf32>
func.func @vector(%x: tensor<64x64xf32>, %b: tensor<64xf32>)
    -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [#map, #row, #map],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<64x64xf32>, tensor<64xf32>)
      outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.addf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

#id3 = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_map<(d0, d1) -> (d0, 0)>

// What is read of the same tensor elsewhere does not come from the vector; what
// is the same for all elements of a thread is read once.

// CHECK-LABEL: func @two_places
// CHECK: %[[V:.*]] = vector.load
// CHECK: memref.load %{{.*}} : memref<4096xf32>
// CHECK: scf.for %[[LANE:.*]] =
// CHECK: vector.extract %[[V]][%[[LANE]]]
// CHECK-NOT: vector.extract
// CHECK: memref.store
func.func @two_places(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [#id3, #first, #id3],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.subf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

#id2 = affine_map<(d0, d1) -> (d0, d1)>

// An index that may be negative is divided rounding down, one that may not be
// is divided plainly.

// CHECK-LABEL: func @padded
// CHECK: arith.remsi %{{.*}}, %c6
// CHECK: arith.floordivsi
// CHECK: scf.if
// CHECK: memref.load
func.func @padded(%x: tensor<6xf32>) -> tensor<3x6xf32> {
  %e = tensor.empty() : tensor<3x6xf32>
  %r = linalg.generic {indexing_maps = [#id2],
                       iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<3x6xf32>) {
  ^bb0(%o: f32):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %j = linalg.index 1 : index
    %k = affine.apply affine_map<(d0) -> ((d0 - 3) floordiv 2)>(%j)
    %in = arith.cmpi sge, %k, %c0 : index
    %v = scf.if %in -> f32 {
      %l = tensor.extract %x[%k] : tensor<6xf32>
      scf.yield %l : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %v : f32
  } -> tensor<3x6xf32>
  return %r : tensor<3x6xf32>
}

// -----

// CHECK-LABEL: func @rank_zero
// CHECK-SAME: (%{{.*}}: memref<1xf32>, %{{.*}}: memref<1xf32>)
// CHECK-SAME: blocks = 1
func.func @rank_zero(%x: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>,
                                        affine_map<() -> ()>],
                       iterator_types = []}
      ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Nothing to compute: no blocks, and no code that would.

// CHECK-LABEL: func @empty
// CHECK-SAME: blocks = 0
// CHECK-NOT: memref.store
func.func @empty(%x: tensor<0xf32>) -> tensor<0xf32> {
  %e = tensor.empty() : tensor<0xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>,
                                        affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<0xf32>) outs(%e : tensor<0xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<0xf32>
  return %r : tensor<0xf32>
}

// -----

#id1 = affine_map<(d0) -> (d0)>

// Sixteen bytes an access, whatever the type. What would have little in flight
// takes several vectors, and loads them all before the first is used.

// CHECK-LABEL: func @halves
// CHECK-SAME: blocks = 2048 : i64
// CHECK: %[[A:.*]] = memref.alloca() : memref<2xvector<8xf16>, #gpu.address_space<private>>
// CHECK: scf.for %[[STEP:.*]] =
// CHECK: %[[V:.*]] = vector.load {{.*}} vector<8xf16>
// CHECK: memref.store %[[V]], %[[A]][%[[STEP]]]
// CHECK: scf.for %[[STEP:.*]] =
// CHECK: memref.load %[[A]][%[[STEP]]]
// CHECK: vector.store {{.*}} vector<8xf16>
func.func @halves(%x: tensor<8388608xf16>) -> tensor<8388608xf16> {
  %e = tensor.empty() : tensor<8388608xf16>
  %r = linalg.generic {indexing_maps = [#id1, #id1],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<8388608xf16>) outs(%e : tensor<8388608xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<8388608xf16>
  return %r : tensor<8388608xf16>
}

// -----

#id1 = affine_map<(d0) -> (d0)>

// The narrowest type decides how many elements; f64 takes several accesses.

// CHECK-LABEL: func @mixed
// CHECK: vector.load {{.*}} vector<4xf64>
// CHECK: vector.store {{.*}} vector<4xf32>
func.func @mixed(%x: tensor<8192xf64>) -> tensor<8192xf32> {
  %e = tensor.empty() : tensor<8192xf32>
  %r = linalg.generic {indexing_maps = [#id1, #id1],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<8192xf64>) outs(%e : tensor<8192xf32>) {
  ^bb0(%a: f64, %o: f32):
    %t = arith.truncf %a : f64 to f32
    linalg.yield %t : f32
  } -> tensor<8192xf32>
  return %r : tensor<8192xf32>
}
