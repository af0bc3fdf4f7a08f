"""Which layer makes an exported file differ from its module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ._exporters import Exporter, write
from ._file import File
from ._inputs import Example
from ._judge import Judge, errors
from ._outputs import flatten
from ._proof import TOLERANCE, deviation

PROBES = 256
"""Most tensors that are compared; of larger modules, the outermost layers."""


@dataclass(frozen=True)
class Place:
    """The layer whose ``forward`` holds the cause, by its path in the module, "" for the module.

    ``between`` names the last layer with equal values and the first with different ones.
    """

    owner: str
    between: tuple[str, str]


class Probed(torch.nn.Module):
    """Calls a module and returns summaries of what its layers take and return.

    A summary is the mean, the mean square and the maximum, so that it has a fixed shape. Layers are
    numbered in the order of their calls.
    """

    def __init__(self, module: torch.nn.Module, depth: int) -> None:
        super().__init__()
        self.module = module
        self.depth = depth
        self.labels: list[tuple[str, str]] = []

    def forward(self, *args: torch.Tensor, **kwargs: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return the summaries by ``p0``, ``p1``, ... in the order of the calls."""
        summaries: list[torch.Tensor] = []
        self.labels = []
        handles = []
        for name, layer in self.module.named_modules():
            if name and name.count(".") < self.depth:
                handles += self._watch(name, layer, summaries)
        try:
            result = self.module(*args, **kwargs)
        finally:
            for handle in handles:
                handle.remove()
        self._add("", "out", result, summaries)
        return {f"p{i}": s for i, s in enumerate(summaries)}

    def _watch(self, name: str, layer: torch.nn.Module, summaries: list[torch.Tensor]) -> list[Any]:
        def before(_: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            self._add(name, "in", (args, kwargs), summaries)

        def after(_: torch.nn.Module, __: tuple[Any, ...], result: object) -> None:
            self._add(name, "out", result, summaries)

        return [
            layer.register_forward_pre_hook(before, with_kwargs=True),
            layer.register_forward_hook(after),
        ]

    def _add(self, name: str, side: str, value: object, summaries: list[torch.Tensor]) -> None:
        for tensor in flatten(value, torch.is_tensor).values():
            if len(summaries) < PROBES and tensor.numel() and not tensor.is_complex():
                t = tensor.float()
                summaries.append(torch.stack([t.mean(), t.square().mean(), t.max()]))
                self.labels.append((name, side))


def locate(
    exporter: tuple[str, Exporter],
    module: torch.nn.Module,
    example: Example,
    bag: Example,
    open_file: Callable[[File, str], Judge],
) -> Place | None:
    """Find the first layer whose values differ between the module and its file for a bag.

    ``open_file`` opens a file whose class scores are the named output. It returns None if the
    module with probes cannot be exported.
    """
    depth = max((name.count(".") for name, _ in module.named_modules()), default=0) + 1
    while depth > 1 and _count(module, depth) > PROBES:
        depth -= 1
    probed = Probed(module, depth)
    want = {n: t.detach().double().numpy() for n, t in _run(probed, bag).items()}
    labels = list(probed.labels)
    names = list(want)

    def differs(upto: int) -> int | None:
        """Return the first of the probes up to one that differs; -1 if the file cannot run."""
        file = write(*exporter, probed, example, names[: upto + 1])
        judge = open_file(file, names[upto])
        try:
            got = judge.outputs(bag.bag())
        except errors:
            return -1
        return next(
            (
                i
                for i, n in enumerate(names[: upto + 1])
                if deviation(got[n].astype(np.float64), want[n]) > TOLERANCE
            ),
            None,
        )

    try:
        first = _search(differs, len(names) - 1)
    except Exception:  # an exporter's own, of any kind: the probes are only a help
        return None
    return None if first is None else _place(module, labels, first)


def _search(differs: Callable[[int], int | None], last: int) -> int | None:
    """Return the first probe that differs or that the file cannot compute."""
    found = differs(last)
    if found != -1:
        return found
    low, high = 0, last  # the file cannot compute high
    while low < high:
        middle = (low + high) // 2
        found = differs(middle)
        if found is not None and found >= 0:
            return found
        low, high = (low, middle) if found == -1 else (middle + 1, high)
    return high


def _place(module: torch.nn.Module, labels: list[tuple[str, str]], first: int) -> Place:
    """Return the layer whose code lies between the last equal probe and the first different one."""
    name, side = labels[first]
    before = labels[first - 1] if first else ("", "in")
    owner = name
    if side == "in":
        owner = name.rpartition(".")[0]
        # A list of layers has no forward; the one of the module around it calls them.
        while isinstance(module.get_submodule(owner), (torch.nn.ModuleList, torch.nn.ModuleDict)):
            owner = owner.rpartition(".")[0]
    return Place(owner, (_side(*before), _side(name, side)))


def _side(name: str, side: str) -> str:
    what = {"in": "input", "out": "result"}[side]
    return f"the {what} of {name!r}" if name else f"the {what} of the module"


def _count(module: torch.nn.Module, depth: int) -> int:
    layers = module.named_modules()
    return 2 * len([name for name, _ in layers if name.count(".") < depth])


def _run(probed: Probed, bag: Example) -> dict[str, torch.Tensor]:
    summaries: dict[str, torch.Tensor] = bag.call(probed, list(bag.tensors.values()))
    return summaries
