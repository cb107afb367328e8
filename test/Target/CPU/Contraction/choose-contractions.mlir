// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions))' | FileCheck %s
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions{how=library}))' | FileCheck %s --check-prefix=LIBRARY
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions{how=generated}))' | FileCheck %s --check-prefix=GENERATED
// RUN: not tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions{how=luck}))' 2>&1 | FileCheck %s --check-prefix=HOW
// RUN: not tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions{how=autotune}))' 2>&1 | FileCheck %s --check-prefix=AUTOTUNE
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions{how=library},tandem-fuse{contractions=cpu remarks=true}))' 2>&1 | FileCheck %s --check-prefix=FUSE
// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions{how=generated},tandem-fuse{contractions=cpu}))' 2>&1 | FileCheck %s --check-prefix=KERNEL

// RUN: tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions{notes=true}))' | FileCheck %s --check-prefix=NOTES
// RUN: not tandem-opt %s --pass-pipeline='builtin.module(func.func(tandem-cpu-choose-contractions{device-spec=pdp11}))' 2>&1 | FileCheck %s --check-prefix=DEVICE

// DEVICE: error: no device 'pdp11' is described; there are host,
// HOW: Cannot find option named 'luck'!
// AUTOTUNE: error: no pass autotunes contractions

// Channels fill the vectors, and the tile the registers.

// CHECK-LABEL: func.func @wide
// CHECK: tandem.matmul
// CHECK-NOT: tandem.library
// LIBRARY-LABEL: func.func @wide
// LIBRARY: tandem.matmul {{.*}}{tandem.library = array<i64: {{[1-9][0-9]*, [1-9][0-9]*}}>}
// GENERATED-NOT: tandem.library
// NOTES-LABEL: func.func @wide
// NOTES: tandem.matmul {{.*}}{tandem.generated = array<i64: {{[1-9][0-9]*, [1-9][0-9]*}}>}
// FUSE: remark: {{.*}}a library takes {{[0-9]+}} ns, a kernel {{[0-9]+}} ns
// FUSE-LABEL: func.func @wide
// FUSE-NOT: tandem.fusion contraction
// KERNEL-LABEL: func.func @wide
// KERNEL: tandem.fusion contraction
func.func @wide(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>)
    -> tensor<512x512xf32> {
  %0 = tandem.matmul %x, %w
      : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
