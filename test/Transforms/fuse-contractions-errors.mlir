// Ops that are not fused with contractions, and the reasons.
// RUN: tandem-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(tandem-fuse{remarks=1 contractions=cpu max-results=2 max-body-reads=4}))'

// RUN: not tandem-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tandem-fuse{contractions=abacus}))' 2>&1 | FileCheck %s
// CHECK: error: no target 'abacus' generates contractions

func.func @integers(%x: tensor<8x64xi32>, %w: tensor<64x8xi32>) -> tensor<8x8xi32> {
  // expected-remark @+2 {{not the hero of a kernel: no kernel can be generated around it: it is of none of f32, f16, bf16 and integers of 8 bits [NotGenerated]}}
  // expected-remark @+1 {{it reads 64 elements per result, more than 32 [TooManyReads]}}
  %0 = tandem.matmul %x, %w : (tensor<8x64xi32>, tensor<64x8xi32>) -> tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

// -----

func.func @dynamic(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @+2 {{no kernel can be generated around it: it has a type that is not static [NotGenerated]}}
  // expected-remark @+1 {{a shape is not static [DynamicShape]}}
  %0 = tandem.matmul %x, %w : (tensor<?x64xf32>, tensor<64x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

func.func @light(%x: tensor<8x100x1xf32>, %w: tensor<3x1x32xf32>) -> tensor<8x98x32xf32> {
  // expected-remark @+2 {{not the hero of a kernel: as part of a loop it costs 6017 ns, as a kernel of its own 6017 ns [LoopCostsLess]}}
  // expected-remark @+1 {{no consumer of it is a kernel [ConsumerNotFusible]}}
  %0 = tandem.conv %x, %w layout = <input = "NWC", kernel = "WIO", output = "NWC">
      : (tensor<8x100x1xf32>, tensor<3x1x32xf32>) -> tensor<8x98x32xf32>
  return %0 : tensor<8x98x32xf32>
}

// -----

func.func @epilogues(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<8x64x64xf32>)
    -> (tensor<64x64xf32>, tensor<8x64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark @+1 {{not part of the kernel of 'tandem.matmul': it is not elementwise [NotElementwiseOp]}}
  %1 = tandem.transpose %0 permutation = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark @+2 {{not part of the kernel of 'tandem.matmul': its shape is not one that the kernel works on [DifferentShape]}}
  // expected-remark @+1 {{[ConsumerNotFusible]}}
  %2 = tandem.add %0, %v : (tensor<64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
  // expected-remark @+1 {{it is not elementwise [NotElementwiseOp]}}
  %3 = tandem.softmax %0 axis = 1 : tensor<64x64xf32>
  // expected-remark @-1 {{its elements cannot be computed one at a time [NotElementwise]}}
  // expected-remark @+3 {{not part of the kernel of 'tandem.matmul': the kernel would depend on its own result [WouldCycle]}}
  // expected-remark @+2 {{[ConsumerNotFusible]}}
  // expected-note @+1 {{the kernel's root}}
  %4 = tandem.add %0, %3 : tensor<64x64xf32>
  return %1, %2, %3, %4 : tensor<64x64xf32>, tensor<8x64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

func.func @limits(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = tandem.tanh %0 : tensor<64x64xf32>
  // expected-remark @+2 {{not part of the kernel of 'tandem.matmul': the kernel would have 3 results, more than 2 [TooManyResults]}}
  // expected-remark @+1 {{[ConsumerNotFusible]}}
  %2 = tandem.exp %0 : tensor<64x64xf32>
  %3 = tandem.exp %1 : tensor<64x64xf32>
  %4 = tandem.neg %3 : tensor<64x64xf32>
  // expected-remark @+2 {{not part of the kernel of 'tandem.matmul': the kernel would read 5 elements per result, more than 4 [BodyTooLarge]}}
  // expected-remark @+1 {{[ConsumerNotFusible]}}
  %5 = tandem.neg %4 : tensor<64x64xf32>
  return %0, %2, %5 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// One row: tasks share out the outputs, and each would compute all of it.
func.func @again(%x: tensor<1x65536xf32>, %w: tensor<1024x65536xf32>) -> tensor<1x1024xf32> {
  // expected-remark @+2 {{not part of the kernel of 'tandem.matmul': computing it there costs}}
  // expected-remark @+1 {{ConsumerNotFusible}}
  %0 = tandem.tanh %x : tensor<1x65536xf32>
  // expected-note @+1 {{the kernel's root}}
  %1 = tandem.matmul %0, %w transpose_rhs : (tensor<1x65536xf32>, tensor<1024x65536xf32>) -> tensor<1x1024xf32>
  return %1 : tensor<1x1024xf32>
}

// -----

func.func @outside(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  // expected-remark @+2 {{not part of the kernel of 'tandem.matmul': the value is needed outside as well [NeededOutside]}}
  // expected-remark @+1 {{ConsumerNotFusible}}
  %0 = tandem.relu %x : tensor<64x64xf32>
  // expected-note @+1 {{the kernel's root}}
  %1 = tandem.matmul %0, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

func.func @weights(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark @+2 {{not part of the kernel of 'tandem.matmul': the kernel reads it as weights or bias as well, which come from memory [NotFromMemory]}}
  // expected-remark @+1 {{ConsumerNotFusible}}
  %0 = tandem.relu %x : tensor<64x64xf32>
  // expected-note @+1 {{the kernel's root}}
  %1 = tandem.matmul %0, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----

// Without a range of the data for each task.
func.func @apart(%x: tensor<2x16x28x28xf32>, %w: tensor<32x16x3x3xf32>, %y: tensor<40x64xf32>,
    %v: tensor<3x64x32xf32>, %z: tensor<2x300000xf32>, %u: tensor<300000x16xf32>)
    -> (tensor<2x32x26x26xf32>, tensor<3x40x32xf32>, tensor<2x16xf32>) {
  // expected-remark @+2 {{no task of the kernel can compute the data that it reads: the contraction has data whose inputs are not side by side, or whose positions are in another order [NotStaged]}}
  // expected-remark @+1 {{ConsumerNotFusible}}
  %0 = tandem.relu %x : tensor<2x16x28x28xf32>
  // expected-note @+1 {{the kernel's root}}
  %1 = tandem.conv %0, %w layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      : (tensor<2x16x28x28xf32>, tensor<32x16x3x3xf32>) -> tensor<2x32x26x26xf32>
  // expected-remark @+2 {{the contraction has data that several of a batch share [NotStaged]}}
  // expected-remark @+1 {{ConsumerNotFusible}}
  %2 = tandem.relu %y : tensor<40x64xf32>
  // expected-note @+1 {{the kernel's root}}
  %3 = tandem.matmul %2, %v : (tensor<40x64xf32>, tensor<3x64x32xf32>) -> tensor<3x40x32xf32>
  // expected-remark @+2 {{the contraction has data of which a few positions already are more than a cache holds [NotStaged]}}
  // expected-remark @+1 {{ConsumerNotFusible}}
  %4 = tandem.relu %z : tensor<2x300000xf32>
  // expected-note @+1 {{the kernel's root}}
  %5 = tandem.matmul %4, %u : (tensor<2x300000xf32>, tensor<300000x16xf32>) -> tensor<2x16xf32>
  return %1, %3, %5 : tensor<2x32x26x26xf32>, tensor<3x40x32xf32>, tensor<2x16xf32>
}
