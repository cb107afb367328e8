// Kernels that multiply by integers of 8 bits and by scales. A scale belongs to
// a block of inputs, the last of which is smaller, or to all inputs of an
// output. There are few or many rows, outputs that do not fill a vector, and an
// epilogue. Two integers of 4 bits are in a byte if that is estimated to be
// faster.

// DEFINE: %{func} =
// DEFINE: %{options} = --target-option=contractions=generated --target-option=scaled-weights=always
// DEFINE: %{check} = tandem-run %s --func=%{func} --check %{options}
// RUN: tandem-opt %s --until=fuse --function=blocks --shapes=1x100 \
// RUN:   --target-option=scaled-weights=always | FileCheck %s --check-prefix=FUSED
// REDEFINE: %{func} = blocks
// RUN: %{check} --arg=random:1x100 | FileCheck %s
// RUN: %{check} --arg=random:3x100 --threads=2 | FileCheck %s
// RUN: %{check} --arg=random:64x100 | FileCheck %s
// RUN: %{check} --arg=random:0x100 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} --arg=random:3x100 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v2 %{check} --arg=random:3x100 | FileCheck %s
// RUN: %{check} --arg=random:3x100 --fallback --fail-kernels=0 --reproducer-dir=%t 2>&1 | FileCheck %s
// REDEFINE: %{func} = outputs
// RUN: %{check} --arg=random:1x61 | FileCheck %s
// RUN: %{check} --arg=random:5x61 --threads=2 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v2 %{check} --arg=random:1x61 | FileCheck %s

// RUN: tandem-opt %s --until=fuse --function=pairs --shapes=1x100 \
// RUN:   --target-option=scaled-weights=always | FileCheck %s --check-prefix=PAIRS
// REDEFINE: %{func} = pairs
// RUN: %{check} --arg=random:1x100 | FileCheck %s
// RUN: %{check} --arg=random:3x100 --threads=2 | FileCheck %s
// RUN: %{check} --arg=random:64x100 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} --arg=random:1x100 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v3 %{check} --arg=random:9x100 | FileCheck %s
// RUN: env TANDEM_CPU=x86-64-v2 %{check} --arg=random:3x100 | FileCheck %s
// RUN: %{check} --arg=random:3x100 --fallback --fail-kernels=0 --reproducer-dir=%t 2>&1 | FileCheck %s

// FUSED: tandem_cpu.scale_weights %{{.*}} block = 16
// PAIRS: tandem_cpu.unpack_integers
// CHECK: compiled {{.*}} ok

func.func @blocks(%x: tensor<?x100xf32>) -> tensor<?x70xf32> {
  %i = tandem.iota axis = 0 : tensor<100x70xi32>
  %o = tandem.iota axis = 1 : tensor<100x70xi32>
  %factor = tandem.constant dense<37> : tensor<i32>
  %mask = tandem.constant dense<127> : tensor<i32>
  %0 = tandem.mul %i, %factor : (tensor<100x70xi32>, tensor<i32>) -> tensor<100x70xi32>
  %1 = tandem.mul %0, %o : tensor<100x70xi32>
  %2 = tandem.bitwise_and %1, %mask : (tensor<100x70xi32>, tensor<i32>) -> tensor<100x70xi32>
  %bytes = tandem.cast %2 : (tensor<100x70xi32>) -> tensor<100x70xui8>
  %real = tandem.cast %bytes : (tensor<100x70xui8>) -> tensor<100x70xf32>
  %zero = tandem.constant dense<61.0> : tensor<f32>
  %centered = tandem.sub %real, %zero : (tensor<100x70xf32>, tensor<f32>) -> tensor<100x70xf32>
  %t = tandem.iota axis = 0 : tensor<490xf32>
  %sin = tandem.sin %t : tensor<490xf32>
  %table = tandem.reshape %sin shape = [7, 70] : (tensor<490xf32>) -> tensor<7x70xf32>
  %indices = tandem.constant dense<[
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
       1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
       3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4,
       4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
       6, 6, 6, 6]> : tensor<100xi64>
  %scales = tandem.gather %table, %indices axis = 0 : (tensor<7x70xf32>, tensor<100xi64>) -> tensor<100x70xf32>
  %w = tandem.mul %centered, %scales : tensor<100x70xf32>
  %y = tandem.matmul %x, %w : (tensor<?x100xf32>, tensor<100x70xf32>) -> tensor<?x70xf32>
  return %y : tensor<?x70xf32>
}

// All integers are from -8 to 7.
func.func @pairs(%x: tensor<?x100xf32>) -> tensor<?x70xf32> {
  %i = tandem.iota axis = 0 : tensor<100x70xi32>
  %o = tandem.iota axis = 1 : tensor<100x70xi32>
  %factor = tandem.constant dense<37> : tensor<i32>
  %mask = tandem.constant dense<15> : tensor<i32>
  %0 = tandem.mul %i, %factor : (tensor<100x70xi32>, tensor<i32>) -> tensor<100x70xi32>
  %1 = tandem.mul %0, %o : tensor<100x70xi32>
  %2 = tandem.bitwise_and %1, %mask : (tensor<100x70xi32>, tensor<i32>) -> tensor<100x70xi32>
  %bytes = tandem.cast %2 : (tensor<100x70xi32>) -> tensor<100x70xui8>
  %real = tandem.cast %bytes : (tensor<100x70xui8>) -> tensor<100x70xf32>
  %zero = tandem.constant dense<8.0> : tensor<f32>
  %centered = tandem.sub %real, %zero : (tensor<100x70xf32>, tensor<f32>) -> tensor<100x70xf32>
  %t = tandem.iota axis = 0 : tensor<490xf32>
  %sin = tandem.sin %t : tensor<490xf32>
  %table = tandem.reshape %sin shape = [7, 70] : (tensor<490xf32>) -> tensor<7x70xf32>
  %indices = tandem.constant dense<[
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
       1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
       3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4,
       4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
       6, 6, 6, 6]> : tensor<100xi64>
  %scales = tandem.gather %table, %indices axis = 0 : (tensor<7x70xf32>, tensor<100xi64>) -> tensor<100x70xf32>
  %w = tandem.mul %centered, %scales : tensor<100x70xf32>
  %y = tandem.matmul %x, %w : (tensor<?x100xf32>, tensor<100x70xf32>) -> tensor<?x70xf32>
  return %y : tensor<?x70xf32>
}

func.func @outputs(%x: tensor<?x61xf32>) -> tensor<?x131xf32> {
  %t = tandem.iota axis = 0 : tensor<7991xi32>
  %mask = tandem.constant dense<255> : tensor<i32>
  %0 = tandem.mul %t, %t : tensor<7991xi32>
  %1 = tandem.bitwise_and %0, %mask : (tensor<7991xi32>, tensor<i32>) -> tensor<7991xi32>
  %2 = tandem.cast %1 : (tensor<7991xi32>) -> tensor<7991xi8>
  %bytes = tandem.reshape %2 shape = [131, 61] : (tensor<7991xi8>) -> tensor<131x61xi8>
  %real = tandem.cast %bytes : (tensor<131x61xi8>) -> tensor<131x61xf32>
  %o = tandem.iota axis = 0 : tensor<131x1xf32>
  %scales = tandem.sin %o : tensor<131x1xf32>
  %w = tandem.mul %real, %scales : (tensor<131x61xf32>, tensor<131x1xf32>) -> tensor<131x61xf32>
  %y = tandem.matmul %x, %w transpose_rhs : (tensor<?x61xf32>, tensor<131x61xf32>) -> tensor<?x131xf32>
  %z = tandem.relu %y : tensor<?x131xf32>
  return %z : tensor<?x131xf32>
}
