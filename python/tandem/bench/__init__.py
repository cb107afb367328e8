"""Comparisons with other systems, on the same calls.

    import tandem.bench

    result = tandem.bench.stream("models.py:make_bert", [(1, 8), (1, 12), (1, 8)])
    print(result)
    result.save("stream.html")

Importing `tandem.bench` does not import torch.
"""

from ._result import Row, Stream
from ._stream import stream

__all__ = ["Row", "Stream", "stream"]
