#===- transformer_block.py - A transformer block as text -------------------===#
#
# Part of Tandem, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Writes an encoder block of BERT's form as a function of the dialect."""


class TransformerBlock:
    """Emits an encoder block of BERT's form for N tokens, with few features."""
    FEATURES, HEADS, HIDDEN = 256, 4, 1024

    def __init__(self):
        self.arguments = [f'%x: {self.rows()} {{tandem.dims = ["N", ""]}}']
        self.lines = []

    @classmethod
    def rows(cls, columns=None):
        return f"tensor<?x{columns or cls.FEATURES}xf32>"

    def argument(self, name, type):
        self.arguments.append(f"%{name}: {type}")
        return f"%{name}"

    def emit(self, name, op, types, result):
        self.lines.append(f"  %{name} = tandem.{op}\n"
                          f"      : ({', '.join(types)}) -> {result}")
        return f"%{name}"

    def linear(self, x, name, inputs, outputs):
        """x W^T + b."""
        y, row = self.rows(outputs), f"tensor<{outputs}xf32>"
        weight = f"tensor<{outputs}x{inputs}xf32>"
        w = self.argument(f"{name}_weight", weight)
        b = self.argument(f"{name}_bias", row)
        product = self.emit(f"{name}_product", f"matmul {x}, {w} transpose_rhs",
                            [self.rows(inputs), weight], y)
        return self.emit(name, f"add {product}, {b}", [y, row], y)

    def heads(self, name, order):
        """The projection `name` as a batch of heads, with dims in `order`."""
        size = self.FEATURES // self.HEADS
        split = f"tensor<?x{self.HEADS}x{size}xf32>"
        x = self.linear("%x", name, self.FEATURES, self.FEATURES)
        x = self.emit(f"{name}_split",
                      f"reshape {x} shape = [-1, {self.HEADS}, {size}]",
                      [self.rows()], split)
        dims = ["?", str(self.HEADS), str(size)]
        result = f"tensor<{'x'.join(dims[i] for i in order)}xf32>"
        return self.emit(f"{name}_heads",
                         f"transpose {x} permutation = {order}",
                         [split], result), result

    def attention(self):
        q, queries = self.heads("query", [1, 0, 2])
        k, keys = self.heads("key", [1, 2, 0])
        v, values = self.heads("value", [1, 0, 2])
        scores = f"tensor<{self.HEADS}x?x?xf32>"
        self.lines.append("  %scale = tandem.constant dense<0.125>"
                          " : tensor<f32>")
        s = self.emit("scores", f"matmul {q}, {k}", [queries, keys], scores)
        s = self.emit("scaled", f"mul {s}, %scale", [scores, "tensor<f32>"],
                      scores)
        self.lines.append(f"  %weights = tandem.softmax {s} axis = 2"
                          f" : {scores}")
        a = self.emit("mixed", f"matmul %weights, {v}", [scores, values],
                      queries)
        split = f"tensor<?x{self.HEADS}x{self.FEATURES // self.HEADS}xf32>"
        a = self.emit("merged", f"transpose {a} permutation = [1, 0, 2]",
                      [queries], split)
        a = self.emit("context", f"reshape {a} shape = [-1, {self.FEATURES}]",
                      [split], self.rows())
        return self.linear(a, "attention", self.FEATURES, self.FEATURES)

    def add_norm(self, x, residual, name):
        """Layer norm of x + residual."""
        rows, one, row = self.rows(), "tensor<?x1xf32>", \
            f"tensor<{self.FEATURES}xf32>"
        scale = self.argument(f"{name}_scale", row)
        offset = self.argument(f"{name}_offset", row)
        x = self.emit(f"{name}_sum", f"add {x}, {residual}", [rows, rows], rows)
        mean = self.emit(f"{name}_mean",
                         f"reduce {x} kind = mean dims = [1] keep_dims", [rows],
                         one)
        x = self.emit(f"{name}_centered", f"sub {x}, {mean}", [rows, one], rows)
        squares = self.emit(f"{name}_squares", f"mul {x}, {x}", [rows, rows],
                            rows)
        variance = self.emit(
            f"{name}_variance",
            f"reduce {squares} kind = mean dims = [1] keep_dims", [rows], one)
        self.lines.append(f"  %{name}_epsilon = tandem.constant"
                          " dense<1.0e-12> : tensor<f32>")
        shifted = self.emit(f"{name}_shifted",
                            f"add {variance}, %{name}_epsilon",
                            [one, "tensor<f32>"], one)
        factor = self.emit(f"{name}_factor", f"rsqrt {shifted}", [one], one)
        x = self.emit(f"{name}_normal", f"mul {x}, {factor}", [rows, one], rows)
        x = self.emit(f"{name}_scaled", f"mul {x}, {scale}", [rows, row], rows)
        return self.emit(name, f"add {x}, {offset}", [rows, row], rows)


def transformer_block():
    block = TransformerBlock()
    a = block.add_norm(block.attention(), "%x", "norm1")
    b = block.linear(a, "hidden", block.FEATURES, block.HIDDEN)
    wide = block.rows(block.HIDDEN)
    b = block.emit("activated", f"gelu {b}", [wide], wide)
    b = block.linear(b, "output", block.HIDDEN, block.FEATURES)
    out = block.add_norm(b, a, "norm2")
    arguments = ",\n    ".join(block.arguments)
    body = "\n".join(block.lines)
    return f"""\
func.func @main(
    {arguments}) -> {block.rows()} {{
{body}
  return {out} : {block.rows()}
}}
"""
