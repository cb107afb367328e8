// RUN: tandem-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(convert-tandem-to-linalg))' \
// RUN:   | FileCheck %s

// Taps are unrolled; input and kernel are read through shifted maps.

// CHECK-DAG: #[[X1:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 + 1)>
// CHECK-DAG: #[[W1:.*]] = affine_map<(d0, d1, d2) -> (1, d2)>
// CHECK-LABEL: func @conv1d
// CHECK: linalg.generic {indexing_maps = [{{.*}}#[[X1]], #[[W1]]
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel"]
// CHECK-COUNT-3: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: arith.maximumf
// CHECK: linalg.yield
func.func @conv1d(%x: tensor<10x100x1xf32>, %w: tensor<3x1x32xf32>)
    -> tensor<10x98x32xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<10x100x1xf32>, tensor<3x1x32xf32>) -> tensor<10x98x32xf32>
  %1 = tandem.relu %0 : tensor<10x98x32xf32>
  return %1 : tensor<10x98x32xf32>
}

// -----

// Only the outer taps of a padded dim can be outside, each on one side.

// CHECK-LABEL: func @padded
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi slt
// CHECK-NOT: arith.cmpi
// CHECK: return
func.func @padded(%x: tensor<1x8x1xf32>, %w: tensor<3x1x4xf32>,
                  %b: tensor<4xf32>) -> tensor<1x8x4xf32> {
  %0 = tandem.conv %x, %w, %b
      layout = <input = "NWC", kernel = "WIO", output = "NWC">
      pad_low = [1] pad_high = [1]
      : (tensor<1x8x1xf32>, tensor<3x1x4xf32>, tensor<4xf32>)
      -> tensor<1x8x4xf32>
  return %0 : tensor<1x8x4xf32>
}

// -----

// A depthwise convolution reads the channel it writes.

// CHECK-DAG: #[[X1:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2 * 2 + 3)>
// CHECK-DAG: #[[W1:.*]] = affine_map<(d0, d1, d2) -> (d1, 1)>
// CHECK-LABEL: func @depthwise
// CHECK: linalg.generic {indexing_maps = [{{.*}}#[[X1]], #[[W1]]
func.func @depthwise(%x: tensor<2x8x15xf32>, %w: tensor<8x1x2xf32>)
    -> tensor<2x8x6xf32> {
  %0 = tandem.conv %x, %w
      layout = <input = "NCW", kernel = "OIW", output = "NCW">
      strides = [2] dilations = [3] groups = 8
      : (tensor<2x8x15xf32>, tensor<8x1x2xf32>) -> tensor<2x8x6xf32>
  return %0 : tensor<2x8x6xf32>
}

// -----

// A producer is computed where it is read.

// CHECK-LABEL: func @producer
// CHECK: linalg.generic
// CHECK-COUNT-2: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @producer(%x: tensor<4x9xf32>) -> tensor<4x8xf32> {
  %0 = tandem.exp %x : tensor<4x9xf32>
  %3 = tandem.slice %0 starts = [0, 0] limits = [4, 8] strides = [1, 1]
      : (tensor<4x9xf32>) -> tensor<4x8xf32>
  %4 = tandem.slice %0 starts = [0, 1] limits = [4, 9] strides = [1, 1]
      : (tensor<4x9xf32>) -> tensor<4x8xf32>
  %5 = tandem.add %3, %4 : tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func @max_pool
// CHECK-COUNT-4: arith.maximumf
// CHECK-NOT: arith.maximumf
func.func @max_pool(%x: tensor<2x4x4x8xf32>) -> tensor<2x2x2x8xf32> {
  %0 = tandem.max_pool %x layout = "NHWC" window = [2, 2] strides = [2, 2]
      : (tensor<2x4x4x8xf32>) -> tensor<2x2x2x8xf32>
  return %0 : tensor<2x2x2x8xf32>
}

// -----

// The divisor counts the taps that are not padding: one surely, two perhaps.

// CHECK-LABEL: func @avg_pool
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: arith.constant 1.000000e+00 : f32
// CHECK: arith.divf
func.func @avg_pool(%x: tensor<1x2x8xf32>) -> tensor<1x2x8xf32> {
  %0 = tandem.avg_pool %x layout = "NCW" window = [3] pad_low = [1]
      pad_high = [1] : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return %0 : tensor<1x2x8xf32>
}

// -----

// CHECK-LABEL: func @reduce
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: arith.addf %[[ZERO]], %
// CHECK-COUNT-3: arith.addf
// CHECK-NOT: arith.addf
// CHECK: arith.divf
func.func @reduce(%x: tensor<6x4xf32>) -> tensor<6x1xf32> {
  %0 = tandem.reduce %x kind = mean dims = [1] keep_dims
      : (tensor<6x4xf32>) -> tensor<6x1xf32>
  return %0 : tensor<6x1xf32>
}

// -----

// CHECK-LABEL: func @matmul
// CHECK-COUNT-2: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @matmul(%a: tensor<3x2xf32>, %b: tensor<5x2xf32>) -> tensor<3x5xf32> {
  %0 = tandem.matmul %a, %b transpose_rhs
      : (tensor<3x2xf32>, tensor<5x2xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// The factor of a batch normalization is apart from the input.

// CHECK-LABEL: func @batch_norm
// CHECK: math.sqrt
// CHECK: arith.divf
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @batch_norm(%x: tensor<2x8x4xf32>, %p: tensor<8xf32>)
    -> tensor<2x8x4xf32> {
  %0 = tandem.batch_norm %x, %p, %p, %p, %p epsilon = 1.0e-5 axis = 1
      : (tensor<2x8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
         tensor<8xf32>) -> tensor<2x8x4xf32>
  return %0 : tensor<2x8x4xf32>
}
