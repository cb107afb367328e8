// RUN: tandem-opt %s --tandem-expand-math='avx512=true' | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: tandem-opt %s --tandem-expand-math | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: tandem-opt %s --tandem-expand-math='fma=false' | FileCheck %s --check-prefix=LIBM
// RUN: tandem-opt %s --tandem-expand-math='stock=true' | FileCheck %s --check-prefix=STOCK

// A table in two registers, and a multiplication by powers of two, before which
// there is one bound; without AVX-512, powers from bits.

// CHECK-LABEL: func.func @exp
// WIDE-NOT: cmpf
// WIDE: vpermi2var.ps.512
// WIDE: cmpf olt
// WIDE-NOT: cmpf
// WIDE: mask.scalef.ps.512
// NARROW-NOT: call_intrinsic
// NARROW: arith.shli
// STOCK-LABEL: func.func @exp
// STOCK-NOT: call_intrinsic
// STOCK-NOT: math.exp
// STOCK: return
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Its sign goes into constants, whichever factor it is of.

// CHECK-LABEL: func.func @exp_of_negated
// WIDE-SAME: %[[X:[a-z0-9]+]]: vector<16xf32>, %[[Y:[a-z0-9]+]]: vector<16xf32>
// WIDE: %[[V:.*]] = arith.mulf %[[X]], %[[Y]]
// WIDE: %[[FACTOR:.*]] = arith.constant dense<-1.44269502>
// WIDE: math.fma %[[V]], %[[FACTOR]],
// WIDE: %[[W:.*]] = arith.mulf %[[X]], %[[Y]]
// WIDE: math.fma %[[W]], %{{.*}},
// WIDE: math.fma %[[X]], %{{.*}},
// CHECK: return
func.func @exp_of_negated(%x: vector<16xf32>, %y: vector<16xf32>)
    -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
  %0 = arith.negf %x : vector<16xf32>
  %1 = arith.mulf %0, %y : vector<16xf32>
  %2 = math.exp %1 : vector<16xf32>
  %3 = arith.mulf %y, %0 : vector<16xf32>
  %4 = math.exp %3 : vector<16xf32>
  %5 = math.exp %0 : vector<16xf32>
  return %2, %4, %5 : vector<16xf32>, vector<16xf32>, vector<16xf32>
}

// Registers are looked up one by one: the tables are as wide as they are.

// CHECK-LABEL: func.func @tanh
// WIDE-COUNT-2: vpermi2var.ps.512
// WIDE-NOT: vpermi2var
// CHECK: arith.divf
// CHECK-NOT: math.tanh
func.func @tanh(%x: vector<32xf32>) -> vector<32xf32> {
  %0 = math.tanh %x : vector<32xf32>
  return %0 : vector<32xf32>
}

// What does not fill registers takes no instruction of AVX-512.

// CHECK-LABEL: func.func @scalar
// CHECK-NOT: call_intrinsic
// CHECK-NOT: math.erf
// CHECK: return
func.func @scalar(%x: f32, %y: vector<8xf32>) -> (f32, vector<8xf32>) {
  %0 = math.erf %x : f32
  %1 = math.exp %y : vector<8xf32>
  return %0, %1 : f32, vector<8xf32>
}

// Functions of f64 multiply by powers of two; they have no tables.

// CHECK-LABEL: func.func @precise
// CHECK-NOT: vpermi2var
// WIDE: mask.scalef.pd.512
// NARROW-NOT: call_intrinsic
// NARROW: arith.shli {{.*}} : vector<8xi64>
// CHECK-NOT: math.exp
// CHECK: arith.divf
// CHECK-NOT: math.{{tanh|log|log1p|expm1|erf}}
// CHECK: return
// STOCK-LABEL: func.func @precise
// STOCK: math.tanh {{.*}} : vector<8xf64>
func.func @precise(%x: vector<8xf64>) -> vector<8xf64> {
  %0 = math.exp %x : vector<8xf64>
  %1 = math.tanh %0 : vector<8xf64>
  %2 = math.log %1 : vector<8xf64>
  %3 = math.log1p %2 : vector<8xf64>
  %4 = math.expm1 %3 : vector<8xf64>
  %5 = math.erf %4 : vector<8xf64>
  return %5 : vector<8xf64>
}

// 1 + erf(x) is one exponential, without the part for small numbers.

// CHECK-LABEL: func.func @one_plus_erf
// WIDE-COUNT-1: mask.scalef.ps.512
// WIDE-NOT: mask.scalef.ps.512
// CHECK: %[[BEYOND:.*]] = arith.select
// CHECK: %[[REST:.*]] = arith.select %{{.*}}, %{{.*}}, %[[BEYOND]]
// CHECK: %[[NEGATIVE:.*]] = arith.cmpf olt, %arg0,
// CHECK: %[[OTHER:.*]] = arith.subf %{{.*}}, %[[REST]]
// CHECK: %[[SUM:.*]] = arith.select %[[NEGATIVE]], %[[REST]], %[[OTHER]]
// CHECK: return %[[SUM]]
func.func @one_plus_erf(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %0 = math.erf %x : vector<16xf32>
  %1 = arith.addf %one, %0 : vector<16xf32>
  return %1 : vector<16xf32>
}

// So is 1 + tanh(x), a quotient by 1 + exp(-2x).

// CHECK-LABEL: func.func @one_plus_tanh
// WIDE: vpermi2var.ps.512
// WIDE: mask.scalef.ps.512
// CHECK: arith.divf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK-NOT: copysign
// CHECK: return
func.func @one_plus_tanh(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %0 = math.tanh %x : vector<16xf32>
  %1 = arith.addf %0, %one : vector<16xf32>
  return %1 : vector<16xf32>
}

// But not where the function has another use.

// CHECK-LABEL: func.func @erf_too
// CHECK: %[[SUM:.*]] = arith.addf %[[ERF:.*]], %{{.*}}
// CHECK: return %[[ERF]], %[[SUM]]
func.func @erf_too(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %0 = math.erf %x : vector<16xf32>
  %1 = arith.addf %0, %one : vector<16xf32>
  return %0, %1 : vector<16xf32>, vector<16xf32>
}

// A power of f32 is computed in f64, and rounded once; one of f64 is an
// exponential of two numbers.

// CHECK-LABEL: func.func @pow
// CHECK: arith.extf {{.*}} : vector<16xf32> to vector<16xf64>
// CHECK: arith.truncf {{.*}} : vector<16xf64> to vector<16xf32>
// CHECK: math.floor
// CHECK-NOT: arith.extf
// CHECK: arith.divf {{.*}} : vector<8xf64>
// WIDE: mask.scalef.pd.512
// CHECK-NOT: math.powf
// CHECK: return
// LIBM-LABEL: func.func @pow
// LIBM: math.powf {{.*}} : vector<16xf32>
// STOCK-LABEL: func.func @pow
// STOCK: math.powf {{.*}} : vector<8xf64>
func.func @pow(%x: vector<16xf32>, %y: vector<16xf32>, %z: vector<8xf64>)
    -> (vector<16xf32>, vector<8xf64>) {
  %0 = math.powf %x, %y : vector<16xf32>
  %1 = math.powf %z, %z : vector<8xf64>
  return %0, %1 : vector<16xf32>, vector<8xf64>
}

// In their own type, up to an argument from which on libm is called.

// CHECK-LABEL: func.func @periodic
// CHECK: scf.if
// CHECK: llvm.intr.sin
// CHECK: else
// CHECK-NOT: arith.extf
// CHECK: scf.if
// CHECK: llvm.intr.cos
// CHECK: else
// CHECK: math.fma {{.*}} : vector<8xf64>
// CHECK-NOT: math.{{sin|cos}}
// CHECK: return
func.func @periodic(%x: vector<16xf32>, %y: vector<8xf64>)
    -> (vector<16xf32>, vector<8xf64>) {
  %0 = math.sin %x : vector<16xf32>
  %1 = math.cos %y : vector<8xf64>
  return %0, %1 : vector<16xf32>, vector<8xf64>
}

// CHECK-LABEL: func.func @bounds
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[X]], %[[ZERO:.*]] : f32
// CHECK: %[[MAX:.*]] = arith.select %[[LESS]], %[[ZERO]], %[[X]]
// CHECK: %[[MORE:.*]] = arith.cmpf ogt, %[[MAX]], %[[SIX:.*]] : f32
// CHECK: arith.select %[[MORE]], %[[SIX]], %[[MAX]]
// CHECK-DAG: %[[BEYOND:.*]] = arith.cmpf ogt
// CHECK-DAG: %[[NAN:.*]] = arith.cmpf uno
// CHECK: arith.select %[[NAN]]
// CHECK-NOT: arith.maximumf
func.func @bounds(%x: f32, %y: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %0 = arith.maximumf %x, %zero : f32
  %1 = arith.minimumf %six, %0 : f32
  %2 = arith.maximumf %1, %y : f32
  return %2 : f32
}

// In integers: the instruction of AVX-512 BF16 flushes subnormal numbers. With
// AVX-512, NaN needs no other bits afterwards, and a mask chooses the lanes that
// are rounded up.

// CHECK-LABEL: func.func @round
// CHECK-NOT: arith.truncf
// WIDE: mask.fixupimm.ps.512
// WIDE-NOT: arith.ori
// NARROW: arith.ori
// CHECK: llvm.shufflevector {{.*}} [1, 3, 5, 7, {{.*}}, 31] : vector<32xi16>
func.func @round(%x: vector<16xf32>) -> vector<16xbf16> {
  %0 = arith.truncf %x : vector<16xf32> to vector<16xbf16>
  return %0 : vector<16xbf16>
}

// In integers on every host: LLVM would round a scalar again by the instruction.

// CHECK-LABEL: func.func @widen
// CHECK: arith.extui
// CHECK: arith.shli
// CHECK-NOT: arith.extf
func.func @widen(%x: vector<16xbf16>) -> vector<16xf32> {
  %0 = arith.extf %x : vector<16xbf16> to vector<16xf32>
  return %0 : vector<16xf32>
}

// What was bf16 and has only been chosen from is not rounded.

// CHECK-LABEL: func.func @choose
// CHECK-NOT: arith.addi
// CHECK: llvm.shufflevector
// CHECK: return
func.func @choose(%x: vector<16xbf16>, %y: vector<16xbf16>) -> vector<16xbf16> {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %0 = arith.extf %x : vector<16xbf16> to vector<16xf32>
  %1 = arith.extf %y : vector<16xbf16> to vector<16xf32>
  %2 = math.absf %0 : vector<16xf32>
  %3 = arith.maximumf %2, %1 : vector<16xf32>
  %4 = arith.minimumf %3, %zero : vector<16xf32>
  %5 = arith.negf %4 : vector<16xf32>
  %6 = arith.truncf %5 : vector<16xf32> to vector<16xbf16>
  return %6 : vector<16xbf16>
}

// A constant that bf16 does not have is rounded with what it may be chosen from.

// CHECK-LABEL: func.func @choose_rounded
// CHECK: arith.addi
func.func @choose_rounded(%x: vector<16xbf16>) -> vector<16xbf16> {
  %tenth = arith.constant dense<0.1> : vector<16xf32>
  %0 = arith.extf %x : vector<16xbf16> to vector<16xf32>
  %1 = arith.maximumf %0, %tenth : vector<16xf32>
  %2 = arith.truncf %1 : vector<16xf32> to vector<16xbf16>
  return %2 : vector<16xbf16>
}

// By way of f32, which has all integers of 16 bits. (Of more bits, the text of
// `cast` makes f32 or f64 first.)

// CHECK-LABEL: func.func @convert
// CHECK: arith.sitofp {{.*}} to vector<16xf32>
// CHECK: llvm.shufflevector
func.func @convert(%x: vector<16xi8>) -> vector<16xbf16> {
  %0 = arith.sitofp %x : vector<16xi8> to vector<16xbf16>
  return %0 : vector<16xbf16>
}

// f64 becomes f16 by way of f32, which is odd where digits are lost: that rounds
// once.

// CHECK-LABEL: func.func @halve
// CHECK: %[[NEAREST:.*]] = arith.truncf %{{.*}} : vector<8xf64> to vector<8xf32>
// CHECK: arith.extf %[[NEAREST]]
// CHECK: %[[IS_INEXACT:.*]] = arith.cmpf one
// CHECK: arith.select %[[IS_INEXACT]]
// CHECK: arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
func.func @halve(%x: vector<8xf64>) -> vector<8xf16> {
  %0 = arith.truncf %x : vector<8xf64> to vector<8xf16>
  return %0 : vector<8xf16>
}

// Floats of twice the bits divide integers; constants are left to LLVM. Of 64
// bits the inverse does, twice, and what is left then corrects the quotient.

// CHECK-LABEL: func.func @quotient
// CHECK: arith.divf {{.*}} : vector<16xf64>
// CHECK: arith.fptosi {{.*}} : vector<16xf64> to vector<16xi32>
// CHECK: arith.divf {{.*}} : vector<16xf32>
// CHECK: arith.fptosi {{.*}} : vector<16xf32> to vector<16xi8>
// CHECK: arith.divsi {{.*}} : vector<16xi32>
// WIDE: %[[INVERSE:.*]] = arith.divf {{.*}} : vector<16xf64>
// WIDE: arith.mulf %{{.*}}, %[[INVERSE]]
// WIDE: arith.muli
// WIDE: arith.mulf %{{.*}}, %[[INVERSE]]
// WIDE: arith.cmpi uge, {{.*}} : vector<16xi64>
// NARROW: arith.divsi {{.*}} : vector<16xi64>
func.func @quotient(%x: vector<16xi32>, %y: vector<16xi32>, %a: vector<16xi8>, %b: vector<16xi8>,
                    %c: vector<16xi64>) -> (vector<16xi32>, vector<16xi8>, vector<16xi32>, vector<16xi64>) {
  %seven = arith.constant dense<7> : vector<16xi32>
  %0 = arith.divsi %x, %y : vector<16xi32>
  %1 = arith.divsi %a, %b : vector<16xi8>
  %2 = arith.divsi %x, %seven : vector<16xi32>
  %3 = arith.divsi %c, %c : vector<16xi64>
  return %0, %1, %2, %3 : vector<16xi32>, vector<16xi8>, vector<16xi32>, vector<16xi64>
}

// Without a sign, quotients are never too far from zero.

// CHECK-LABEL: func.func @unsigned_quotient
// WIDE: %[[INVERSE:.*]] = arith.divf {{.*}} : vector<16xf64>
// WIDE: arith.mulf %{{.*}}, %[[INVERSE]]
// WIDE: arith.fptoui
// WIDE: arith.muli
// WIDE: arith.mulf %{{.*}}, %[[INVERSE]]
// WIDE: %[[IS_LARGE:.*]] = arith.cmpi uge, {{.*}} : vector<16xi64>
// WIDE: arith.select %[[IS_LARGE]]
// WIDE-NEXT: return
// NARROW: arith.divui {{.*}} : vector<16xi64>
func.func @unsigned_quotient(%x: vector<16xi64>, %y: vector<16xi64>) -> vector<16xi64> {
  %0 = arith.divui %x, %y : vector<16xi64>
  return %0 : vector<16xi64>
}

// Quantizing rounds by an addition. The bounds are those before the zero point
// is added, and NaN becomes what leads to 0.

// CHECK-LABEL: func.func @quantize
// CHECK-NOT: arith.fptosi
// CHECK-DAG: arith.cmpf ord, %arg0, %arg0
// CHECK-DAG: arith.constant dense<-3.000000e+00>
// CHECK-DAG: arith.constant dense<-1.310000e+02>
// CHECK-DAG: arith.constant dense<1.240000e+02>
// CHECK-DAG: %[[SHIFT:.*]] = arith.constant dense<0x4B400000>
// CHECK: arith.addf {{.*}} %[[SHIFT]]
// CHECK: %[[I:.*]] = arith.bitcast {{.*}} : vector<8xf32> to vector<8xi32>
// CHECK: %[[BITS:.*]] = arith.constant dense<1262485501> : vector<8xi32>
// CHECK: arith.subi %[[I]], %[[BITS]]
func.func @quantize(%x: vector<8xf32>) -> vector<8xi32> {
  %z = arith.constant dense<3.0> : vector<8xf32>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %low = arith.constant dense<-128.0> : vector<8xf32>
  %high = arith.constant dense<127.0> : vector<8xf32>
  %0 = math.roundeven %x : vector<8xf32>
  %1 = arith.addf %0, %z : vector<8xf32>
  %2 = arith.cmpf ord, %1, %1 : vector<8xf32>
  %3 = arith.select %2, %1, %zero : vector<8xi1>, vector<8xf32>
  %4 = arith.cmpf ogt, %3, %low : vector<8xf32>
  %5 = arith.select %4, %3, %low : vector<8xi1>, vector<8xf32>
  %6 = arith.cmpf olt, %5, %high : vector<8xf32>
  %7 = arith.select %6, %5, %high : vector<8xi1>, vector<8xf32>
  %8 = arith.fptosi %7 : vector<8xf32> to vector<8xi32>
  return %8 : vector<8xi32>
}

// A range that needs more than 22 bits, and what was not rounded, are converted.

// CHECK-LABEL: func.func @not_quantized
// CHECK-COUNT-2: arith.fptosi
func.func @not_quantized(%x: f32) -> (i32, i32) {
  %zero = arith.constant 0.0 : f32
  %large = arith.constant 4194304.0 : f32
  %high = arith.constant 127.0 : f32
  %0 = math.roundeven %x : f32
  %1 = arith.cmpf ord, %0, %0 : f32
  %2 = arith.select %1, %0, %zero : f32
  %3 = arith.cmpf ogt, %2, %zero : f32
  %4 = arith.select %3, %2, %zero : f32
  %5 = arith.cmpf olt, %4, %large : f32
  %6 = arith.select %5, %4, %large : f32
  %7 = arith.fptosi %6 : f32 to i32
  %8 = arith.cmpf ord, %x, %x : f32
  %9 = arith.select %8, %x, %zero : f32
  %10 = arith.cmpf ogt, %9, %zero : f32
  %11 = arith.select %10, %9, %zero : f32
  %12 = arith.cmpf olt, %11, %high : f32
  %13 = arith.select %12, %11, %high : f32
  %14 = arith.fptosi %13 : f32 to i32
  return %7, %14 : i32, i32
}
