"""torch.compile(model, backend="tandem").

    import tandem.torch

    model = torch.compile(model, backend="tandem")
    with torch.no_grad():
        y = model(x)

`training_step` makes one function of a whole step of training. Importing `tandem.torch`
imports torch.
"""

import importlib.metadata
import pathlib

import torch

from .. import _tandem

from ._version import warn_of_other_version

# This precedes the imports of modules that may fail with another version of
# torch.
warn_of_other_version(torch.__version__)

from ._backend import backend  # noqa: E402
from ._breaks import GraphBreak  # noqa: E402
from ._export import Coverage, Module, coverage, load  # noqa: E402
from ._function import as_function  # noqa: E402
from ._importer import Fallback  # noqa: E402
from ._report import GraphReport, Report, graph_functions, report  # noqa: E402
from ._step import TrainingStep, training_step  # noqa: E402

# Kernels run on the OpenMP workers of torch. If Tandem had its own workers, they would
# slow down the ops of torch.
_tandem.share_openmp(str(pathlib.Path(torch.__file__).with_name("lib") / "libtorch_cpu.so"))

# torch finds the backend of an installed package by its entry point.
if not any(point.name == "tandem"
           for point in importlib.metadata.entry_points(group="torch_dynamo_backends")):
    torch._dynamo.register_backend(backend, name="tandem")

__all__ = ["Coverage", "Fallback", "GraphBreak", "GraphReport", "Module", "Report",
           "TrainingStep", "as_function", "backend", "coverage", "graph_functions", "load",
           "report", "training_step"]
