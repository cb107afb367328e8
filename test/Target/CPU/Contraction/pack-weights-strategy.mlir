// The contraction's strategy determines the size of blocks: whole vectors of
// AVX-512 or AVX2. Weights for which packing would not pay remain unchanged.

// RUN: tandem-opt %s --tandem-cpu-pack-weights | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: tandem.constant dense<1.000000e+00> : tensor<{{[0-9]+}}x3x3x64x{{[0-9]+}}xf32>
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.transpose
func.func @main(%x: tensor<1x14x14x64xf32>) -> tensor<1x12x12x128xf32> {
  %w = tandem.constant dense<1.0> : tensor<128x64x3x3xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x14x14x64xf32>, tensor<128x64x3x3xf32>)
      -> tensor<1x12x12x128xf32> {
    %1 = tandem.conv %a, %b
        layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
        : (tensor<1x14x14x64xf32>, tensor<128x64x3x3xf32>)
        -> tensor<1x12x12x128xf32>
    tandem.yield %1 : tensor<1x12x12x128xf32>
  }
  return %0 : tensor<1x12x12x128xf32>
}

// Used a few times only, and not known before.

// CHECK-LABEL: func.func @few
// CHECK-NEXT: tandem.fusion contraction
// CHECK-NEXT: tandem.matmul {{.*}} transpose_rhs
func.func @few(%x: tensor<2x64xf32>, %w: tensor<64x64xf32>)
    -> tensor<2x64xf32> {
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32> {
    %1 = tandem.matmul %a, %b transpose_rhs
        : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
    tandem.yield %1 : tensor<2x64xf32>
  }
  return %0 : tensor<2x64xf32>
}

// A row of weights is a dot product with the only position. Side by side, five
// outputs would be one vector of sums, each of which waits for the one before.

// CHECK-LABEL: func.func @dots
// CHECK: tandem.constant dense<1.000000e+00> : tensor<5x1024xf32>
// CHECK-NEXT: tandem.fusion contraction
// CHECK-NEXT: tandem.matmul {{.*}} transpose_rhs
func.func @dots(%x: tensor<1x1024xf32>) -> tensor<1x5xf32> {
  %w = tandem.constant dense<1.0> : tensor<5x1024xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x1024xf32>, tensor<5x1024xf32>) -> tensor<1x5xf32> {
    %1 = tandem.matmul %a, %b transpose_rhs
        : (tensor<1x1024xf32>, tensor<5x1024xf32>) -> tensor<1x5xf32>
    tandem.yield %1 : tensor<1x5xf32>
  }
  return %0 : tensor<1x5xf32>
}

// Positions run along the lanes: the weights of a tile's outputs are broadcast,
// and side by side, too. Those that are not known before stay.

// CHECK-LABEL: func.func @positions
// CHECK: tandem.constant dense<{{.*}}> : tensor<{{[0-9]+}}x1x1x64x[[ROWS:[0-9]+]]xf32>
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.transpose {{.*}} : (tensor<{{[0-9]+}}x1x1x64x[[ROWS]]xf32>)
// CHECK: kernel = "HWIO", output = "NCHW"
func.func @positions(%x: tensor<1x64x14x14xf32>) -> tensor<1x128x14x14xf32> {
  %w = tandem.constant dense<1.0> : tensor<128x64x1x1xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x64x14x14xf32>, tensor<128x64x1x1xf32>)
      -> tensor<1x128x14x14xf32> {
    %1 = tandem.conv %a, %b
        layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
        : (tensor<1x64x14x14xf32>, tensor<128x64x1x1xf32>)
        -> tensor<1x128x14x14xf32>
    tandem.yield %1 : tensor<1x128x14x14xf32>
  }
  return %0 : tensor<1x128x14x14xf32>
}

// CHECK-LABEL: func.func @unknown_positions
// CHECK-NEXT: tandem.fusion contraction
// CHECK-NEXT: tandem.conv {{.*}} kernel = "OIHW"
func.func @unknown_positions(%x: tensor<1x64x14x14xf32>,
                             %w: tensor<128x64x1x1xf32>)
    -> tensor<1x128x14x14xf32> {
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x64x14x14xf32>, tensor<128x64x1x1xf32>)
      -> tensor<1x128x14x14xf32> {
    %1 = tandem.conv %a, %b
        layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
        : (tensor<1x64x14x14xf32>, tensor<128x64x1x1xf32>)
        -> tensor<1x128x14x14xf32>
    tandem.yield %1 : tensor<1x128x14x14xf32>
  }
  return %0 : tensor<1x128x14x14xf32>
}

// Weights that come from memory and are used once are read as they lie; for
// many positions they are packed.

// CHECK-LABEL: func.func @once
// CHECK: tandem.constant dense<2.000000e+00> : tensor<1024x1048576xf32>
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.matmul
func.func @once(%x: tensor<1x1024xf32>) -> tensor<1x1048576xf32> {
  %w = tandem.constant dense<2.0> : tensor<1024x1048576xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x1024xf32>, tensor<1024x1048576xf32>)
      -> tensor<1x1048576xf32> {
    %1 = tandem.matmul %a, %b
        : (tensor<1x1024xf32>, tensor<1024x1048576xf32>)
        -> tensor<1x1048576xf32>
    tandem.yield %1 : tensor<1x1048576xf32>
  }
  return %0 : tensor<1x1048576xf32>
}

// CHECK-LABEL: func.func @once_transposed
// CHECK: tandem.constant dense<2.000000e+00> : tensor<1048576x1024xf32>
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.matmul {{.*}} transpose_rhs
func.func @once_transposed(%x: tensor<1x1024xf32>) -> tensor<1x1048576xf32> {
  %w = tandem.constant dense<2.0> : tensor<1048576x1024xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x1024xf32>, tensor<1048576x1024xf32>)
      -> tensor<1x1048576xf32> {
    %1 = tandem.matmul %a, %b transpose_rhs
        : (tensor<1x1024xf32>, tensor<1048576x1024xf32>)
        -> tensor<1x1048576xf32>
    tandem.yield %1 : tensor<1x1048576xf32>
  }
  return %0 : tensor<1x1048576xf32>
}

// CHECK-LABEL: func.func @often
// CHECK: tandem.constant dense<2.000000e+00> : tensor<{{[0-9]+}}x1024x{{[0-9]+}}xf32>
// CHECK: tandem.fusion contraction
// CHECK-NEXT: tandem.transpose
func.func @often(%x: tensor<64x1024xf32>) -> tensor<64x1048576xf32> {
  %w = tandem.constant dense<2.0> : tensor<1024x1048576xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<64x1024xf32>, tensor<1024x1048576xf32>)
      -> tensor<64x1048576xf32> {
    %1 = tandem.matmul %a, %b
        : (tensor<64x1024xf32>, tensor<1024x1048576xf32>)
        -> tensor<64x1048576xf32>
    tandem.yield %1 : tensor<64x1048576xf32>
  }
  return %0 : tensor<64x1048576xf32>
}

// What neither vectors nor packing can do is no kernel: the view of the weights
// that has adjacent numbers is not in it, and the few positions do not pay.

// CHECK-LABEL: func.func @dissolved
// CHECK-NEXT: %[[R:.*]] = tandem.reshape %arg1
// CHECK-NEXT: %[[C:.*]] = tandem.conv %arg0, %[[R]]
// CHECK-NEXT: %[[Y:.*]] = tandem.relu %[[C]]
// CHECK-NEXT: return %[[Y]]
func.func @dissolved(%x: tensor<3x1x7x16xf32>, %w: tensor<33x16x1x1x3xf32>)
    -> tensor<3x1x5x33xf32> {
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<3x1x7x16xf32>, tensor<33x16x1x1x3xf32>) -> tensor<3x1x5x33xf32> {
    %1 = tandem.reshape %b shape = [33, 16, 1, 3]
        : (tensor<33x16x1x1x3xf32>) -> tensor<33x16x1x3xf32>
    %2 = tandem.conv %a, %1 layout = <input = "NHWC", kernel = "OIHW", output = "NHWC">
        : (tensor<3x1x7x16xf32>, tensor<33x16x1x3xf32>) -> tensor<3x1x5x33xf32>
    %3 = tandem.relu %2 : tensor<3x1x5x33xf32>
    tandem.yield %3 : tensor<3x1x5x33xf32>
  }
  return %0 : tensor<3x1x5x33xf32>
}
