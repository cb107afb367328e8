// RUN: tandem-opt %s | FileCheck %s
// RUN: tandem-opt %s | tandem-opt | FileCheck %s
// RUN: tandem-opt %s --mlir-print-op-generic | tandem-opt | FileCheck %s

// CHECK-LABEL: func @unary
func.func @unary(%x: tensor<?x8xf32>, %p: tensor<4xi1>, %i: tensor<4xi32>) {
  // CHECK: tandem.neg %{{.*}} : tensor<?x8xf32>
  %0 = tandem.neg %x : tensor<?x8xf32>
  // CHECK: tandem.abs %{{.*}} : tensor<4xi32>
  %1 = tandem.abs %i : tensor<4xi32>
  // CHECK: tandem.sign %{{.*}} : tensor<?x8xf32>
  %2 = tandem.sign %x : tensor<?x8xf32>
  // CHECK: tandem.exp %{{.*}} : tensor<?x8xf32>
  %3 = tandem.exp %x : tensor<?x8xf32>
  // CHECK: tandem.expm1 %{{.*}} : tensor<?x8xf32>
  %4 = tandem.expm1 %x : tensor<?x8xf32>
  // CHECK: tandem.log %{{.*}} : tensor<?x8xf32>
  %5 = tandem.log %x : tensor<?x8xf32>
  // CHECK: tandem.log1p %{{.*}} : tensor<?x8xf32>
  %6 = tandem.log1p %x : tensor<?x8xf32>
  // CHECK: tandem.sqrt %{{.*}} : tensor<?x8xf32>
  %7 = tandem.sqrt %x : tensor<?x8xf32>
  // CHECK: tandem.rsqrt %{{.*}} : tensor<?x8xf32>
  %8 = tandem.rsqrt %x : tensor<?x8xf32>
  // CHECK: tandem.tanh %{{.*}} : tensor<?x8xf32>
  %9 = tandem.tanh %x : tensor<?x8xf32>
  // CHECK: tandem.sigmoid %{{.*}} : tensor<?x8xf32>
  %10 = tandem.sigmoid %x : tensor<?x8xf32>
  // CHECK: tandem.softplus %{{.*}} : tensor<?x8xf32>
  %softplus = tandem.softplus %x : tensor<?x8xf32>
  // CHECK: tandem.relu %{{.*}} : tensor<4xi32>
  %11 = tandem.relu %i : tensor<4xi32>
  // CHECK: tandem.gelu %{{[^ ]*}} : tensor<?x8xf32>
  %12 = tandem.gelu %x : tensor<?x8xf32>
  // CHECK: tandem.gelu %{{.*}} approximate_tanh : tensor<?x8xf32>
  %13 = tandem.gelu %x approximate_tanh : tensor<?x8xf32>
  // CHECK: tandem.erf %{{.*}} : tensor<?x8xf32>
  %14 = tandem.erf %x : tensor<?x8xf32>
  // CHECK: tandem.sin %{{.*}} : tensor<?x8xf32>
  %15 = tandem.sin %x : tensor<?x8xf32>
  // CHECK: tandem.cos %{{.*}} : tensor<?x8xf32>
  %16 = tandem.cos %x : tensor<?x8xf32>
  // CHECK: tandem.asin %{{.*}} : tensor<?x8xf32>
  %asin = tandem.asin %x : tensor<?x8xf32>
  // CHECK: tandem.acos %{{.*}} : tensor<?x8xf32>
  %acos = tandem.acos %x : tensor<?x8xf32>
  // CHECK: tandem.atan %{{.*}} : tensor<?x8xf32>
  %atan = tandem.atan %x : tensor<?x8xf32>
  // CHECK: tandem.floor %{{.*}} : tensor<?x8xf32>
  %17 = tandem.floor %x : tensor<?x8xf32>
  // CHECK: tandem.ceil %{{.*}} : tensor<?x8xf32>
  %18 = tandem.ceil %x : tensor<?x8xf32>
  // CHECK: tandem.round %{{.*}} : tensor<?x8xf32>
  %19 = tandem.round %x : tensor<?x8xf32>
  // CHECK: tandem.logical_not %{{.*}} : tensor<4xi1>
  %20 = tandem.logical_not %p : tensor<4xi1>
  // CHECK: tandem.cast %{{.*}} : (tensor<4xi1>) -> tensor<4xbf16>
  %21 = tandem.cast %p : (tensor<4xi1>) -> tensor<4xbf16>
  return
}

// Operands and result of one type are written once.
// CHECK-LABEL: func @binary
func.func @binary(%a: tensor<4x1xf32>, %b: tensor<8xf32>, %c: tensor<4xi64>,
                  %p: tensor<?x4xi1>) {
  // CHECK: tandem.add %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %0 = tandem.add %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: tandem.add %{{.*}}, %{{.*}} : tensor<8xf32>
  %1 = tandem.add %b, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tandem.sub %{{.*}}, %{{.*}} : tensor<4xi64>
  %2 = tandem.sub %c, %c : tensor<4xi64>
  // CHECK: tandem.mul %{{.*}}, %{{.*}} : tensor<8xf32>
  %3 = tandem.mul %b, %b : tensor<8xf32>
  // CHECK: tandem.div %{{.*}}, %{{.*}} : tensor<8xf32>
  %4 = tandem.div %b, %b : tensor<8xf32>
  // CHECK: tandem.max %{{.*}}, %{{.*}} : tensor<8xf32>
  %5 = tandem.max %b, %b : tensor<8xf32>
  // CHECK: tandem.min %{{.*}}, %{{.*}} : tensor<8xf32>
  %6 = tandem.min %b, %b : tensor<8xf32>
  // CHECK: tandem.pow %{{.*}}, %{{.*}} : tensor<4xi64>
  %7 = tandem.pow %c, %c : tensor<4xi64>
  // CHECK: tandem.compare %{{.*}}, %{{.*}} predicate = le : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  %8 = tandem.compare %a, %b predicate = le : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  // CHECK: tandem.compare %{{.*}}, %{{.*}} predicate = ne : tensor<?x4xi1>
  %9 = tandem.compare %p, %p predicate = ne : tensor<?x4xi1>
  // CHECK: tandem.logical_and %{{.*}}, %{{.*}} : tensor<?x4xi1>
  %10 = tandem.logical_and %p, %p : tensor<?x4xi1>
  // CHECK: tandem.logical_or %{{.*}}, %{{.*}} : tensor<?x4xi1>
  %11 = tandem.logical_or %p, %p : tensor<?x4xi1>
  // CHECK: tandem.rem %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %12 = tandem.rem %a, %b : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func @bits
func.func @bits(%a: tensor<4xui8>, %b: tensor<2x1xui8>, %x: tensor<?xf32>) {
  // CHECK: tandem.bitwise_not %{{.*}} : tensor<4xui8>
  %0 = tandem.bitwise_not %a : tensor<4xui8>
  // CHECK: tandem.bitwise_and %{{.*}}, %{{.*}} : (tensor<4xui8>, tensor<2x1xui8>) -> tensor<2x4xui8>
  %1 = tandem.bitwise_and %a, %b : (tensor<4xui8>, tensor<2x1xui8>) -> tensor<2x4xui8>
  // CHECK: tandem.bitwise_or %{{.*}}, %{{.*}} : tensor<4xui8>
  %2 = tandem.bitwise_or %a, %a : tensor<4xui8>
  // CHECK: tandem.bitwise_xor %{{.*}}, %{{.*}} : tensor<4xui8>
  %3 = tandem.bitwise_xor %a, %a : tensor<4xui8>
  // CHECK: tandem.shift_left %{{.*}}, %{{.*}} : tensor<4xui8>
  %4 = tandem.shift_left %a, %a : tensor<4xui8>
  // CHECK: tandem.shift_right %{{.*}}, %{{.*}} : tensor<4xui8>
  %5 = tandem.shift_right %a, %a : tensor<4xui8>
  // CHECK: tandem.bitcast %{{.*}} : (tensor<?xf32>) -> tensor<?xui32>
  %6 = tandem.bitcast %x : (tensor<?xf32>) -> tensor<?xui32>
  return
}

// CHECK-LABEL: func @ternary
func.func @ternary(%p: tensor<4x1xi1>, %a: tensor<8xf32>, %b: tensor<f32>) {
  // CHECK: tandem.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x1xi1>, tensor<8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %0 = tandem.select %p, %a, %b : (tensor<4x1xi1>, tensor<8xf32>, tensor<f32>) -> tensor<4x8xf32>
  // CHECK: tandem.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8xf32>, tensor<f32>, tensor<f32>) -> tensor<8xf32>
  %1 = tandem.clamp %a, %b, %b : (tensor<8xf32>, tensor<f32>, tensor<f32>) -> tensor<8xf32>
  return
}

// Every element type, and attributes that the dialect does not know.
// CHECK-LABEL: func @element_types
func.func @element_types(%a: tensor<f64>, %b: tensor<2xf16>, %c: tensor<2xbf16>,
                         %d: tensor<2xi8>, %e: tensor<2xi16>,
                         %f: tensor<2xui8>, %g: tensor<2xui64>) {
  // CHECK: tandem.exp %{{.*}} {note = "kept"} : tensor<f64>
  %0 = tandem.exp %a {note = "kept"} : tensor<f64>
  // CHECK: tandem.add %{{.*}}, %{{.*}} : tensor<2xf16>
  %1 = tandem.add %b, %b : tensor<2xf16>
  // CHECK: tandem.add %{{.*}}, %{{.*}} : tensor<2xbf16>
  %2 = tandem.add %c, %c : tensor<2xbf16>
  // CHECK: tandem.add %{{.*}}, %{{.*}} : tensor<2xi8>
  %3 = tandem.add %d, %d : tensor<2xi8>
  // CHECK: tandem.add %{{.*}}, %{{.*}} : tensor<2xi16>
  %4 = tandem.add %e, %e : tensor<2xi16>
  // CHECK: tandem.add %{{.*}}, %{{.*}} : tensor<2xui8>
  %5 = tandem.add %f, %f : tensor<2xui8>
  // CHECK: tandem.add %{{.*}}, %{{.*}} : tensor<2xui64>
  %6 = tandem.add %g, %g : tensor<2xui64>
  return
}

// A declared type may know less, or more, of dynamic dims.
// CHECK-LABEL: func @compatible_types
func.func @compatible_types(%a: tensor<4xf32>, %b: tensor<?xf32>) {
  // CHECK: tandem.neg %{{.*}} : (tensor<4xf32>) -> tensor<?xf32>
  %0 = tandem.neg %a : (tensor<4xf32>) -> tensor<?xf32>
  // CHECK: tandem.neg %{{.*}} : (tensor<?xf32>) -> tensor<4xf32>
  %1 = tandem.neg %b : (tensor<?xf32>) -> tensor<4xf32>
  return
}
