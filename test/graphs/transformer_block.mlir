// An encoder block of BERT's form: attention with 4 heads of 64 features, and two linear layers; weights are arguments.
// Written by utils/graphs/make-graphs.py.

func.func @main(
    %x: tensor<?x256xf32> {tandem.dims = ["N", ""]},
    %query_weight: tensor<256x256xf32>,
    %query_bias: tensor<256xf32>,
    %key_weight: tensor<256x256xf32>,
    %key_bias: tensor<256xf32>,
    %value_weight: tensor<256x256xf32>,
    %value_bias: tensor<256xf32>,
    %attention_weight: tensor<256x256xf32>,
    %attention_bias: tensor<256xf32>,
    %norm1_scale: tensor<256xf32>,
    %norm1_offset: tensor<256xf32>,
    %hidden_weight: tensor<1024x256xf32>,
    %hidden_bias: tensor<1024xf32>,
    %output_weight: tensor<256x1024xf32>,
    %output_bias: tensor<256xf32>,
    %norm2_scale: tensor<256xf32>,
    %norm2_offset: tensor<256xf32>) -> tensor<?x256xf32> {
  %query_product = tandem.matmul %x, %query_weight transpose_rhs
      : (tensor<?x256xf32>, tensor<256x256xf32>) -> tensor<?x256xf32>
  %query = tandem.add %query_product, %query_bias
      : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
  %query_split = tandem.reshape %query shape = [-1, 4, 64]
      : (tensor<?x256xf32>) -> tensor<?x4x64xf32>
  %query_heads = tandem.transpose %query_split permutation = [1, 0, 2]
      : (tensor<?x4x64xf32>) -> tensor<4x?x64xf32>
  %key_product = tandem.matmul %x, %key_weight transpose_rhs
      : (tensor<?x256xf32>, tensor<256x256xf32>) -> tensor<?x256xf32>
  %key = tandem.add %key_product, %key_bias
      : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
  %key_split = tandem.reshape %key shape = [-1, 4, 64]
      : (tensor<?x256xf32>) -> tensor<?x4x64xf32>
  %key_heads = tandem.transpose %key_split permutation = [1, 2, 0]
      : (tensor<?x4x64xf32>) -> tensor<4x64x?xf32>
  %value_product = tandem.matmul %x, %value_weight transpose_rhs
      : (tensor<?x256xf32>, tensor<256x256xf32>) -> tensor<?x256xf32>
  %value = tandem.add %value_product, %value_bias
      : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
  %value_split = tandem.reshape %value shape = [-1, 4, 64]
      : (tensor<?x256xf32>) -> tensor<?x4x64xf32>
  %value_heads = tandem.transpose %value_split permutation = [1, 0, 2]
      : (tensor<?x4x64xf32>) -> tensor<4x?x64xf32>
  %scale = tandem.constant dense<0.125> : tensor<f32>
  %scores = tandem.matmul %query_heads, %key_heads
      : (tensor<4x?x64xf32>, tensor<4x64x?xf32>) -> tensor<4x?x?xf32>
  %scaled = tandem.mul %scores, %scale
      : (tensor<4x?x?xf32>, tensor<f32>) -> tensor<4x?x?xf32>
  %weights = tandem.softmax %scaled axis = 2 : tensor<4x?x?xf32>
  %mixed = tandem.matmul %weights, %value_heads
      : (tensor<4x?x?xf32>, tensor<4x?x64xf32>) -> tensor<4x?x64xf32>
  %merged = tandem.transpose %mixed permutation = [1, 0, 2]
      : (tensor<4x?x64xf32>) -> tensor<?x4x64xf32>
  %context = tandem.reshape %merged shape = [-1, 256]
      : (tensor<?x4x64xf32>) -> tensor<?x256xf32>
  %attention_product = tandem.matmul %context, %attention_weight transpose_rhs
      : (tensor<?x256xf32>, tensor<256x256xf32>) -> tensor<?x256xf32>
  %attention = tandem.add %attention_product, %attention_bias
      : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
  %norm1_sum = tandem.add %attention, %x
      : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<?x256xf32>
  %norm1_mean = tandem.reduce %norm1_sum kind = mean dims = [1] keep_dims
      : (tensor<?x256xf32>) -> tensor<?x1xf32>
  %norm1_centered = tandem.sub %norm1_sum, %norm1_mean
      : (tensor<?x256xf32>, tensor<?x1xf32>) -> tensor<?x256xf32>
  %norm1_squares = tandem.mul %norm1_centered, %norm1_centered
      : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<?x256xf32>
  %norm1_variance = tandem.reduce %norm1_squares kind = mean dims = [1] keep_dims
      : (tensor<?x256xf32>) -> tensor<?x1xf32>
  %norm1_epsilon = tandem.constant dense<1.0e-12> : tensor<f32>
  %norm1_shifted = tandem.add %norm1_variance, %norm1_epsilon
      : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %norm1_factor = tandem.rsqrt %norm1_shifted
      : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %norm1_normal = tandem.mul %norm1_centered, %norm1_factor
      : (tensor<?x256xf32>, tensor<?x1xf32>) -> tensor<?x256xf32>
  %norm1_scaled = tandem.mul %norm1_normal, %norm1_scale
      : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
  %norm1 = tandem.add %norm1_scaled, %norm1_offset
      : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
  %hidden_product = tandem.matmul %norm1, %hidden_weight transpose_rhs
      : (tensor<?x256xf32>, tensor<1024x256xf32>) -> tensor<?x1024xf32>
  %hidden = tandem.add %hidden_product, %hidden_bias
      : (tensor<?x1024xf32>, tensor<1024xf32>) -> tensor<?x1024xf32>
  %activated = tandem.gelu %hidden
      : (tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %output_product = tandem.matmul %activated, %output_weight transpose_rhs
      : (tensor<?x1024xf32>, tensor<256x1024xf32>) -> tensor<?x256xf32>
  %output = tandem.add %output_product, %output_bias
      : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
  %norm2_sum = tandem.add %output, %norm1
      : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<?x256xf32>
  %norm2_mean = tandem.reduce %norm2_sum kind = mean dims = [1] keep_dims
      : (tensor<?x256xf32>) -> tensor<?x1xf32>
  %norm2_centered = tandem.sub %norm2_sum, %norm2_mean
      : (tensor<?x256xf32>, tensor<?x1xf32>) -> tensor<?x256xf32>
  %norm2_squares = tandem.mul %norm2_centered, %norm2_centered
      : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<?x256xf32>
  %norm2_variance = tandem.reduce %norm2_squares kind = mean dims = [1] keep_dims
      : (tensor<?x256xf32>) -> tensor<?x1xf32>
  %norm2_epsilon = tandem.constant dense<1.0e-12> : tensor<f32>
  %norm2_shifted = tandem.add %norm2_variance, %norm2_epsilon
      : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %norm2_factor = tandem.rsqrt %norm2_shifted
      : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %norm2_normal = tandem.mul %norm2_centered, %norm2_factor
      : (tensor<?x256xf32>, tensor<?x1xf32>) -> tensor<?x256xf32>
  %norm2_scaled = tandem.mul %norm2_normal, %norm2_scale
      : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
  %norm2 = tandem.add %norm2_scaled, %norm2_offset
      : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
  return %norm2 : tensor<?x256xf32>
}
