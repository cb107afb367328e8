"""Writes a matrix product whose weights, a resource of 512 KiB, are transposed:
that is done when compiling, whoever computes the product."""

import struct
import sys

INPUTS, OUTPUTS = 256, 512
weights = b"".join(struct.pack("<f", i % 7 - 3) for i in range(INPUTS * OUTPUTS))
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write(f"""
func.func @main(%x: tensor<?x{INPUTS}xf32> {{tandem.dims = ["N", ""]}})
    -> tensor<?x{OUTPUTS}xf32> {{
  %w = tandem.constant dense_resource<w> : tensor<{OUTPUTS}x{INPUTS}xf32>
  %0 = tandem.transpose %w permutation = [1, 0]
      : (tensor<{OUTPUTS}x{INPUTS}xf32>) -> tensor<{INPUTS}x{OUTPUTS}xf32>
  %1 = tandem.matmul %x, %0
      : (tensor<?x{INPUTS}xf32>, tensor<{INPUTS}x{OUTPUTS}xf32>)
      -> tensor<?x{OUTPUTS}xf32>
  return %1 : tensor<?x{OUTPUTS}xf32>
}}
{{-# dialect_resources: {{ builtin: {{ w: "0x40000000{weights.hex()}" }} }} #-}}
""")
