"""Numbers that stay tensors while TorchScript traces Python code."""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np
import torch

MATH: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sqrt": lambda t: t.double().sqrt(),
    "ceil": lambda t: t.double().ceil().long(),
    "floor": lambda t: t.double().floor().long(),
}
"""Functions of ``math`` and NumPy, computed by PyTorch in double precision as they are."""


@contextmanager
def symbolic(module: torch.nn.Module) -> Iterator[None]:
    """Keep the number of instances a tensor in Python code of a module that is traced.

    In a trace, ``x.shape[0]`` is a tensor, and ``int(math.ceil(math.sqrt(x.shape[0])))`` makes a
    constant of it. Within the block, ``int``, ``len``, and square roots, ceilings and floors of
    ``math`` and NumPy return tensors for such tensors.
    """
    changes: list[tuple[Any, str, Any]] = [(torch.Tensor, "__array_ufunc__", _ufunc)]
    for name in ("ceil", "floor"):
        changes.append((torch.Tensor, f"__{name}__", MATH[name]))
    changes.append((math, "sqrt", _either(math.sqrt, MATH["sqrt"])))
    for place in _sources(module):
        changes += [(place, "int", _Int), (place, "len", _len)]
    missing = object()
    before = [(place, name, vars(place).get(name, missing)) for place, name, _ in changes]
    for place, name, value in changes:
        setattr(place, name, value)
    try:
        yield
    finally:
        for place, name, value in before:
            if value is missing:
                delattr(place, name)
            else:
                setattr(place, name, value)


def _sources(module: torch.nn.Module) -> list[ModuleType]:
    """Return the Python modules of a module's layers, without those of PyTorch."""
    names = {kind.__module__ for layer in module.modules() for kind in type(layer).__mro__}
    own = [name for name in sorted(names) if name.partition(".")[0] not in ("torch", "builtins")]
    return [sys.modules[name] for name in own if name in sys.modules and name != __name__]


def _is_number(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.ndim == 0 and torch.jit.is_tracing()


def _either(plain: Callable[..., Any], traced: Callable[[torch.Tensor], Any]) -> Callable[..., Any]:
    def function(value: Any) -> Any:
        return traced(value) if _is_number(value) else plain(value)

    return function


def _len(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.ndim and torch.jit.is_tracing():
        return value.shape[0]
    return builtins.len(value)


class _Kind(type):
    """Makes ``_Int`` behave as ``int`` does, but for numbers in a trace."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        if args and _is_number(args[0]):
            number = args[0]
            return number.trunc().long() if number.is_floating_point() else number
        return builtins.int(*args, **options)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, builtins.int)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, builtins.int)


class _Int(builtins.int, metaclass=_Kind):
    """``int`` in the modules whose code is traced."""


def _ufunc(self: torch.Tensor, function: np.ufunc, method: str, *args: Any, **options: Any) -> Any:
    """Compute a function of NumPy: on arrays, but on the tensor if it is a number in a trace."""
    name = function.__name__
    if method == "__call__" and name in MATH and _is_number(args[0]) and not options:
        return MATH[name](args[0])
    plain = [a.detach().numpy() if isinstance(a, torch.Tensor) else a for a in args]
    return getattr(function, method)(*plain, **options)
