// Whether two values of a file are computed in one kernel, and else why not.
// RUN: tandem-opt %s --fuse --why-not-fused=%%b,%%c | FileCheck %s --check-prefix=YES
// RUN: tandem-opt %s --fuse --why-not-fused=0,b | FileCheck %s --check-prefix=STEP
// RUN: tandem-opt %s --why-not-fused=%%a,c | FileCheck %s --check-prefix=CYCLE
// RUN: tandem-opt %s --fuse --why-not-fused=a,e | FileCheck %s --check-prefix=APART
// RUN: tandem-opt %s --fuse --why-not-fused=a,gone | FileCheck %s --check-prefix=GONE
// RUN: tandem-opt %s --fuse --fusion-fuel=0 --why-not-fused=b,c | FileCheck %s --check-prefix=FUEL
// RUN: not tandem-opt %s --fuse --why-not-fused=%%bb,c 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tandem-opt %s --fuse --why-not-fused=x,c 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not tandem-opt %s --fuse --why-not-fused=c 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not tandem-opt %s --fuse --why-not-fused=b,c --device-spec=pdp11 2>&1 | FileCheck %s --check-prefix=DEVICE

// YES: fused: both are in kernel 1 (loop)
// STEP: not fused:
// STEP-NEXT: 'tandem.custom_call' at line {{[0-9]+}} is an op step
// STEP-NEXT: 'tandem.tanh' at line {{[0-9]+}} is in kernel 1 (loop)
// STEP-NEXT: 'tandem.custom_call' at line {{[0-9]+}} was not fused into the kernel of 'tandem.mul' at line {{[0-9]+}}: its elements cannot be computed one at a time [NotElementwise]
// CYCLE: not fused:
// CYCLE-NEXT: 'tandem.exp' at line {{[0-9]+}} is in kernel 0 (loop)
// CYCLE-NEXT: 'tandem.mul' at line {{[0-9]+}} is in kernel 1 (loop)
// CYCLE-NEXT: the value is needed outside as well [NeededOutside]
// CYCLE-NEXT: 'tandem.exp' at line {{[0-9]+}} was not made one more result of the kernel of {{.*}}: the kernel would depend on its own result [WouldCycle]
// APART: not fused:
// APART: neither needs the other
// GONE: not fused:
// GONE-NEXT: the op at line {{[0-9]+}} is gone before fusion
// FUEL: not fused:
// FUEL: the fusion fuel is spent [OutOfFuel]
// NAME: error: no value '%bb' in @main; near are %b
// ARGUMENT: error: '%x' is an argument of @main: no op computes it
// TWO: error: --why-not-fused takes two names, as in --why-not-fused=%a,%b
// DEVICE: error: no device 'pdp11' is described; there are host, generic,

func.func @other(%x: tensor<64xf32>) -> tensor<64xf32> {
  %a = tandem.neg %x : tensor<64xf32>
  return %a : tensor<64xf32>
}

func.func @main(%x: tensor<64xf32>, %y: tensor<4xf32>)
    -> (tensor<64xf32>, tensor<4xf32>) {
  %d = tandem.add %x, %x : tensor<64xf32>
  %a = tandem.exp %d : tensor<64xf32>
  %0 = tandem.custom_call "f"(%a) : (tensor<64xf32>) -> tensor<64xf32>
  %b = tandem.tanh %0 : tensor<64xf32>
  %gone = tandem.neg %b : tensor<64xf32>
  %c = tandem.mul %b, %a : tensor<64xf32>
  %e = tandem.exp %y : tensor<4xf32>
  return %c, %e : tensor<64xf32>, tensor<4xf32>
}
