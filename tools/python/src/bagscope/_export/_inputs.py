"""The example bag of an export: which tensors the module takes, and where instances lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from .._array import detached
from .._bag import Bag
from ._error import ExportError

MOST = 32
"""Instances of the example that are exported: exporters only read the shape of the rest."""


@dataclass(frozen=True)
class Example:
    """Tensors of a bag, and how the module is called with them.

    ``tensors`` maps the names of graph inputs to tensors, ``axes`` to the axis of their instances,
    or None if the tensor does not depend on the number of instances. ``pairs`` names the one that
    has a row and a column for each instance, its last axes. ``keywords`` tells a module that is
    called with keywords, ``listed`` one that takes a list of bags.
    """

    tensors: dict[str, torch.Tensor]
    axes: dict[str, int | None]
    pairs: str | None = None
    keywords: bool = False
    listed: bool = False

    def open_axes(self, name: str) -> list[int]:
        """Return the axes of a tensor that have the number of instances."""
        if name == self.pairs:
            return [self.tensors[name].ndim - 2, self.tensors[name].ndim - 1]
        axis = self.axes[name]
        return [] if axis is None else [axis]

    @property
    def instances(self) -> int:
        """The number of instances."""
        name = next(name for name, axis in self.axes.items() if axis is not None)
        return int(self.tensors[name].shape[self.axes[name]])

    def call(self, module: torch.nn.Module, tensors: list[torch.Tensor]) -> Any:
        """Call the module with tensors in the order of the example's."""
        if self.keywords:
            return module(**dict(zip(self.tensors, tensors, strict=True)))
        if self.listed:
            return module(list(tensors))
        return module(*tensors)

    def take(self, places: np.ndarray) -> Example:
        """Return the bag of the instances at some places, in their order."""
        index = torch.as_tensor(places)
        taken = {}
        for name, tensor in self.tensors.items():
            for axis in self.open_axes(name):
                tensor = tensor.index_select(axis, index)
            taken[name] = tensor
        return replace(self, tensors=taken)

    def resized(self, size: int, seed: int) -> Example:
        """Return a bag of ``size`` random instances of the example.

        Repeated instances would hide a wrong maximum, so that floats differ by 1 % of the standard
        deviation.
        """
        random = np.random.default_rng([seed, size])
        bag = self.take(random.choice(self.instances, size, replace=size > self.instances))
        for name, tensor in bag.tensors.items():
            if bag.axes[name] is not None and tensor.is_floating_point() and tensor.numel() > 1:
                noise = torch.from_numpy(random.standard_normal(tuple(tensor.shape)))
                spread = tensor.double().std() * 0.01
                bag.tensors[name] = (tensor + noise * spread).to(tensor.dtype)
        return bag

    def bag(self) -> Bag:
        """Return the bag as the engine takes it, with its adjacency."""
        pairs = None if self.pairs is None else self.tensors[self.pairs]
        return Bag(self.array(), adjacency=pairs)

    def array(self) -> np.ndarray:
        """Return the instances as the engine takes them, inputs one after the other."""
        parts = [
            np.moveaxis(detached(t).numpy(), axis, 0)
            for name, t in self.tensors.items()
            if (axis := self.axes[name]) is not None
        ]
        if len(parts) == 1:
            # A leading axis of batches is not part of an instance.
            name = next(name for name, axis in self.axes.items() if axis is not None)
            part = parts[0]
            return np.ascontiguousarray(part[:, 0] if self.axes[name] == 1 else part)
        return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)


def read_example(bag: Any, instance_axis: int | None) -> Example:
    """Find the tensors of an example bag and the axis of their instances.

    ``bag`` is a tensor or array, a tuple of them for positional arguments, a mapping for keywords,
    or a list with one tensor for a module that takes a list of bags.
    """
    keywords = isinstance(bag, Mapping)
    listed = isinstance(bag, list)
    if listed and len(bag) != 1:
        raise ExportError(
            f"the example is a list of {len(bag)} bags; pass a list of one bag, because bags are "
            "explained one by one"
        )
    if keywords:
        named = dict(bag)
    elif isinstance(bag, (tuple, list)):
        named = {"bag" if i == 0 else f"input_{i}": t for i, t in enumerate(bag)}
    else:
        named = {"bag": bag}
    tensors = {name: _tensor(name, value) for name, value in named.items()}
    if not tensors:
        raise ExportError("the example holds no tensor; pass a bag of at least two instances")
    first = next(iter(tensors))
    axis = _instance_axis(first, tensors[first], instance_axis)
    size = tensors[first].shape[axis]
    pairs = [name for name, t in tensors.items() if name != first and _is_square(t, size)]
    if len(pairs) > 1:
        raise ExportError(
            f"the inputs {pairs} each have a row and a column for each instance; a bag has one "
            "adjacency matrix, so bind the others in a module around yours"
        )
    axes = {name: None if name in pairs else _axis_of(t, axis, size) for name, t in tensors.items()}
    axes[first] = axis
    example = Example(tensors, axes, pairs[0] if pairs else None, keywords, listed)
    return example.take(np.arange(min(size, MOST)))


def _tensor(name: str, value: Any) -> torch.Tensor:
    if isinstance(value, np.ndarray):
        value = torch.from_numpy(value)
    if not isinstance(value, torch.Tensor):
        raise ExportError(
            f"input {name!r} of the example is a {type(value).__name__} instead of a tensor; "
            "leave out what has a default, and bind other values with functools.partial or in a "
            "module around yours"
        )
    return value.detach().cpu()


def _instance_axis(name: str, tensor: torch.Tensor, wanted: int | None) -> int:
    """Return the axis of instances. An example has two of them, so an axis of one is a batch."""
    if tensor.ndim == 0:
        raise ExportError(f"input {name!r} is a single number; pass a bag of shape (k, ...)")
    if wanted is not None and not -tensor.ndim <= wanted < tensor.ndim:
        raise ExportError(
            f"instance_axis {wanted} does not exist in shape {tuple(tensor.shape)}; "
            "it counts from 0"
        )
    axis = int(tensor.ndim > 2 and tensor.shape[0] == 1) if wanted is None else wanted
    axis %= int(tensor.ndim)
    if tensor.shape[axis] < 2:
        raise ExportError(
            f"the example of shape {tuple(tensor.shape)} has {tensor.shape[axis]} instance along "
            f"axis {axis}; exporters treat a size of one as fixed, so pass at least two instances"
        )
    return axis


def _is_square(tensor: torch.Tensor, size: int) -> bool:
    """Tell whether a tensor has a row and a column for each instance, as an adjacency matrix."""
    return (
        tensor.ndim in (2, 3)
        and tensor.shape[-2:] == (size, size)
        and tensor.is_floating_point()
        and tensor.shape[:-2].numel() == 1
    )


def _axis_of(tensor: torch.Tensor, axis: int, size: int) -> int | None:
    """Return the axis of a further input that has the bag's number of instances."""
    places = [i for i, n in enumerate(tensor.shape) if n == size]
    if axis in places or not places:
        return axis if places else None
    return places[0]
