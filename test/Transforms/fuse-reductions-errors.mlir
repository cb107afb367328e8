// Ops that are not fused with reductions, and the reasons.
// RUN: tandem-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(tandem-fuse{remarks=1 reductions=1 max-results=2 max-body-reads=4}))'

func.func @argmax(%x: tensor<8x64xf32>) -> tensor<8xi64> {
  // expected-remark @+2 {{not the hero of a kernel: no kernel can be generated around it: it combines pairs of an element and its index [NotGenerated]}}
  // expected-remark @+1 {{[TooManyReads]}}
  %0 = tandem.reduce %x kind = argmax dims = [1] : (tensor<8x64xf32>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

// -----

func.func @small(%x: tensor<64x8xf32>) -> tensor<64xf32> {
  // expected-remark @+2 {{it reduces 8 elements, no more than the 32 that a loop takes, and gives nothing back to them [SmallReduction]}}
  // expected-remark @+1 {{[ConsumerNotFusible]}}
  %0 = tandem.reduce %x kind = sum dims = [1] : (tensor<64x8xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Rows where columns are reduced; another shape; no elementwise op; a view.
func.func @shapes(%x: tensor<64x64xf32>, %v: tensor<2x64x64xf32>)
    -> (tensor<64x64xf32>, tensor<2x64x64xf32>, tensor<64x64xf32>, tensor<8x8xf32>) {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.reduce %x kind = sum dims = [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  // expected-remark @+1 {{not part of the kernel of 'tandem.reduce': its shape is not one that the kernel works on [DifferentShape]}}
  %1 = tandem.div %x, %0 : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  // expected-remark @+2 {{its shape is not one that the kernel works on [DifferentShape]}}
  // expected-remark @+1 {{[ConsumerNotFusible]}}
  %2 = tandem.div %v, %0 : (tensor<2x64x64xf32>, tensor<64xf32>) -> tensor<2x64x64xf32>
  %3 = tandem.mul %0, %0 : tensor<64xf32>
  // expected-remark @+2 {{it is not elementwise [NotElementwiseOp]}}
  // expected-remark @+1 {{[NotElementwise]}}
  %4 = tandem.softmax %3 axis = 0 : tensor<64xf32>
  // expected-remark @+2 {{[ConsumerNotFusible]}}
  // expected-note @+1 {{the kernel's root}}
  %5 = tandem.mul %4, %x : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark @+2 {{its shape is not one that the kernel works on [DifferentShape]}}
  // expected-remark @+1 {{[ConsumerNotFusible]}}
  %6 = tandem.reshape %3 shape = [8, 8] : (tensor<64xf32>) -> tensor<8x8xf32>
  return %1, %2, %5, %6 : tensor<64x64xf32>, tensor<2x64x64xf32>, tensor<64x64xf32>, tensor<8x8xf32>
}

// -----

// The dims of a result are in another order than those that are reduced.
func.func @permuted(%x: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<32xf32>) {
  // expected-remark @+2 {{its shape is not one that the kernel works on [DifferentShape]}}
  // expected-remark @+1 {{[ConsumerNotFusible]}}
  %0 = tandem.abs %x : tensor<64x32xf32>
  %1 = tandem.broadcast %0 shape = [32, 64] dims = [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
  // expected-note @+1 {{the kernel's root}}
  %2 = tandem.reduce %1 kind = sum dims = [1] : (tensor<32x64xf32>) -> tensor<32xf32>
  return %0, %2 : tensor<64x32xf32>, tensor<32xf32>
}

// -----

func.func @view(%x: tensor<64x64xf32>) -> tensor<64x1xf32> {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.reduce %x kind = sum dims = [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  // expected-remark @+2 {{it is a view of the kernel's result [ViewAtEdge]}}
  // expected-remark @+1 {{[ConsumerNotFusible]}}
  %1 = tandem.reshape %0 shape = [64, 1] : (tensor<64xf32>) -> tensor<64x1xf32>
  return %1 : tensor<64x1xf32>
}

// -----

func.func @cycle(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.reduce %x kind = sum dims = [1] keep_dims : (tensor<64x64xf32>) -> tensor<64x1xf32>
  %1 = tandem.mul %0, %x : (tensor<64x1xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark @+2 {{[NotElementwiseOp]}}
  // expected-remark @+1 {{[NotElementwise]}}
  %2 = tandem.softmax %1 axis = 1 : tensor<64x64xf32>
  // expected-remark @+3 {{not part of the kernel of 'tandem.reduce': the kernel would depend on its own result [WouldCycle]}}
  // expected-remark @+2 {{[ConsumerNotFusible]}}
  // expected-note @+1 {{the kernel's root}}
  %3 = tandem.mul %1, %2 : tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// -----

func.func @limits(%x: tensor<64x64xf32>) -> (tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1xf32>) {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.reduce %x kind = sum dims = [1] keep_dims : (tensor<64x64xf32>) -> tensor<64x1xf32>
  %1 = tandem.exp %0 : tensor<64x1xf32>
  // expected-remark @+2 {{not part of the kernel of 'tandem.reduce': the kernel would have 3 results, more than 2 [TooManyResults]}}
  // expected-remark @+1 {{[ConsumerNotFusible]}}
  %2 = tandem.neg %0 : tensor<64x1xf32>
  %3 = tandem.exp %1 : tensor<64x1xf32>
  %4 = tandem.exp %3 : tensor<64x1xf32>
  // expected-remark @+2 {{not part of the kernel of 'tandem.reduce': the kernel would read 5 elements per result, more than 4 [BodyTooLarge]}}
  // expected-remark @+1 {{[ConsumerNotFusible]}}
  %5 = tandem.exp %4 : tensor<64x1xf32>
  return %0, %2, %5 : tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1xf32>
}

// -----

// One row: what follows would run on one core.
func.func @few_rows(%x: tensor<4194304xf32>, %y: tensor<4194304xf32>) -> tensor<4194304xf32> {
  // expected-note @+1 {{the kernel's root}}
  %0 = tandem.reduce %x kind = sum dims = [0] keep_dims : (tensor<4194304xf32>) -> tensor<1xf32>
  // expected-remark @+2 {{not part of the kernel of 'tandem.reduce': the kernel's few rows leave cores idle: there it costs 1761607 ns, in a kernel of its own 1720664 ns [FewRows]}}
  // expected-remark @+1 {{[ConsumerNotFusible]}}
  %1 = tandem.mul %y, %0 : (tensor<4194304xf32>, tensor<1xf32>) -> tensor<4194304xf32>
  return %1 : tensor<4194304xf32>
}
