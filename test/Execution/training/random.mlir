// Words of Philox4x32-10. The expected words for key 0 and counter 0 are from
// the file kat_vectors of Random123. A counter of 2^32 - 1 carries into its
// high word, and one of 2^64 - 1 wraps.

// DEFINE: %{run} = tandem-run %s --print --no-fallback '--arg=[0,4294967295]'
// RUN: %{run} --tier=reference | FileCheck %s --match-full-lines
// RUN: %{run} --tier=eager | FileCheck %s --match-full-lines
// RUN: %{run} --tier=compiled | FileCheck %s --match-full-lines

func.func @main(%x: tensor<2xui64>)
    -> (tensor<4xui32>, tensor<8xui32>, tensor<1xui32>, tensor<0x2xui32>, tensor<5xi1>) {
  %first = tandem.slice %x starts = [0] limits = [1] strides = [1] : (tensor<2xui64>) -> tensor<1xui64>
  %second = tandem.slice %x starts = [1] limits = [2] strides = [1] : (tensor<2xui64>) -> tensor<1xui64>
  %zero = tandem.reshape %first shape = [] : (tensor<1xui64>) -> tensor<ui64>
  %low = tandem.reshape %second shape = [] : (tensor<1xui64>) -> tensor<ui64>
  %last = tandem.bitwise_not %zero : tensor<ui64>
  %0 = tandem.random %zero, %zero shape = [4] : (tensor<ui64>, tensor<ui64>) -> tensor<4xui32>
  // Block 2^64 - 1, then block 0.
  %1 = tandem.random %zero, %last shape = [8] : (tensor<ui64>, tensor<ui64>) -> tensor<8xui32>
  %2 = tandem.random %last, %low shape = [1] : (tensor<ui64>, tensor<ui64>) -> tensor<1xui32>
  %3 = tandem.random %zero, %zero shape = [0, 2] : (tensor<ui64>, tensor<ui64>) -> tensor<0x2xui32>
  // A mask, as dropout has it.
  %4 = tandem.random %zero, %zero shape = [5] : (tensor<ui64>, tensor<ui64>) -> tensor<5xui32>
  %half = tandem.constant dense<2147483648> : tensor<ui32>
  %5 = tandem.compare %4, %half predicate = lt : (tensor<5xui32>, tensor<ui32>) -> tensor<5xi1>
  return %0, %1, %2, %3, %5 : tensor<4xui32>, tensor<8xui32>, tensor<1xui32>, tensor<0x2xui32>, tensor<5xi1>
}

// CHECK: output 0: tensor<4xui32>
// CHECK-NEXT: [1713891541, 3781805453, 3159862348, 2600524760]
// CHECK-NEXT: output 1: tensor<8xui32>
// CHECK-NEXT: [4090393677, 3753482255, 1518119633, 634470994, 1713891541, 3781805453, 3159862348, 2600524760]
// CHECK-NEXT: output 2: tensor<1xui32>
// CHECK-NEXT: [3260445406]
// CHECK-NEXT: output 3: tensor<0x2xui32>
// CHECK-NEXT: []
// CHECK-NEXT: output 4: tensor<5xi1>
// CHECK-NEXT: [1, 0, 0, 0, 0]
