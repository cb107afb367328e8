// RUN: tandem-opt %s --convert-kernel-to-emitc --split-input-file \
// RUN:   --verify-diagnostics

// expected-error @+1 {{failed to legalize operation 'func.func'}}
func.func @odd_type(%x: memref<4xi7>) {
  return
}

// -----

func.func @unknown(%x: memref<4xf32>) {
  %i = gpu.thread_id x
  %a = memref.load %x[%i] : memref<4xf32>
  // expected-error @+1 {{failed to legalize operation 'math.atanh'}}
  %0 = math.atanh %a : f32
  memref.store %0, %x[%i] : memref<4xf32>
  return
}

// -----

func.func @second_dimension(%x: memref<4xf32>) {
  // expected-error @+1 {{failed to legalize operation 'gpu.thread_id'}}
  %i = gpu.thread_id y
  %a = memref.load %x[%i] : memref<4xf32>
  memref.store %a, %x[%i] : memref<4xf32>
  return
}
