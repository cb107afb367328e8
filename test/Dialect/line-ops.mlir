// RUN: tandem-opt %s | FileCheck %s
// RUN: tandem-opt %s | tandem-opt | FileCheck %s
// RUN: tandem-opt %s --mlir-print-op-generic | tandem-opt | FileCheck %s

// CHECK-LABEL: func @scan
func.func @scan(%x: tensor<?x8xf32>, %i: tensor<4xui8>) {
  // CHECK: tandem.scan %{{.*}} kind = sum axis = 1 : tensor<?x8xf32>
  %0 = tandem.scan %x kind = sum axis = 1 : tensor<?x8xf32>
  // CHECK: tandem.scan %{{.*}} kind = prod axis = 0 exclusive : tensor<4xui8>
  %1 = tandem.scan %i kind = prod axis = 0 exclusive : tensor<4xui8>
  // CHECK: tandem.scan %{{.*}} kind = max axis = 0 reverse : tensor<?x8xf32>
  %2 = tandem.scan %x kind = max axis = 0 reverse : tensor<?x8xf32>
  // CHECK: tandem.scan %{{.*}} kind = min axis = 1 exclusive reverse : tensor<?x8xf32>
  %3 = tandem.scan %x kind = min axis = 1 exclusive reverse : tensor<?x8xf32>
  // CHECK: tandem.scan %{{.*}} kind = log_sum_exp axis = 1 : tensor<?x8xf32>
  %4 = tandem.scan %x kind = log_sum_exp axis = 1 : tensor<?x8xf32>
  return
}

// CHECK-LABEL: func @fft
func.func @fft(%x: tensor<3x400xf32>, %y: tensor<?x5x2xf64>) {
  // CHECK: tandem.fft %{{.*}} kind = rfft axis = 1 : (tensor<3x400xf32>) -> tensor<3x201x2xf32>
  %0 = tandem.fft %x kind = rfft axis = 1 : (tensor<3x400xf32>) -> tensor<3x201x2xf32>
  // CHECK: tandem.fft %{{.*}} kind = irfft axis = 1 length = 400 : (tensor<3x201x2xf32>) -> tensor<3x400xf32>
  %1 = tandem.fft %0 kind = irfft axis = 1 length = 400 : (tensor<3x201x2xf32>) -> tensor<3x400xf32>
  // CHECK: tandem.fft %{{.*}} kind = fft axis = 0 : (tensor<?x5x2xf64>) -> tensor<?x5x2xf64>
  %2 = tandem.fft %y kind = fft axis = 0 : (tensor<?x5x2xf64>) -> tensor<?x5x2xf64>
  // CHECK: tandem.fft %{{.*}} kind = ifft axis = 1 : (tensor<?x5x2xf64>) -> tensor<?x5x2xf64>
  %3 = tandem.fft %y kind = ifft axis = 1 : (tensor<?x5x2xf64>) -> tensor<?x5x2xf64>
  return
}
