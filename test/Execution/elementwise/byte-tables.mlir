// Look-ups of bytes in tables, alone and in epilogues of contractions, with
// each way in which processors look up bytes.

// DEFINE: %{cpu} =
// DEFINE: %{check} = env TANDEM_CPU=%{cpu} tandem-run %s --check \
// DEFINE:   | FileCheck %s --implicit-check-not=FAIL

// RUN: %{check}
// RUN: tandem-run %s --check --threads=3 --target-option=contractions=generated | FileCheck %s --implicit-check-not=FAIL
// REDEFINE: %{cpu} = -avx512vbmi
// RUN: %{check}
// REDEFINE: %{cpu} = -avx512bw
// RUN: %{check}
// REDEFINE: %{cpu} = -avx512f
// RUN: %{check}
// REDEFINE: %{cpu} = -avx2
// RUN: %{check}
// CHECK-COUNT-9: compiled {{.*}} ok

func.func @main(%one: tensor<ui8>, %table0: tensor<256xui8>,
                %seven: tensor<7xui8>, %table1: tensor<256xi8>,
                %row: tensor<3x333xi8>, %table2: tensor<256xui8>,
                %padded: tensor<5x40xui8>, %epilogue: tensor<9x32xui8>,
                %grouped: tensor<1x48x9x11xui8>, %far: tensor<9x32xui8>,
                %numbers: tensor<9x32xui8>, %table3: tensor<2000xf32>,
                %two: tensor<37x96xui8>, %residual: tensor<37x59xui8>)
    -> (tensor<ui8>, tensor<7xi8>, tensor<3x333xui8>,
        tensor<7x44xui8>, tensor<9x97xui8>, tensor<1x48x9x11xi8>,
        tensor<9x97xui8>, tensor<9x97xf32>, tensor<37x59xui8>) {
  %0 = func.call @one(%one, %table0) : (tensor<ui8>, tensor<256xui8>) -> tensor<ui8>
  %1 = func.call @seven(%seven, %table1) : (tensor<7xui8>, tensor<256xi8>) -> tensor<7xi8>
  %2 = func.call @row(%row, %table0, %table2)
      : (tensor<3x333xi8>, tensor<256xui8>, tensor<256xui8>) -> tensor<3x333xui8>
  %3 = func.call @padded(%padded, %table0)
      : (tensor<5x40xui8>, tensor<256xui8>) -> tensor<7x44xui8>
  %4 = func.call @epilogue(%epilogue, %table0)
      : (tensor<9x32xui8>, tensor<256xui8>) -> tensor<9x97xui8>
  %5 = func.call @grouped(%grouped, %table1)
      : (tensor<1x48x9x11xui8>, tensor<256xi8>) -> tensor<1x48x9x11xi8>
  %6 = func.call @far(%far, %table0) : (tensor<9x32xui8>, tensor<256xui8>) -> tensor<9x97xui8>
  %7 = func.call @numbers(%numbers, %table3)
      : (tensor<9x32xui8>, tensor<2000xf32>) -> tensor<9x97xf32>
  %8 = func.call @two(%two, %residual, %table0, %table2)
      : (tensor<37x96xui8>, tensor<37x59xui8>, tensor<256xui8>, tensor<256xui8>) -> tensor<37x59xui8>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 :
      tensor<ui8>, tensor<7xi8>, tensor<3x333xui8>,
      tensor<7x44xui8>, tensor<9x97xui8>, tensor<1x48x9x11xi8>,
      tensor<9x97xui8>, tensor<9x97xf32>, tensor<37x59xui8>
}

func.func @one(%x: tensor<ui8>, %table: tensor<256xui8>) -> tensor<ui8> {
  %i = tandem.cast %x : (tensor<ui8>) -> tensor<i32>
  %0 = tandem.gather %table, %i axis = 0 : (tensor<256xui8>, tensor<i32>) -> tensor<ui8>
  return %0 : tensor<ui8>
}

func.func @seven(%x: tensor<7xui8>, %table: tensor<256xi8>) -> tensor<7xi8> {
  %i = tandem.cast %x : (tensor<7xui8>) -> tensor<7xi64>
  %0 = tandem.gather %table, %i axis = 0 : (tensor<256xi8>, tensor<7xi64>) -> tensor<7xi8>
  return %0 : tensor<7xi8>
}

// Vectors of the main loop, of the tail, and a last one that is not full. The
// index is computed, and there are two tables.
func.func @row(%x: tensor<3x333xi8>, %s: tensor<256xui8>, %t: tensor<256xui8>)
    -> tensor<3x333xui8> {
  %u = tandem.bitcast %x : (tensor<3x333xi8>) -> tensor<3x333xui8>
  %i = tandem.cast %u : (tensor<3x333xui8>) -> tensor<3x333xi32>
  %0 = tandem.gather %s, %i axis = 0 : (tensor<256xui8>, tensor<3x333xi32>) -> tensor<3x333xui8>
  %1 = tandem.bitwise_xor %0, %u : tensor<3x333xui8>
  %j = tandem.cast %1 : (tensor<3x333xui8>) -> tensor<3x333xi32>
  %2 = tandem.gather %t, %j axis = 0 : (tensor<256xui8>, tensor<3x333xi32>) -> tensor<3x333xui8>
  return %2 : tensor<3x333xui8>
}

func.func @padded(%x: tensor<5x40xui8>, %table: tensor<256xui8>) -> tensor<7x44xui8> {
  %i = tandem.cast %x : (tensor<5x40xui8>) -> tensor<5x40xi32>
  %0 = tandem.gather %table, %i axis = 0 : (tensor<256xui8>, tensor<5x40xi32>) -> tensor<5x40xui8>
  %1 = tandem.pad %0 low = [1, 2] high = [1, 2] interior = [0, 0] value = 9.0
      : (tensor<5x40xui8>) -> tensor<7x44xui8>
  return %1 : tensor<7x44xui8>
}

func.func @epilogue(%x: tensor<9x32xui8>, %table: tensor<256xui8>) -> tensor<9x97xui8> {
  %w = tandem.constant dense<3> : tensor<32x97xi8>
  %s = tandem.constant dense<0.011> : tensor<f32>
  %0 = tandem.matmul %x, %w widen : (tensor<9x32xui8>, tensor<32x97xi8>) -> tensor<9x97xi32>
  %1 = tandem.cast %0 : (tensor<9x97xi32>) -> tensor<9x97xf32>
  %2 = tandem.mul %1, %s : (tensor<9x97xf32>, tensor<f32>) -> tensor<9x97xf32>
  %3 = tandem.cast %2 : (tensor<9x97xf32>) -> tensor<9x97xui8>
  %i = tandem.cast %3 : (tensor<9x97xui8>) -> tensor<9x97xi32>
  %4 = tandem.gather %table, %i axis = 0 : (tensor<256xui8>, tensor<9x97xi32>) -> tensor<9x97xui8>
  return %4 : tensor<9x97xui8>
}

func.func @grouped(%x: tensor<1x48x9x11xui8>, %table: tensor<256xi8>) -> tensor<1x48x9x11xi8> {
  %w = tandem.constant dense<-5> : tensor<48x1x3x3xi8>
  %s = tandem.constant dense<-0.02> : tensor<f32>
  %0 = tandem.conv %x, %w layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1] groups = 48
      : (tensor<1x48x9x11xui8>, tensor<48x1x3x3xi8>) -> tensor<1x48x9x11xi32>
  %1 = tandem.cast %0 : (tensor<1x48x9x11xi32>) -> tensor<1x48x9x11xf32>
  %2 = tandem.mul %1, %s : (tensor<1x48x9x11xf32>, tensor<f32>) -> tensor<1x48x9x11xf32>
  %3 = tandem.cast %2 : (tensor<1x48x9x11xf32>) -> tensor<1x48x9x11xui8>
  %i = tandem.cast %3 : (tensor<1x48x9x11xui8>) -> tensor<1x48x9x11xi32>
  %4 = tandem.gather %table, %i axis = 0
      : (tensor<256xi8>, tensor<1x48x9x11xi32>) -> tensor<1x48x9x11xi8>
  return %4 : tensor<1x48x9x11xi8>
}

// Indices that are no bytes, beyond both ends of the table.
func.func @far(%x: tensor<9x32xui8>, %table: tensor<256xui8>) -> tensor<9x97xui8> {
  %w = tandem.constant dense<-3> : tensor<32x97xi8>
  %0 = tandem.matmul %x, %w widen : (tensor<9x32xui8>, tensor<32x97xi8>) -> tensor<9x97xi32>
  %1 = tandem.gather %table, %0 axis = 0 : (tensor<256xui8>, tensor<9x97xi32>) -> tensor<9x97xui8>
  return %1 : tensor<9x97xui8>
}

// A table of another type and size.
func.func @numbers(%x: tensor<9x32xui8>, %table: tensor<2000xf32>) -> tensor<9x97xf32> {
  %w = tandem.constant dense<2> : tensor<32x97xi8>
  %0 = tandem.matmul %x, %w widen : (tensor<9x32xui8>, tensor<32x97xi8>) -> tensor<9x97xi32>
  %1 = tandem.gather %table, %0 axis = 0 : (tensor<2000xf32>, tensor<9x97xi32>) -> tensor<9x97xf32>
  return %1 : tensor<9x97xf32>
}

// Two tables, one after the other, and a residual between them, in the loop over
// the vectors of a tile.
func.func @two(%x: tensor<37x96xui8>, %residual: tensor<37x59xui8>, %first: tensor<256xui8>,
               %second: tensor<256xui8>) -> tensor<37x59xui8> {
  %t = tandem.iota axis = 0 : tensor<5664xi32>
  %0 = tandem.cast %t : (tensor<5664xi32>) -> tensor<5664xi8>
  %w = tandem.reshape %0 shape = [96, 59] : (tensor<5664xi8>) -> tensor<96x59xi8>
  %s = tandem.constant dense<0.003> : tensor<f32>
  %1 = tandem.matmul %x, %w widen : (tensor<37x96xui8>, tensor<96x59xi8>) -> tensor<37x59xi32>
  %2 = tandem.cast %1 : (tensor<37x59xi32>) -> tensor<37x59xf32>
  %3 = tandem.mul %2, %s : (tensor<37x59xf32>, tensor<f32>) -> tensor<37x59xf32>
  %4 = tandem.round %3 : tensor<37x59xf32>
  %5 = tandem.cast %4 : (tensor<37x59xf32>) -> tensor<37x59xui8>
  %i = tandem.cast %5 : (tensor<37x59xui8>) -> tensor<37x59xi32>
  %6 = tandem.gather %first, %i axis = 0 : (tensor<256xui8>, tensor<37x59xi32>) -> tensor<37x59xui8>
  %7 = tandem.add %6, %residual : tensor<37x59xui8>
  %j = tandem.cast %7 : (tensor<37x59xui8>) -> tensor<37x59xi32>
  %8 = tandem.gather %second, %j axis = 0 : (tensor<256xui8>, tensor<37x59xi32>) -> tensor<37x59xui8>
  return %8 : tensor<37x59xui8>
}
