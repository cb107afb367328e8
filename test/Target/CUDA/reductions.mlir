// On the fake driver, reductions agree with the reference tier. The cases are
// rows that are reduced by lanes, warps and blocks, and that stay in registers
// or do not; columns; 16-bit floats and integers; and threads of a block that
// run in other orders.

// RUN: split-file %s %t
// RUN: %fake-cuda tandem-run %t/rows.mlir --device=cuda --check | FileCheck %s
// RUN: %fake-cuda FAKE_CUDA_SEED=7 tandem-run %t/rows.mlir --device=cuda --check | FileCheck %s
// RUN: %fake-cuda tandem-run %t/columns.mlir --device=cuda --check | FileCheck %s
// RUN: %fake-cuda tandem-run %src/test/Execution/reduction/equal-terms.mlir --device=cuda --check --arg=zeros --arg=zeros --arg=zeros --arg=[0.3] | FileCheck %s
// RUN: %fake-cuda tandem-run %src/test/Execution/reduction/reduction-kernels-permuted.mlir --device=cuda --check | FileCheck %s
// CHECK: compiled (cuda){{.*}} ok
// CHECK-NOT: FAIL

//--- rows.mlir
func.func @main(%x: tensor<37x1000xf32>, %y: tensor<64x4096xf32>,
                %h: tensor<40x1024xf16>, %s: tensor<100x4xf32>,
                %t: tensor<33x10xf32>, %w: tensor<3x40000xf32>,
                %i: tensor<20x513xi32>, %b: tensor<7x3x50xbf16>,
                %d: tensor<19x130xf64>)
    -> (tensor<37x1000xf32>, tensor<64x4096xf32>, tensor<40x1024xf16>,
        tensor<100x4xf32>, tensor<33x10xf32>, tensor<3x40000xf32>,
        tensor<20xi32>, tensor<7xbf16>, tensor<19xf64>) {
  %0 = tandem.softmax %x axis = 1 : tensor<37x1000xf32>
  %1 = tandem.softmax %y axis = 1 : tensor<64x4096xf32>
  %2 = tandem.softmax %h axis = 1 : tensor<40x1024xf16>
  %3 = tandem.softmax %s axis = 1 : tensor<100x4xf32>
  %4 = tandem.softmax %t axis = 1 : tensor<33x10xf32>
  %5 = tandem.softmax %w axis = 1 : tensor<3x40000xf32>
  %6 = tandem.reduce %i kind = sum dims = [1]
      : (tensor<20x513xi32>) -> tensor<20xi32>
  %7 = tandem.reduce %b kind = mean dims = [1, 2]
      : (tensor<7x3x50xbf16>) -> tensor<7xbf16>
  %8 = tandem.reduce %d kind = min dims = [1]
      : (tensor<19x130xf64>) -> tensor<19xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<37x1000xf32>, tensor<64x4096xf32>, tensor<40x1024xf16>,
        tensor<100x4xf32>, tensor<33x10xf32>, tensor<3x40000xf32>,
        tensor<20xi32>, tensor<7xbf16>, tensor<19xf64>
}

//--- columns.mlir
func.func @main(%c: tensor<300x70xf32>, %b: tensor<8x16x20xf32>,
                %h: tensor<100x3xf16>)
    -> (tensor<70xf32>, tensor<8x1x20xf32>, tensor<8x16x20xf32>,
        tensor<100x3xf16>) {
  %0 = tandem.reduce %c kind = sum dims = [0]
      : (tensor<300x70xf32>) -> tensor<70xf32>
  %1 = tandem.reduce %b kind = prod dims = [1] keep_dims
      : (tensor<8x16x20xf32>) -> tensor<8x1x20xf32>
  %2 = tandem.softmax %b axis = 1 : tensor<8x16x20xf32>
  %3 = tandem.softmax %h axis = 0 : tensor<100x3xf16>
  return %0, %1, %2, %3
      : tensor<70xf32>, tensor<8x1x20xf32>, tensor<8x16x20xf32>,
        tensor<100x3xf16>
}
