// A layer norm of single ops in f16, whose largest square overflows: the
// normalized values are zeros in every tier, as each op rounds its result. With
// f32 intermediates they are what NumPy computes in f32, in every tier, too.

// DEFINE: %{run} = tandem-run %s --print '--arg=[-10.5,8.25,6.5,795,22,16,44,-6.8125]:1x8'
// RUN: %{run} --tier=reference | FileCheck %s
// RUN: %{run} --tier=eager | FileCheck %s
// RUN: %{run} --tier=compiled | FileCheck %s
// RUN: %{run} --tier=auto --compile-ahead --repeat=20 --strict | FileCheck %s
// CHECK: {{\[\[0, 0, 0, 0, 0, 0, 0, 0\]\]}}

// DEFINE: %{wide} = %{run} --f16-intermediates=f32
// RUN: %{wide} --tier=reference | FileCheck %s --check-prefix=WIDE
// RUN: %{wide} --tier=eager | FileCheck %s --check-prefix=WIDE
// RUN: %{wide} --tier=compiled | FileCheck %s --check-prefix=WIDE
// RUN: %{wide} --tier=auto --compile-ahead --repeat=20 --strict | FileCheck %s --check-prefix=WIDE
// WIDE: {{\[\[}}-0.46143, -0.38916, -0.396, 2.6406, -0.33618, -0.35938, -0.25146, -0.44727{{\]\]}}

// RUN: not tandem-run %s --f16-intermediates=f64 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: --f16-intermediates: f64 not in {f16,f32}

func.func @main(%x: tensor<1x8xf16>) -> tensor<1x8xf16> {
  %mean = tandem.reduce %x kind = mean dims = [1] keep_dims : (tensor<1x8xf16>) -> tensor<1x1xf16>
  %centered = tandem.sub %x, %mean : (tensor<1x8xf16>, tensor<1x1xf16>) -> tensor<1x8xf16>
  %two = tandem.constant dense<2.0> : tensor<f16>
  %squares = tandem.pow %centered, %two : (tensor<1x8xf16>, tensor<f16>) -> tensor<1x8xf16>
  %variance = tandem.reduce %squares kind = mean dims = [1] keep_dims : (tensor<1x8xf16>) -> tensor<1x1xf16>
  %epsilon = tandem.constant dense<1.0e-5> : tensor<f16>
  %sum = tandem.add %variance, %epsilon : (tensor<1x1xf16>, tensor<f16>) -> tensor<1x1xf16>
  %deviation = tandem.sqrt %sum : tensor<1x1xf16>
  %result = tandem.div %centered, %deviation : (tensor<1x8xf16>, tensor<1x1xf16>) -> tensor<1x8xf16>
  return %result : tensor<1x8xf16>
}
