"""torch.compile(model, backend="tandem").

    import tandem.torch

    model = torch.compile(model, backend="tandem")
    with torch.no_grad():
        y = model(x)

Importing `tandem.torch` imports torch.
"""

from ._backend import backend
from ._export import Coverage, Module, coverage, load
from ._importer import Fallback

__all__ = ["Coverage", "Fallback", "Module", "backend", "coverage", "load"]
