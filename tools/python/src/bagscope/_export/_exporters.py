"""The exporters of PyTorch, and the order in which they are tried.

From PyTorch 2.9 on, the exporter based on ``torch.export`` comes first: it is the default there,
and it refuses a module whose number of instances is fixed. The one based on TorchScript comes
second. It accepts Python code that ``torch.export`` does not, but writes numbers that Python
computed as constants without an error, so that only the proof finds them. Older versions try them
the other way around, because their ``torch.export`` knows fewer operators.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import torch

from ._file import File
from ._inputs import Example
from ._nystrom import unconditional
from ._outputs import flatten, graph_name
from ._symbolic import symbolic

INSTANCES = "instances"
"""The name of the dynamic axis in files."""

MOST = 1_900_000_000
"""Most bytes of weights inside of a file, which can have 2 GB."""


class Exported(torch.nn.Module):
    """Calls a module with an example's tensors and returns chosen outputs as a tuple."""

    def __init__(self, module: torch.nn.Module, example: Example, names: list[str]) -> None:
        super().__init__()
        self.module = module
        self.example = example
        self.names = names

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the outputs named at construction."""
        found = flatten(self.example.call(self.module, list(tensors)), torch.is_tensor)
        return tuple(found[name] for name in self.names)


Exporter = Callable[[torch.nn.Module, Example, list[str], Path], None]


def exporters() -> dict[str, Exporter]:
    """Return the exporters of this PyTorch by name, in the order in which they are tried."""
    known: dict[str, Exporter] = {"torchscript": _torchscript}
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        known["dynamo"] = _dynamo
    version = tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2])
    order = ("dynamo", "torchscript") if version >= (2, 9) else ("torchscript", "dynamo")
    return {name: known[name] for name in order if name in known}


def write(
    name: str,
    exporter: Exporter,
    module: torch.nn.Module,
    example: Example,
    outputs: list[str],
    file: str = "model.onnx",
) -> File:
    """Export a module to memory. Errors are those of the exporter.

    ``file`` is the name of the final file, because names of weights beside it derive from it.
    """
    with tempfile.TemporaryDirectory() as folder, unconditional(module), _quiet() as caught:
        path = Path(folder) / file
        exporter(module, example, outputs, path)
        external = {p.name: p.read_bytes() for p in Path(folder).iterdir() if p != path}
        data = path.read_bytes()
    warned = [(w.filename, w.lineno) for w in caught if "TracerWarning" in w.category.__name__]
    return File(data, external, warned)


def _torchscript(module: torch.nn.Module, example: Example, outputs: list[str], path: Path) -> None:
    new = "dynamo" in _parameters()
    options = {"dynamo": False} if new else {}
    axes = {n: dict.fromkeys(example.open_axes(n), INSTANCES) for n in example.tensors}
    with symbolic(module):
        torch.onnx.export(
            Exported(module, example, outputs),
            tuple(example.tensors.values()),
            str(path),
            input_names=list(example.tensors),
            output_names=[graph_name(n, example.tensors) for n in outputs],
            dynamic_axes=axes,
            # The first whose ScatterElements takes a maximum; versions before 2.5 write 17 at most.
            opset_version=18 if new else 17,
            **options,
        )


def _dynamo(module: torch.nn.Module, example: Example, outputs: list[str], path: Path) -> None:
    open_axis = torch.export.Dim.DYNAMIC
    options: dict[str, bool] = {"verbose": False} if "verbose" in _parameters() else {}
    if "external_data" in _parameters():
        # By default small weights lie in a second file too.
        options["external_data"] = _bytes(module) > MOST
    shapes = tuple(dict.fromkeys(example.open_axes(n), open_axis) for n in example.tensors)
    torch.onnx.export(
        Exported(module, example, outputs),
        tuple(example.tensors.values()),
        str(path),
        input_names=list(example.tensors),
        output_names=[graph_name(n, example.tensors) for n in outputs],
        dynamic_shapes={"tensors": shapes},
        dynamo=True,
        **options,
    )


def _bytes(module: torch.nn.Module) -> int:
    """Return the bytes of the weights."""
    return sum(t.numel() * t.element_size() for t in module.state_dict().values())


def _parameters() -> set[str]:
    return set(inspect.signature(torch.onnx.export).parameters)


@contextlib.contextmanager
def _quiet() -> Iterator[list[warnings.WarningMessage]]:
    """Record warnings and keep the exporters' reports off the terminal."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with (
            warnings.catch_warnings(record=True) as caught,
            open(os.devnull, "w") as nowhere,
            contextlib.redirect_stdout(nowhere),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("always")
            yield caught
    finally:
        logging.disable(level)
