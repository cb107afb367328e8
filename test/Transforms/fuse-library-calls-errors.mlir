// Ops that no library call computes together with a contraction, and the
// reasons.
// RUN: tandem-opt %s --split-input-file -o /dev/null --mlir-print-op-on-diagnostic=false \
// RUN:   --pass-pipeline='builtin.module(func.func(tandem-fuse{remarks=1 libraries=cuda}))' 2>&1 | FileCheck %s --check-prefix=WHY

// RUN: not tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse{libraries=abacus}))' 2>&1 | FileCheck %s
// CHECK: error: no libraries are called 'abacus'

// Each op of an epilogue costs a unit of fuel.
// RUN: tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse{libraries=cuda fusion-fuel=1}))' | FileCheck %s --check-prefix=FUEL
// FUEL-LABEL: @fuel
// FUEL: tandem.fusion library
// FUEL-NEXT: tandem.matmul
// FUEL-NEXT: tandem.add
// FUEL-NEXT: tandem.yield

func.func @fuel(%x: tensor<8x64xf32>, %w: tensor<64x48xf32>, %b: tensor<48xf32>) -> tensor<8x48xf32> {
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  %1 = tandem.add %0, %b : (tensor<8x48xf32>, tensor<48xf32>) -> tensor<8x48xf32>
  %2 = tandem.relu %1 : tensor<8x48xf32>
  return %2 : tensor<8x48xf32>
}

// -----

// A bias of rows, not of columns.
func.func @rows(%x: tensor<8x64xf32>, %w: tensor<64x48xf32>, %b: tensor<8x1xf32>) -> tensor<8x48xf32> {
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  // WHY: :[[@LINE+1]]:{{.*}}remark: {{.*}}not part of the kernel of 'tandem.matmul': no call of a library computes it with the contraction: it adds a tensor that is neither of the result's shape nor one element for each output channel or column {{\[NotInLibraryCall\]}}
  %1 = tandem.add %0, %b : (tensor<8x48xf32>, tensor<8x1xf32>) -> tensor<8x48xf32>
  return %1 : tensor<8x48xf32>
}

// -----

// A residual that is the same for all of a batch.
func.func @broadcast_residual(%x: tensor<2x8x64xf32>, %w: tensor<64x48xf32>, %r: tensor<8x48xf32>) -> tensor<2x8x48xf32> {
  %0 = tandem.matmul %x, %w : (tensor<2x8x64xf32>, tensor<64x48xf32>) -> tensor<2x8x48xf32>
  // WHY: :[[@LINE+1]]:{{.*}}remark: {{.*}}it adds a tensor that is neither of the result's shape nor one element
  %1 = tandem.add %0, %r : (tensor<2x8x48xf32>, tensor<8x48xf32>) -> tensor<2x8x48xf32>
  return %1 : tensor<2x8x48xf32>
}

// -----

// A bias along the last dim, where the channels are the second.
func.func @channels(%x: tensor<2x16x9x9xf32>, %w: tensor<7x16x3x3xf32>, %b: tensor<7xf32>) -> tensor<2x7x7x7xf32> {
  %0 = tandem.conv %x, %w layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<2x16x9x9xf32>, tensor<7x16x3x3xf32>) -> tensor<2x7x7x7xf32>
  // WHY: :[[@LINE+1]]:{{.*}}remark: {{.*}}it adds a tensor that is neither of the result's shape nor one element
  %1 = tandem.add %0, %b : (tensor<2x7x7x7xf32>, tensor<7xf32>) -> tensor<2x7x7x7xf32>
  return %1 : tensor<2x7x7x7xf32>
}

// -----

func.func @two_uses(%x: tensor<8x64xf32>, %w: tensor<64x48xf32>) -> (tensor<8x48xf32>, tensor<8x48xf32>) {
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  // WHY: :[[@LINE+1]]:{{.*}}remark: {{.*}}not part of the kernel of 'tandem.matmul': the value is needed outside as well {{\[NeededOutside\]}}
  %1 = tandem.relu %0 : tensor<8x48xf32>
  return %0, %1 : tensor<8x48xf32>, tensor<8x48xf32>
}

// -----

func.func @itself(%x: tensor<8x64xf32>, %w: tensor<64x48xf32>) -> tensor<8x48xf32> {
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  // WHY: :[[@LINE+1]]:{{.*}}remark: {{.*}}it adds the value to itself {{\[NotInLibraryCall\]}}
  %1 = tandem.add %0, %0 : tensor<8x48xf32>
  return %1 : tensor<8x48xf32>
}

// -----

func.func @second_bias(%x: tensor<2x9x9x16xf32>, %w: tensor<24x3x3x16xf32>, %b: tensor<24xf32>, %c: tensor<24xf32>) -> tensor<2x7x7x24xf32> {
  %0 = tandem.conv %x, %w, %b layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      : (tensor<2x9x9x16xf32>, tensor<24x3x3x16xf32>, tensor<24xf32>) -> tensor<2x7x7x24xf32>
  // WHY: :[[@LINE+1]]:{{.*}}remark: {{.*}}it adds a second bias {{\[NotInLibraryCall\]}}
  %1 = tandem.add %0, %c : (tensor<2x7x7x24xf32>, tensor<24xf32>) -> tensor<2x7x7x24xf32>
  return %1 : tensor<2x7x7x24xf32>
}

// -----

func.func @second_residual(%x: tensor<8x64xf32>, %w: tensor<64x48xf32>, %r: tensor<8x48xf32>, %s: tensor<8x48xf32>) -> tensor<8x48xf32> {
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  %1 = tandem.add %0, %r : tensor<8x48xf32>
  // WHY: :[[@LINE+1]]:{{.*}}remark: {{.*}}it adds a second tensor of the result's shape {{\[NotInLibraryCall\]}}
  %2 = tandem.add %1, %s : tensor<8x48xf32>
  return %2 : tensor<8x48xf32>
}

// -----

func.func @larger(%x: tensor<8x64xf32>, %w: tensor<64x48xf32>, %r: tensor<3x8x48xf32>) -> tensor<3x8x48xf32> {
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  // WHY: :[[@LINE+1]]:{{.*}}remark: {{.*}}it makes a larger tensor of the contraction's result {{\[NotInLibraryCall\]}}
  %1 = tandem.add %0, %r : (tensor<8x48xf32>, tensor<3x8x48xf32>) -> tensor<3x8x48xf32>
  return %1 : tensor<3x8x48xf32>
}

// -----

func.func @after(%x: tensor<8x64xf32>, %w: tensor<64x48xf32>, %b: tensor<48xf32>) -> tensor<8x48xf32> {
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  %1 = tandem.relu %0 : tensor<8x48xf32>
  // WHY: :[[@LINE+1]]:{{.*}}remark: {{.*}}it comes after the activation {{\[NotInLibraryCall\]}}
  %2 = tandem.add %1, %b : (tensor<8x48xf32>, tensor<48xf32>) -> tensor<8x48xf32>
  return %2 : tensor<8x48xf32>
}

// -----

func.func @erf_gelu(%x: tensor<8x64xf32>, %w: tensor<64x48xf32>) -> tensor<8x48xf32> {
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  // WHY: :[[@LINE+1]]:{{.*}}remark: {{.*}}it is no sum, relu or gelu by tanh {{\[NotInLibraryCall\]}}
  %1 = tandem.gelu %0 : tensor<8x48xf32>
  return %1 : tensor<8x48xf32>
}

// -----

func.func @conv_gelu(%x: tensor<2x9x9x16xf32>, %w: tensor<24x3x3x16xf32>) -> tensor<2x7x7x24xf32> {
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "OHWI", output = "NHWC">
      : (tensor<2x9x9x16xf32>, tensor<24x3x3x16xf32>) -> tensor<2x7x7x24xf32>
  // WHY: :[[@LINE+1]]:{{.*}}remark: {{.*}}it is a gelu, which cuDNN does not fuse {{\[NotInLibraryCall\]}}
  %1 = tandem.gelu %0 approximate_tanh : tensor<2x7x7x24xf32>
  return %1 : tensor<2x7x7x24xf32>
}

// -----

func.func @integers(%x: tensor<8x64xi32>, %w: tensor<64x48xi32>) -> tensor<8x48xi32> {
  %0 = tandem.matmul %x, %w : (tensor<8x64xi32>, tensor<64x48xi32>) -> tensor<8x48xi32>
  // WHY: :[[@LINE+1]]:{{.*}}remark: {{.*}}it is not of floats {{\[NotInLibraryCall\]}}
  %1 = tandem.relu %0 : tensor<8x48xi32>
  return %1 : tensor<8x48xi32>
}
