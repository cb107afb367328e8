// Fusions that tandem-fuse refuses, and the reasons.
// RUN: tandem-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(tandem-fuse{remarks=1 max-results=2 max-body-reads=24}))'

func.func @heavy(%x: tensor<8x64xf32>, %w: tensor<64x8xf32>) -> tensor<8x8xf32> {
  // expected-remark @+1 {{not fused into the kernel of 'tandem.neg': it reads 64 elements per result, more than 32 [TooManyReads]}}
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  // expected-remark @+2 {{not fused into its consumers: no consumer of it is a kernel [ConsumerNotFusible]}}
  // expected-note @+1 {{the kernel's root}}
  %1 = tandem.neg %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @+1 {{a shape is not static [DynamicShape]}}
  %0 = tandem.neg %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @empty(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  // expected-remark @+1 {{the result has no elements [NoElements]}}
  %0 = tandem.neg %x : tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

// -----

func.func @cycle(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-remark @+2 {{not fused into the kernel of 'tandem.add': the value is needed outside as well [NeededOutside]}}
  // expected-remark @+1 {{not one more result of the kernel of 'tandem.add': the kernel would depend on its own result [WouldCycle]}}
  %0 = tandem.exp %x : tensor<64xf32>
  // expected-remark @+1 {{its elements cannot be computed one at a time [NotElementwise]}}
  %1 = tandem.softmax %0 axis = 0 : tensor<64xf32>
  // expected-remark @+2 {{ConsumerNotFusible}}
  // expected-note @+1 {{the kernel's root}}
  %2 = tandem.add %0, %1 : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

func.func @cost(%v: tensor<1024xf32>, %x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  // expected-remark @+1 {{computing it there costs 838888 ns, in a kernel of its own 1286 ns [RecomputeCostsMore]}}
  %0 = tandem.exp %v : tensor<1024xf32>
  // expected-remark @+2 {{ConsumerNotFusible}}
  // expected-note @+1 {{the kernel's root}}
  %1 = tandem.mul %x, %0 : (tensor<4096x1024xf32>, tensor<1024xf32>) -> tensor<4096x1024xf32>
  return %1 : tensor<4096x1024xf32>
}

// -----

func.func @results(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  // expected-remark @+2 {{ConsumerNotFusible}}
  // expected-remark @+1 {{not joined with the kernel of 'tandem.sin': the kernel would have 3 results, more than 2 [TooManyResults]}}
  %0 = tandem.neg %x : tensor<64xf32>
  %1 = tandem.abs %x : tensor<64xf32>
  // expected-remark @+2 {{ConsumerNotFusible}}
  // expected-note @+1 {{the kernel's root}}
  %2 = tandem.sin %x : tensor<64xf32>
  return %0, %1, %2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

func.func @spaces(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<4x8xf32>) {
  // expected-remark @+2 {{NeededOutside}}
  // expected-remark @+1 {{not one more result of the kernel of 'tandem.slice': the loops run over different spaces [DifferentIterationSpace]}}
  %0 = tandem.exp %x : tensor<8x8xf32>
  // expected-remark @+2 {{ConsumerNotFusible}}
  // expected-note @+1 {{the kernel's root}}
  %1 = tandem.slice %0 starts = [0, 0] limits = [4, 8] strides = [1, 1]
      : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<4x8xf32>
}

// -----

func.func @body(%x: tensor<8x20x20x1xf32>, %w: tensor<5x5x1x4xf32>) -> tensor<8x16x16x4xf32> {
  // expected-remark @+1 {{the kernel would read 26 elements per result, more than 24 [BodyTooLarge]}}
  %0 = tandem.conv %x, %w layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
      : (tensor<8x20x20x1xf32>, tensor<5x5x1x4xf32>) -> tensor<8x16x16x4xf32>
  // expected-remark @+2 {{ConsumerNotFusible}}
  // expected-note @+1 {{the kernel's root}}
  %1 = tandem.relu %0 : tensor<8x16x16x4xf32>
  return %1 : tensor<8x16x16x4xf32>
}

// -----

func.func @reshape(%x: tensor<8x8xf32>) -> tensor<64xf32> {
  // expected-remark @+1 {{ConsumerNotFusible}}
  %0 = tandem.exp %x : tensor<8x8xf32>
  // expected-remark @+1 {{its indexing needs divisions [NoSimpleIndexing]}}
  %1 = tandem.reshape %0 shape = [64] : (tensor<8x8xf32>) -> tensor<64xf32>
  // expected-remark @+2 {{ConsumerNotFusible}}
  // expected-note @+1 {{the kernel's root}}
  %2 = tandem.exp %1 : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

// 27 multiply-adds, four times over.
func.func @nested(%x: tensor<2x3x32x32xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<2x8x15x15xf32> {
  // expected-remark @+1 {{not fused into the kernel of 'tandem.max_pool': the kernel would read 108 elements per result, more than 64 [BodyTooLarge]}}
  %0 = tandem.conv %x, %w layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<2x3x32x32xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x30x30xf32>
  // expected-remark @+2 {{ConsumerNotFusible}}
  // expected-note @+1 {{the kernel's root}}
  %1 = tandem.max_pool %0 layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<2x8x30x30xf32>) -> tensor<2x8x15x15xf32>
  return %1 : tensor<2x8x15x15xf32>
}

// -----

// Each element would be chosen among all of them.
func.func @many(%x: tensor<4xf32>) -> tensor<132xf32> {
  // expected-remark @+1 {{no consumer of it is a kernel [ConsumerNotFusible]}}
  %0 = tandem.neg %x : tensor<4xf32>
  // expected-remark @+1 {{it joins 33 operands, more than 32 [TooManyOperands]}}
  %1 = tandem.concat %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0 axis = 0
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<132xf32>
  return %1 : tensor<132xf32>
}

// -----

// Nor among as many of two concats.
func.func @many_nested(%x: tensor<4xf32>) -> tensor<112xf32> {
  // expected-remark @+1 {{the kernel would read 29 elements per result, more than 24 [BodyTooLarge]}}
  %0 = tandem.concat %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x axis = 0
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<56xf32>
  // expected-remark @+2 {{ConsumerNotFusible}}
  // expected-note @+1 {{the kernel's root}}
  %1 = tandem.concat %0, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x axis = 0
      : (tensor<56xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<112xf32>
  return %1 : tensor<112xf32>
}

// -----

// As a step, the slice is a view of the argument.
func.func @slice_of_argument(%x: tensor<64xf32>) -> tensor<16xf32> {
  // expected-remark @+1 {{it is a view of an argument [ViewOfArgument]}}
  %0 = tandem.slice %x starts = [16] limits = [32] strides = [1] : (tensor<64xf32>) -> tensor<16xf32>
  // expected-remark @+2 {{ConsumerNotFusible}}
  // expected-note @+1 {{the kernel's root}}
  %1 = tandem.exp %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// The product is computed at its place in the concat.
func.func @concat_of_product(%x: tensor<8x64xf32>, %w: tensor<64x8xf32>, %y: tensor<4x8xf32>)
    -> tensor<12x8xf32> {
  // expected-remark @+1 {{TooManyReads}}
  %0 = tandem.matmul %x, %w : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  // expected-remark @+1 {{its operands can be computed in place of its result [WrittenInPlace]}}
  %1 = tandem.concat %0, %y axis = 0 : (tensor<8x8xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
  // expected-remark @+2 {{ConsumerNotFusible}}
  // expected-note @+1 {{the kernel's root}}
  %2 = tandem.exp %1 : tensor<12x8xf32>
  return %2 : tensor<12x8xf32>
}
