// The loss of simplecnn: the mean cross entropy of its outputs and of labels.
// Written by utils/graphs/make-graphs.py.

func.func @main(
    %x: tensor<?x3x32x32xf32> {tandem.dims = ["N", "", "", ""]},
    %labels: tensor<?xi64> {tandem.dims = ["N"]},
    %kernel1: tensor<32x3x3x3xf32>, %bias1: tensor<32xf32>,
    %kernel2: tensor<64x32x3x3xf32>, %bias2: tensor<64xf32>,
    %weight3: tensor<512x4096xf32>, %bias3: tensor<512xf32>,
    %weight4: tensor<10x512xf32>, %bias4: tensor<10xf32>) -> tensor<f32> {
  %0 = tandem.conv %x, %kernel1, %bias1
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<?x3x32x32xf32>, tensor<32x3x3x3xf32>, tensor<32xf32>)
      -> tensor<?x32x32x32xf32>
  %1 = tandem.relu %0 : tensor<?x32x32x32xf32>
  %2 = tandem.max_pool %1 layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<?x32x32x32xf32>) -> tensor<?x32x16x16xf32>
  %3 = tandem.conv %2, %kernel2, %bias2
      layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
      pad_low = [1, 1] pad_high = [1, 1]
      : (tensor<?x32x16x16xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>)
      -> tensor<?x64x16x16xf32>
  %4 = tandem.relu %3 : tensor<?x64x16x16xf32>
  %5 = tandem.max_pool %4 layout = "NCHW" window = [2, 2] strides = [2, 2]
      : (tensor<?x64x16x16xf32>) -> tensor<?x64x8x8xf32>
  %6 = tandem.reshape %5 shape = [-1, 4096]
      : (tensor<?x64x8x8xf32>) -> tensor<?x4096xf32>
  %7 = tandem.matmul %6, %weight3 transpose_rhs
      : (tensor<?x4096xf32>, tensor<512x4096xf32>) -> tensor<?x512xf32>
  %8 = tandem.add %7, %bias3
      : (tensor<?x512xf32>, tensor<512xf32>) -> tensor<?x512xf32>
  %9 = tandem.relu %8 : tensor<?x512xf32>
  %10 = tandem.matmul %9, %weight4 transpose_rhs
      : (tensor<?x512xf32>, tensor<10x512xf32>) -> tensor<?x10xf32>
  %11 = tandem.add %10, %bias4
      : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %classes = tandem.iota axis = 0 : tensor<10x1xi64>
  %12 = tandem.compare %classes, %labels predicate = eq
      : (tensor<10x1xi64>, tensor<?xi64>) -> tensor<10x?xi1>
  %is_label = tandem.transpose %12 permutation = [1, 0]
      : (tensor<10x?xi1>) -> tensor<?x10xi1>
  %max = tandem.reduce %11 kind = max dims = [1] keep_dims
      : (tensor<?x10xf32>) -> tensor<?x1xf32>
  %13 = tandem.stop_gradient %max : tensor<?x1xf32>
  %14 = tandem.sub %11, %13
      : (tensor<?x10xf32>, tensor<?x1xf32>) -> tensor<?x10xf32>
  %15 = tandem.exp %14 : tensor<?x10xf32>
  %16 = tandem.reduce %15 kind = sum dims = [1] keep_dims
      : (tensor<?x10xf32>) -> tensor<?x1xf32>
  %17 = tandem.log %16 : tensor<?x1xf32>
  %18 = tandem.sub %17, %14
      : (tensor<?x1xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %zero = tandem.constant dense<0.0> : tensor<f32>
  %19 = tandem.select %is_label, %18, %zero
      : (tensor<?x10xi1>, tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
  %20 = tandem.reduce %19 kind = sum dims = [1]
      : (tensor<?x10xf32>) -> tensor<?xf32>
  %loss = tandem.reduce %20 kind = mean dims = [0]
      : (tensor<?xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
