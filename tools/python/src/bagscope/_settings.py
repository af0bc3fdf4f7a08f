"""Settings that many calls have: classes, instances, seeds and limits."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any, SupportsIndex

import numpy as np

from ._errors import SettingError

ClassLike = SupportsIndex | str
"""The number or the name of a class."""

Instances = Iterable[SupportsIndex]
"""Numbers of instances: a list, a set, or an array of integers."""

MAX_SEED = 2**64 - 1


def seed_of(value: Any) -> int:
    """Return a seed of random numbers, 0 to 2^64 - 1.

    Raises
    ------
    SettingError
        If it is another value.
    """
    seed = _whole("seed", value)
    if not 0 <= seed <= MAX_SEED:
        raise SettingError(
            f"seed: it must be within 0 and 2^64 - 1, got {seed}", {"setting": "seed"}
        )
    return seed


def path_of(setting: str, path: str | os.PathLike[str]) -> str:
    """Return a path as an absolute one. An empty path would be that of the current folder."""
    if not os.fspath(path):
        raise SettingError(f"{setting}: the path is empty", {"setting": setting})
    return os.path.abspath(os.fspath(path))


def limit_of(setting: str, value: Any) -> int:
    """Return a limit such as ``budget``, 0 for none.

    Raises
    ------
    SettingError
        If it is negative or not a whole number.
    """
    limit = _whole(setting, value)
    if limit < 0:
        raise SettingError(
            f"{setting}: it must not be negative, got {limit}; omit it for no limit",
            {"setting": setting},
        )
    return limit


def instances_of(setting: str, value: Any) -> list[int]:
    """Return numbers of instances as a list.

    Raises
    ------
    SettingError
        If they are not whole numbers. A mask is rejected, because its flags are numbers, too.
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise SettingError(
            f"{setting}: {value!r} is not a sequence of numbers of instances",
            {"setting": setting},
        )
    numbers = list(value)
    if any(
        isinstance(n, (bool, np.bool_)) or str(getattr(n, "dtype", "")) == "torch.bool"
        for n in numbers
    ):
        raise SettingError(
            f"{setting}: a mask is not a sequence of numbers of instances; pass "
            "numpy.flatnonzero(mask)",
            {"setting": setting},
        )
    return [_whole(setting, n) for n in numbers]


def check_unused(given: Mapping[str, Any], defaults: Mapping[str, Any], why: str) -> None:
    """Raise a SettingError for a setting that would have no effect, unless it is the default."""
    for setting, value in given.items():
        if not np.array_equal(value, defaults[setting]):
            raise SettingError(f"{setting}: {why}", {"setting": setting})


def _whole(setting: str, value: Any) -> int:
    try:
        if isinstance(value, float) and value.is_integer():  # such as 1e6
            return int(value)
        return operator.index(value)
    except TypeError:
        raise SettingError(
            f"{setting}: {value!r} is not a whole number", {"setting": setting}
        ) from None
