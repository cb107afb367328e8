// RUN: tandem-opt %s --tandem-cpu-pack-weights=block=4 --split-input-file \
// RUN:   | FileCheck %s

// Constants are packed here: output channels 0 to 3, then 4 and 5 and zeros.
// Element o, i of the 1x1 kernel is 10 * o + i.

// CHECK-LABEL: func.func @constant
// CHECK{LITERAL}: dense<[[[[[0.000000e+00, 1.000000e+01, 2.000000e+01, 3.000000e+01],
// CHECK-SAME{LITERAL}:      [1.000000e+00, 1.100000e+01, 2.100000e+01, 3.100000e+01]]]],
// CHECK-SAME{LITERAL}:    [[[[4.000000e+01, 5.000000e+01, 0.000000e+00, 0.000000e+00],
// CHECK-SAME{LITERAL}:      [4.100000e+01, 5.100000e+01, 0.000000e+00, 0.000000e+00]]]]]> : tensor<2x1x1x2x4xf32>
// CHECK-NOT: tandem.constant
// CHECK: tandem.fusion contraction (%[[X:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) : (tensor<1x4x4x2xf32>, tensor<2x1x1x2x4xf32>)
// CHECK: %[[T:.*]] = tandem.transpose %[[P]] permutation = [1, 2, 3, 0, 4] : (tensor<2x1x1x2x4xf32>) -> tensor<1x1x2x2x4xf32>
// CHECK: %[[R:.*]] = tandem.reshape %[[T]] shape = [1, 1, 2, 8]
// CHECK: %[[S:.*]] = tandem.slice %[[R]] starts = [0, 0, 0, 0] limits = [1, 1, 2, 6] strides = [1, 1, 1, 1]
// CHECK: tandem.conv %[[X]], %[[S]] layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
func.func @constant(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x6xf32> {
  %w = tandem.constant dense<[[[[0.0]], [[1.0]]], [[[10.0]], [[11.0]]],
                              [[[20.0]], [[21.0]]], [[[30.0]], [[31.0]]],
                              [[[40.0]], [[41.0]]], [[[50.0]], [[51.0]]]]>
      : tensor<6x2x1x1xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x4x4x2xf32>, tensor<6x2x1x1xf32>) -> tensor<1x4x4x6xf32> {
    %1 = tandem.conv %a, %b
        layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
        : (tensor<1x4x4x2xf32>, tensor<6x2x1x1xf32>) -> tensor<1x4x4x6xf32>
    tandem.yield %1 : tensor<1x4x4x6xf32>
  }
  return %0 : tensor<1x4x4x6xf32>
}

// -----

// What is known at run time is packed by kernels, once for both readers: first
// come zeros, as columns do not lie side by side. What the fusions read besides
// stays.

// CHECK-LABEL: func.func @argument
// CHECK-NEXT: %[[Z:.*]] = tandem.fusion loop (%[[B:.*]] = %arg1) : (tensor<5x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT:   %[[Q:.*]] = tandem.pad %[[B]] low = [0, 0] high = [3, 0] interior = [0, 0] value = 0.000000e+00
// CHECK-NEXT:   tandem.yield %[[Q]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[P:.*]] = tandem.fusion loop (%[[B:.*]] = %[[Z]]) : (tensor<8x8xf32>) -> tensor<2x8x4xf32> {
// CHECK-NEXT:   %[[T:.*]] = tandem.transpose %[[B]] permutation = [1, 0]
// CHECK-NEXT:   %[[R:.*]] = tandem.reshape %[[T]] shape = [8, 2, 4]
// CHECK-NEXT:   %[[U:.*]] = tandem.transpose %[[R]] permutation = [1, 0, 2]
// CHECK-NEXT:   tandem.yield %[[U]]
// CHECK-NOT: tandem.fusion loop
// CHECK: tandem.fusion contraction (%{{.*}} = %arg0, %{{.*}} = %arg2, %[[C:.*]] = %[[P]])
// CHECK: tandem.slice {{.*}} limits = [8, 5]
// CHECK: tandem.matmul %{{[^,]*}}, %{{[^ ]*}} : (tensor<3x8xf32>, tensor<8x5xf32>)
// CHECK: tandem.fusion contraction (%{{.*}} = %{{.*}}, %{{.*}} = %[[P]])
func.func @argument(%x: tensor<3x8xf32>, %w: tensor<5x8xf32>,
                    %bias: tensor<5xf32>) -> (tensor<3x5xf32>, tensor<8x5xf32>) {
  %0 = tandem.fusion contraction (%a = %x, %b = %w, %c = %bias)
      : (tensor<3x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<3x5xf32> {
    %2 = tandem.matmul %a, %b transpose_rhs
        : (tensor<3x8xf32>, tensor<5x8xf32>) -> tensor<3x5xf32>
    %3 = tandem.add %2, %c
        : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    tandem.yield %3 : tensor<3x5xf32>
  }
  %y = tandem.iota axis = 1 : tensor<8x8xf32>
  %1 = tandem.fusion contraction (%a = %y, %b = %w)
      : (tensor<8x8xf32>, tensor<5x8xf32>) -> tensor<8x5xf32> {
    %2 = tandem.matmul %a, %b transpose_rhs
        : (tensor<8x8xf32>, tensor<5x8xf32>) -> tensor<8x5xf32>
    tandem.yield %2 : tensor<8x5xf32>
  }
  return %0, %1 : tensor<3x5xf32>, tensor<8x5xf32>
}

// -----

// Groups come first; the columns of one group are no multiple of the block.

// CHECK-LABEL: func.func @groups
// CHECK: %[[Z:.*]] = tandem.fusion loop (%[[B:.*]] = %arg1) : (tensor<12x2x3xf32>) -> tensor<16x2x3xf32>
// CHECK-NEXT:   tandem.reshape %[[B]] shape = [2, 6, 2, 3]
// CHECK-NEXT:   tandem.pad {{.*}} high = [0, 2, 0, 0]
// CHECK-NEXT:   tandem.reshape {{.*}} shape = [16, 2, 3]
// CHECK: tandem.fusion loop (%[[B:.*]] = %[[Z]]) : (tensor<16x2x3xf32>) -> tensor<2x2x3x2x4xf32>
// CHECK-NEXT:   tandem.transpose %[[B]] permutation = [2, 1, 0]
// CHECK-NEXT:   tandem.reshape {{.*}} shape = [3, 2, 2, 8]
// CHECK-NEXT:   tandem.reshape {{.*}} shape = [3, 2, 2, 2, 4]
// CHECK-NEXT:   tandem.transpose {{.*}} permutation = [2, 3, 0, 1, 4]
// CHECK: tandem.fusion contraction
// CHECK:   tandem.transpose {{.*}} permutation = [2, 3, 0, 1, 4]
// CHECK:   tandem.reshape {{.*}} shape = [3, 2, 2, 8]
// CHECK:   tandem.slice {{.*}} limits = [3, 2, 2, 6]
// CHECK:   tandem.reshape {{.*}} shape = [3, 2, 12]
// CHECK:   tandem.conv {{.*}} kernel = "WIO"
func.func @groups(%x: tensor<1x8x4xf32>, %w: tensor<12x2x3xf32>)
    -> tensor<1x6x12xf32> {
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x8x4xf32>, tensor<12x2x3xf32>) -> tensor<1x6x12xf32> {
    %1 = tandem.conv %a, %b
        layout = <input = "NWC", kernel = "OIW", output = "NWC"> groups = 2
        : (tensor<1x8x4xf32>, tensor<12x2x3xf32>) -> tensor<1x6x12xf32>
    tandem.yield %1 : tensor<1x6x12xf32>
  }
  return %0 : tensor<1x6x12xf32>
}

// -----

// Views of the weights leave the fusion; one value in all places stays one.

// CHECK-LABEL: func.func @views
// CHECK: tandem.constant dense<2.000000e+00> : tensor<2x4x4xf32>
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.transpose {{.*}} permutation = [1, 0, 2]
// CHECK-NEXT: tandem.reshape {{.*}} shape = [4, 8]
// CHECK-NEXT: tandem.matmul
func.func @views(%x: tensor<3x4xf32>) -> tensor<3x8xf32> {
  %w = tandem.constant dense<2.0> : tensor<8x2x2xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<3x4xf32>, tensor<8x2x2xf32>) -> tensor<3x8xf32> {
    %1 = tandem.transpose %b permutation = [1, 2, 0]
        : (tensor<8x2x2xf32>) -> tensor<2x2x8xf32>
    %2 = tandem.reshape %1 shape = [4, 8]
        : (tensor<2x2x8xf32>) -> tensor<4x8xf32>
    %3 = tandem.matmul %a, %2
        : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
    tandem.yield %3 : tensor<3x8xf32>
  }
  return %0 : tensor<3x8xf32>
}

// -----

// bf16 is packed in pairs of inputs, the last of which may have zeros beside it.

// CHECK-LABEL: func.func @pairs
// CHECK{LITERAL}: dense<[[[[1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00], [0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00]],
// CHECK-SAME{LITERAL}:   [[5.000000e+00, 0.000000e+00], [6.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00]]]]> : tensor<1x2x4x2xbf16>
// CHECK: tandem.fusion contraction
// CHECK: tandem.transpose {{.*}} permutation = [1, 3, 0, 2] : (tensor<1x2x4x2xbf16>) -> tensor<2x2x1x4xbf16>
// CHECK: tandem.reshape {{.*}} shape = [4, 4]
// CHECK: tandem.slice {{.*}} limits = [3, 2]
func.func @pairs(%x: tensor<5x3xbf16>) -> tensor<5x2xbf16> {
  %w = tandem.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xbf16>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<5x3xbf16>, tensor<3x2xbf16>) -> tensor<5x2xbf16> {
    %1 = tandem.matmul %a, %b
        : (tensor<5x3xbf16>, tensor<3x2xbf16>) -> tensor<5x2xbf16>
    tandem.yield %1 : tensor<5x2xbf16>
  }
  return %0 : tensor<5x2xbf16>
}

// At run time: rows and columns are filled up at once, before pairs are formed.

// CHECK-LABEL: func.func @pairs_at_run_time
// CHECK: tandem.fusion loop
// CHECK: tandem.pad {{.*}} low = [0, 0] high = [1, 2]
// CHECK: tandem.fusion loop
// CHECK-NOT: tandem.pad
// CHECK: tandem.reshape {{.*}} shape = [2, 2, 1, 4]
// CHECK: tandem.transpose {{.*}} permutation = [2, 0, 3, 1]
func.func @pairs_at_run_time(%x: tensor<160x3xbf16>, %w: tensor<3x2xbf16>)
    -> tensor<160x2xbf16> {
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<160x3xbf16>, tensor<3x2xbf16>) -> tensor<160x2xbf16> {
    %1 = tandem.matmul %a, %b
        : (tensor<160x3xbf16>, tensor<3x2xbf16>) -> tensor<160x2xbf16>
    tandem.yield %1 : tensor<160x2xbf16>
  }
  return %0 : tensor<160x2xbf16>
}
