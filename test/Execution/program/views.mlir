// RUN: tandem-run %s --func=arena --tier=eager --program | FileCheck %s --check-prefix=EAGER
// RUN: tandem-run %s --func=arena --tier=compiled --program | FileCheck %s --check-prefix=COMPILED
// RUN: tandem-run %s --func=arena --check=steps
// RUN: tandem-run %s --func=late_reader --tier=eager --program | FileCheck %s --check-prefix=LATE
// RUN: tandem-run %s --func=late_reader --tier=compiled --program | FileCheck %s --check-prefix=LATE
// RUN: tandem-run %s --func=late_reader --check
// RUN: tandem-run %s --func=outputs --tier=eager --program | FileCheck %s --check-prefix=OUTPUTS
// RUN: tandem-run %s --func=outputs --check=steps
// RUN: tandem-run %s --func=nested --tier=eager --program | FileCheck %s --check-prefix=NESTED
// RUN: tandem-run %s --func=nested --check=steps
// RUN: tandem-run %s --func=empty --check

// A step of gradient descent whose parameters are slices of one array, with
// zeros between them. The slices are views of the array, and the products are
// computed in the concat.

// EAGER: %[[A:.*]] = slice(%1) : tensor<4096xf32> at 0 in %1
// EAGER-NEXT: %[[P:.*]] = reshape(%[[A]]) : tensor<64x64xf32> at 0 in %1
// EAGER: slice(%1) : tensor<4032xf32> at 16384 in %1
// EAGER: matmul({{.*}}) : tensor<64x63xf32> at 16384 in %[[G:[0-9]+]]
// EAGER: matmul({{.*}}) : tensor<64x64xf32> at 0 in %[[G]]
// EAGER: %[[G]] = concat
// EAGER: updates %1 in place

// COMPILED: slice(%1) : tensor<4096xf32> at 0 in %1
// COMPILED: slice(%1) : tensor<4032xf32> at 16384 in %1
// COMPILED: concat({{.*}}) : tensor<8192xf32> at 0
// COMPILED-NEXT: = kernel {{.*}} : tensor<8192xf32> //
// COMPILED-NEXT: return
// Kernels for GPUs do not compute in place yet.
// COMPILED-NEXT: updates %1 {{in place|by a copy}}

func.func @arena(%x: tensor<64x64xf32>, %w: tensor<8192xf32>)
    -> (tensor<8192xf32> {tandem.updates = 1}) {
  %0 = tandem.slice %w starts = [0] limits = [4096] strides = [1] : (tensor<8192xf32>) -> tensor<4096xf32>
  %1 = tandem.reshape %0 shape = [64, 64] : (tensor<4096xf32>) -> tensor<64x64xf32>
  %2 = tandem.slice %w starts = [4096] limits = [8128] strides = [1] : (tensor<8192xf32>) -> tensor<4032xf32>
  %3 = tandem.reshape %2 shape = [64, 63] : (tensor<4032xf32>) -> tensor<64x63xf32>
  %4 = tandem.matmul %x, %1 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %5 = tandem.matmul %4, %3 : (tensor<64x64xf32>, tensor<64x63xf32>) -> tensor<64x63xf32>
  %6 = tandem.matmul %4, %5 transpose_lhs : (tensor<64x64xf32>, tensor<64x63xf32>) -> tensor<64x63xf32>
  %7 = tandem.matmul %5, %3 transpose_rhs : (tensor<64x63xf32>, tensor<64x63xf32>) -> tensor<64x64xf32>
  %8 = tandem.matmul %x, %7 transpose_lhs : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %9 = tandem.reshape %6 shape = [4032] : (tensor<64x63xf32>) -> tensor<4032xf32>
  %10 = tandem.reshape %8 shape = [4096] : (tensor<64x64xf32>) -> tensor<4096xf32>
  %zeros = tandem.constant dense<0.0> : tensor<64xf32>
  %11 = tandem.concat %10, %9, %zeros axis = 0 : (tensor<4096xf32>, tensor<4032xf32>, tensor<64xf32>) -> tensor<8192xf32>
  %rate = tandem.constant dense<0.0009765625> : tensor<f32>
  %12 = tandem.mul %11, %rate : (tensor<8192xf32>, tensor<f32>) -> tensor<8192xf32>
  %13 = tandem.sub %w, %12 : tensor<8192xf32>
  return %13 : tensor<8192xf32>
}

// The second output depends on the new value and reads a part of the old one,
// so the new value is computed elsewhere and copied at the end.

// LATE: updates %0 by a copy

func.func @late_reader(%w: tensor<64xf32>) -> (tensor<64xf32> {tandem.updates = 0}, tensor<16xf32>) {
  %0 = tandem.exp %w : tensor<64xf32>
  %1 = tandem.slice %w starts = [16] limits = [32] strides = [1] : (tensor<64xf32>) -> tensor<16xf32>
  %2 = tandem.reduce %0 kind = sum dims = [0] : (tensor<64xf32>) -> tensor<f32>
  %3 = tandem.mul %1, %2 : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  %4 = tandem.softmax %3 axis = 0 : tensor<16xf32>
  return %0, %4 : tensor<64xf32>, tensor<16xf32>
}

// Outputs have memory of their own, and may be views of one another.

// OUTPUTS: slice(%0) : tensor<32xf32> //
// OUTPUTS-NEXT: reshape({{.*}}) : tensor<4x8xf32> //
// OUTPUTS: concat({{.*}}) : tensor<48xf32> //

func.func @outputs(%x: tensor<64xf32>) -> (tensor<32xf32>, tensor<4x8xf32>, tensor<48xf32>, tensor<16xf32>) {
  %0 = tandem.slice %x starts = [16] limits = [48] strides = [1] : (tensor<64xf32>) -> tensor<32xf32>
  %1 = tandem.reshape %0 shape = [4, 8] : (tensor<32xf32>) -> tensor<4x8xf32>
  %2 = tandem.slice %x starts = [0] limits = [16] strides = [1] : (tensor<64xf32>) -> tensor<16xf32>
  %3 = tandem.softmax %2 axis = 0 : tensor<16xf32>
  %4 = tandem.concat %3, %0 axis = 0 : (tensor<16xf32>, tensor<32xf32>) -> tensor<48xf32>
  %5 = tandem.slice %4 starts = [32] limits = [48] strides = [1] : (tensor<48xf32>) -> tensor<16xf32>
  %6 = tandem.softmax %5 axis = 0 : tensor<16xf32>
  return %0, %1, %4, %6 : tensor<32xf32>, tensor<4x8xf32>, tensor<48xf32>, tensor<16xf32>
}

// Slices of slices of reshapes, and concats of concats.

// NESTED: reshape(%0) : tensor<128xf32> //
// NESTED: slice({{.*}}) : tensor<64xf32> at 128 in
// NESTED: slice({{.*}}) : tensor<32xf32> at 192 in
// NESTED: softmax({{.*}}) : tensor<32xf32> at 0 in %[[ALL:[0-9]+]]
// NESTED: softmax({{.*}}) : tensor<64xf32> at 128 in %[[ALL]]
// NESTED: concat({{.*}}) : tensor<96xf32> at 0 in %[[ALL]]
// NESTED: softmax({{.*}}) : tensor<32xf32> at 384 in %[[ALL]]
// NESTED: %[[ALL]] = concat({{.*}}) : tensor<128xf32> //

func.func @nested(%x: tensor<8x16xf32>) -> (tensor<128xf32>, tensor<32xf32>) {
  %0 = tandem.reshape %x shape = [128] : (tensor<8x16xf32>) -> tensor<128xf32>
  %1 = tandem.slice %0 starts = [32] limits = [96] strides = [1] : (tensor<128xf32>) -> tensor<64xf32>
  %2 = tandem.slice %1 starts = [16] limits = [48] strides = [1] : (tensor<64xf32>) -> tensor<32xf32>
  %3 = tandem.softmax %2 axis = 0 : tensor<32xf32>
  %4 = tandem.softmax %1 axis = 0 : tensor<64xf32>
  %5 = tandem.concat %3, %4 axis = 0 : (tensor<32xf32>, tensor<64xf32>) -> tensor<96xf32>
  %6 = tandem.reduce %5 kind = sum dims = [0] : (tensor<96xf32>) -> tensor<f32>
  %7 = tandem.add %2, %6 : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
  %8 = tandem.softmax %7 axis = 0 : tensor<32xf32>
  %9 = tandem.concat %5, %8 axis = 0 : (tensor<96xf32>, tensor<32xf32>) -> tensor<128xf32>
  %10 = tandem.softmax %9 axis = 0 : tensor<128xf32>
  %11 = tandem.sub %8, %3 : tensor<32xf32>
  return %10, %11 : tensor<128xf32>, tensor<32xf32>
}

func.func @empty(%x: tensor<32xf32>, %y: tensor<0xf32>) -> (tensor<32xf32>, tensor<0xf32>, tensor<0xf32>) {
  %0 = tandem.slice %x starts = [16] limits = [16] strides = [1] : (tensor<32xf32>) -> tensor<0xf32>
  %1 = tandem.slice %y starts = [0] limits = [0] strides = [1] : (tensor<0xf32>) -> tensor<0xf32>
  %2 = tandem.exp %x : tensor<32xf32>
  %3 = tandem.concat %0, %2, %1 axis = 0 : (tensor<0xf32>, tensor<32xf32>, tensor<0xf32>) -> tensor<32xf32>
  %4 = tandem.softmax %3 axis = 0 : tensor<32xf32>
  %5 = tandem.exp %0 : tensor<0xf32>
  return %4, %5, %1 : tensor<32xf32>, tensor<0xf32>, tensor<0xf32>
}
