"""Functions that several tests call."""

import tandem


def elementwise(op, *dtypes, rank=1):
    """A function of one op, with an output "result". It has an input for each dtype,
    "x", "y" and "z", all of the same sizes."""
    builder = tandem.Builder()
    dims = tuple(f"n{i}" for i in range(rank))
    inputs = [builder.input(dtype, (None,) * rank, dims=dims, name=name)
              for name, dtype in zip("xyz", dtypes)]
    return builder.build(builder.op(op, *inputs), names=["result"])


def convnet(filters, weights):
    """softmax(mean(relu(conv(x, filters))) @ weights) for images x, NCHW."""
    b = tandem.Builder()
    x = b.input("float32", (None, filters.shape[1], None, None),
                dims=("n", "", "h", "w"), name="x")
    y = b.conv(x, b.constant(filters), strides=[1, 1], pad_low=[0, 0],
               pad_high=[0, 0], dilations=[1, 1], input_layout="NCHW",
               kernel_layout="OIHW", output_layout="NCHW")
    y = b.reduce(b.relu(y), kind="mean", dims=[2, 3])
    return b.build(b.softmax(b.matmul(y, b.constant(weights)), axis=1))
