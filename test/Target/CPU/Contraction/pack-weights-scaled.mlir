// RUN: tandem-opt %s --tandem-cpu-pack-weights=always-scales | FileCheck %s
// RUN: tandem-opt %s --tandem-cpu-pack-weights | FileCheck %s --check-prefix=COST

// Integers and scales are packed in the same blocks of outputs, with one input
// after the other. A vector holds all three outputs and a zero.

// CHECK-LABEL: func.func @factors
// CHECK-DAG: %[[S:.*]] = tandem.constant dense<{{\[\[\[}}1.000000e+00, 3.000000e+00, 5.000000e+00, 0.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00, 0.000000e+00]]]> : tensor<1x2x4xf32>
// CHECK-DAG: %[[Q:.*]] = tandem.constant dense<{{\[\[\[}}-8, -1, 4, 0], [7, 1, 5, 0], [0, 2, 6, 0]]]> : tensor<1x3x4xi8>
// CHECK-NOT: tandem.constant
// CHECK: tandem.fusion contraction (%[[X:.*]] = %arg0, %[[QB:.*]] = %[[Q]], %[[SB:.*]] = %[[S]])
// CHECK: %[[WEIGHTS:.*]] = tandem_cpu.scale_weights %{{.*}}, %{{.*}} block = 2 : (tensor<3x3xi8>, tensor<2x3xf32>) -> tensor<3x3xf32>
// CHECK: tandem.matmul %[[X]], %[[WEIGHTS]] : (tensor<1x3xf32>, tensor<3x3xf32>) -> tensor<1x3xf32>

// So few weights stay in the first-level cache, and are not converted again and
// again.
// COST-LABEL: func.func @factors
// COST-NOT: tandem_cpu.scale_weights
func.func @factors(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %w = tandem.constant {tandem.factors = {inputs = 2 : i64,
      scales = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>,
      values = dense<[[-8, 7, 0], [-1, 1, 2], [4, 5, 6]]> : tensor<3x3xi8>}}
      dense<[[-8.0, 7.0, 0.0], [-3.0, 3.0, 8.0], [20.0, 25.0, 36.0]]>
      : tensor<3x3xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x3xf32>, tensor<3x3xf32>) -> tensor<1x3xf32> {
    %1 = tandem.matmul %a, %b transpose_rhs
        : (tensor<1x3xf32>, tensor<3x3xf32>) -> tensor<1x3xf32>
    tandem.yield %1 : tensor<1x3xf32>
  }
  return %0 : tensor<1x3xf32>
}

// The weights of one row come from memory, where integers are a quarter.
// COST-LABEL: func.func @one_row
// COST: tandem_cpu.unpack_integers {{.*}} : (tensor<[[BLOCKS:[0-9]+]]x4096x{{[0-9]+}}xi8>) -> tensor<[[BLOCKS]]x4096x{{[0-9]+}}xi8>
// COST: tandem_cpu.scale_weights
func.func @one_row(%x: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
  %w = tandem.constant {tandem.factors = {inputs = 32 : i64,
      scales = dense<0.5> : tensor<128x4096xf32>,
      values = dense<4> : tensor<4096x4096xi8>}}
      dense<2.0> : tensor<4096x4096xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
    %1 = tandem.matmul %a, %b
        : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
    tandem.yield %1 : tensor<1x4096xf32>
  }
  return %0 : tensor<1x4096xf32>
}

// An integer is not from -8 to 7, so each takes a byte.
// COST-LABEL: func.func @wide
// COST-NOT: tandem_cpu.unpack_integers
// COST: tandem_cpu.scale_weights
func.func @wide(%x: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
  %w = tandem.constant {tandem.factors = {inputs = 32 : i64,
      scales = dense<0.5> : tensor<128x4096xf32>,
      values = dense<8> : tensor<4096x4096xi8>}}
      dense<4.0> : tensor<4096x4096xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
    %1 = tandem.matmul %a, %b
        : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
    tandem.yield %1 : tensor<1x4096xf32>
  }
  return %0 : tensor<1x4096xf32>
}

// Each of many tiles of rows would convert all weights again.
// COST-LABEL: func.func @many_rows
// COST-NOT: tandem_cpu.scale_weights
func.func @many_rows(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %w = tandem.constant {tandem.factors = {inputs = 32 : i64,
      scales = dense<0.5> : tensor<128x4096xf32>,
      values = dense<4> : tensor<4096x4096xi8>}}
      dense<2.0> : tensor<4096x4096xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<64x4096xf32>, tensor<4096x4096xf32>) -> tensor<64x4096xf32> {
    %1 = tandem.matmul %a, %b
        : (tensor<64x4096xf32>, tensor<4096x4096xf32>) -> tensor<64x4096xf32>
    tandem.yield %1 : tensor<64x4096xf32>
  }
  return %0 : tensor<64x4096xf32>
}

// These weights stay in the last-level cache between calls.
// COST-LABEL: func.func @cached
// COST-NOT: tandem_cpu.scale_weights
func.func @cached(%x: tensor<4x1024xf32>) -> tensor<4x1024xf32> {
  %w = tandem.constant {tandem.factors = {inputs = 32 : i64,
      scales = dense<0.5> : tensor<32x1024xf32>,
      values = dense<4> : tensor<1024x1024xi8>}}
      dense<2.0> : tensor<1024x1024xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<4x1024xf32>, tensor<1024x1024xf32>) -> tensor<4x1024xf32> {
    %1 = tandem.matmul %a, %b
        : (tensor<4x1024xf32>, tensor<1024x1024xf32>) -> tensor<4x1024xf32>
    tandem.yield %1 : tensor<4x1024xf32>
  }
  return %0 : tensor<4x1024xf32>
}

// They do not if the program has many other weights.
// COST-LABEL: func.func @among_others
// COST: tandem_cpu.scale_weights
func.func @among_others(%x: tensor<4x1024xf32>) -> tensor<4x65536xf32> {
  %w = tandem.constant {tandem.factors = {inputs = 32 : i64,
      scales = dense<0.5> : tensor<32x1024xf32>,
      values = dense<4> : tensor<1024x1024xi8>}}
      dense<2.0> : tensor<1024x1024xf32>
  %others = tandem.constant dense<2.0> : tensor<1024x65536xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<4x1024xf32>, tensor<1024x1024xf32>) -> tensor<4x1024xf32> {
    %1 = tandem.matmul %a, %b
        : (tensor<4x1024xf32>, tensor<1024x1024xf32>) -> tensor<4x1024xf32>
    tandem.yield %1 : tensor<4x1024xf32>
  }
  %2 = tandem.fusion contraction (%a = %0, %b = %others)
      : (tensor<4x1024xf32>, tensor<1024x65536xf32>) -> tensor<4x65536xf32> {
    %3 = tandem.matmul %a, %b
        : (tensor<4x1024xf32>, tensor<1024x65536xf32>) -> tensor<4x65536xf32>
    tandem.yield %3 : tensor<4x65536xf32>
  }
  return %2 : tensor<4x65536xf32>
}

// Outputs of the first 4 vectors are in the lower bits, and those of the other
// 4 in the upper bits. What is behind the 18 outputs is zero.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[Q:.*]] = tandem.constant dense<{{.*}}> : tensor<1x2x{{[0-9]+}}xi8>
// CHECK: %[[U:.*]] = tandem_cpu.unpack_integers %{{.*}}
// CHECK: tandem_cpu.scale_weights %{{.*}}, %{{.*}} block = 2 : (tensor<2x18xi8>, tensor<1x18xf32>) -> tensor<2x18xf32>
func.func @pairs(%x: tensor<1x2xf32>) -> tensor<1x18xf32> {
  %w = tandem.constant {tandem.factors = {inputs = 2 : i64,
      scales = dense<1.0> : tensor<1x18xf32>,
      values = dense<[[0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1, 3, 5],
                      [7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -8, -1]]>
          : tensor<2x18xi8>}}
      dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, -8.0, -7.0, -6.0, -5.0, -4.0, -3.0, -2.0, -1.0, 3.0, 5.0],
             [7.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -8.0, -1.0]]>
      : tensor<2x18xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x2xf32>, tensor<2x18xf32>) -> tensor<1x18xf32> {
    %1 = tandem.matmul %a, %b : (tensor<1x2xf32>, tensor<2x18xf32>) -> tensor<1x18xf32>
    tandem.yield %1 : tensor<1x18xf32>
  }
  return %0 : tensor<1x18xf32>
}
