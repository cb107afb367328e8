// Weights that are not transformed remain unchanged.

// RUN: tandem-opt %s --tandem-cpu-transform-weights=how=always --split-input-file | FileCheck %s --implicit-check-not=tandem_cpu.winograd_kernel

// A stride, other taps, groups, channels first.

// CHECK-LABEL: func.func @stride
func.func @stride(%x: tensor<1x9x9x8xf32>) -> tensor<1x4x4x16xf32> {
  %0 = tandem.fusion contraction (%a = %x)
      : (tensor<1x9x9x8xf32>) -> tensor<1x4x4x16xf32> {
    %w = tandem.constant dense<0.5> : tensor<3x3x8x16xf32>
    %1 = tandem.conv %a, %w
        layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        strides = [2, 2]
        : (tensor<1x9x9x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x4x4x16xf32>
    tandem.yield %1 : tensor<1x4x4x16xf32>
  }
  return %0 : tensor<1x4x4x16xf32>
}

// -----

// CHECK-LABEL: func.func @taps
func.func @taps(%x: tensor<1x9x9x8xf32>) -> tensor<1x7x5x16xf32> {
  %0 = tandem.fusion contraction (%a = %x)
      : (tensor<1x9x9x8xf32>) -> tensor<1x7x5x16xf32> {
    %w = tandem.constant dense<0.5> : tensor<3x5x8x16xf32>
    %1 = tandem.conv %a, %w
        layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        : (tensor<1x9x9x8xf32>, tensor<3x5x8x16xf32>) -> tensor<1x7x5x16xf32>
    tandem.yield %1 : tensor<1x7x5x16xf32>
  }
  return %0 : tensor<1x7x5x16xf32>
}

// -----

// CHECK-LABEL: func.func @groups
func.func @groups(%x: tensor<1x9x9x16xf32>) -> tensor<1x7x7x32xf32> {
  %0 = tandem.fusion contraction (%a = %x)
      : (tensor<1x9x9x16xf32>) -> tensor<1x7x7x32xf32> {
    %w = tandem.constant dense<0.5> : tensor<3x3x8x32xf32>
    %1 = tandem.conv %a, %w
        layout = <input = "NHWC", kernel = "HWIO", output = "NHWC"> groups = 2
        : (tensor<1x9x9x16xf32>, tensor<3x3x8x32xf32>) -> tensor<1x7x7x32xf32>
    tandem.yield %1 : tensor<1x7x7x32xf32>
  }
  return %0 : tensor<1x7x7x32xf32>
}

// -----

// CHECK-LABEL: func.func @channels_first
func.func @channels_first(%x: tensor<1x8x9x9xf32>) -> tensor<1x16x7x7xf32> {
  %0 = tandem.fusion contraction (%a = %x)
      : (tensor<1x8x9x9xf32>) -> tensor<1x16x7x7xf32> {
    %w = tandem.constant dense<0.5> : tensor<16x8x3x3xf32>
    %1 = tandem.conv %a, %w
        layout = <input = "NCHW", kernel = "OIHW", output = "NCHW">
        : (tensor<1x8x9x9xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x7x7xf32>
    tandem.yield %1 : tensor<1x16x7x7xf32>
  }
  return %0 : tensor<1x16x7x7xf32>
}

// -----

// Few inputs, whose sums are small beside the transforms' errors.

// CHECK-LABEL: func.func @few_inputs
func.func @few_inputs(%x: tensor<1x9x9x4xf32>) -> tensor<1x7x7x16xf32> {
  %0 = tandem.fusion contraction (%a = %x)
      : (tensor<1x9x9x4xf32>) -> tensor<1x7x7x16xf32> {
    %w = tandem.constant dense<0.5> : tensor<3x3x4x16xf32>
    %1 = tandem.conv %a, %w
        layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        : (tensor<1x9x9x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x7x7x16xf32>
    tandem.yield %1 : tensor<1x7x7x16xf32>
  }
  return %0 : tensor<1x7x7x16xf32>
}

// -----

// Weights that are not known, or whose bytes are not in the file.

// CHECK-LABEL: func.func @argument
func.func @argument(%x: tensor<1x9x9x8xf32>, %w: tensor<3x3x8x16xf32>)
    -> tensor<1x7x7x16xf32> {
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x9x9x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x7x7x16xf32> {
    %1 = tandem.conv %a, %b
        layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        : (tensor<1x9x9x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x7x7x16xf32>
    tandem.yield %1 : tensor<1x7x7x16xf32>
  }
  return %0 : tensor<1x7x7x16xf32>
}

// -----

// CHECK-LABEL: func.func @missing
func.func @missing(%x: tensor<1x9x9x8xf32>) -> tensor<1x7x7x16xf32> {
  %w = tandem.constant dense_resource<lost> : tensor<3x3x8x16xf32>
  %0 = tandem.fusion contraction (%a = %x, %b = %w)
      : (tensor<1x9x9x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x7x7x16xf32> {
    %1 = tandem.conv %a, %b
        layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        : (tensor<1x9x9x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x7x7x16xf32>
    tandem.yield %1 : tensor<1x7x7x16xf32>
  }
  return %0 : tensor<1x7x7x16xf32>
}

// -----

// Weights whose transform would not be finite, or hardly.

// CHECK-LABEL: func.func @infinite
func.func @infinite(%x: tensor<1x9x9x8xf32>) -> tensor<1x7x7x16xf32> {
  %0 = tandem.fusion contraction (%a = %x)
      : (tensor<1x9x9x8xf32>) -> tensor<1x7x7x16xf32> {
    %w = tandem.constant dense<0x7F800000> : tensor<3x3x8x16xf32>
    %1 = tandem.conv %a, %w
        layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        : (tensor<1x9x9x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x7x7x16xf32>
    tandem.yield %1 : tensor<1x7x7x16xf32>
  }
  return %0 : tensor<1x7x7x16xf32>
}

// -----

// CHECK-LABEL: func.func @nan
func.func @nan(%x: tensor<1x9x9x8xf32>) -> tensor<1x7x7x16xf32> {
  %0 = tandem.fusion contraction (%a = %x)
      : (tensor<1x9x9x8xf32>) -> tensor<1x7x7x16xf32> {
    %w = tandem.constant dense<0x7FC00000> : tensor<3x3x8x16xf32>
    %1 = tandem.conv %a, %w
        layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        : (tensor<1x9x9x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x7x7x16xf32>
    tandem.yield %1 : tensor<1x7x7x16xf32>
  }
  return %0 : tensor<1x7x7x16xf32>
}

// -----

// CHECK-LABEL: func.func @large
func.func @large(%x: tensor<1x9x9x8xf32>) -> tensor<1x7x7x16xf32> {
  %0 = tandem.fusion contraction (%a = %x)
      : (tensor<1x9x9x8xf32>) -> tensor<1x7x7x16xf32> {
    %w = tandem.constant dense<3.0e38> : tensor<3x3x8x16xf32>
    %1 = tandem.conv %a, %w
        layout = <input = "NHWC", kernel = "HWIO", output = "NHWC">
        : (tensor<1x9x9x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x7x7x16xf32>
    tandem.yield %1 : tensor<1x7x7x16xf32>
  }
  return %0 : tensor<1x7x7x16xf32>
}
