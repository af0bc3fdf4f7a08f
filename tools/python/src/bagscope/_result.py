"""What all results have in common: when two of them are equal."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


class Result:
    """A result of a call.

    It equals another result of its class that states the same, in which NaN equals NaN. A result
    has no hash, because its arrays can be changed.
    """

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _same(self._stated(), other._stated())

    def _stated(self) -> Any:
        """Return what is compared."""
        return vars(self)


def _same(a: Any, b: Any) -> bool:
    """Return whether two values have the same type and the same contents."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(v, b[k]) for k, v in a.items())
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    if dataclasses.is_dataclass(a) and not isinstance(a, Result):
        return all(_same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    return bool(a == b or (a != a and b != b))
