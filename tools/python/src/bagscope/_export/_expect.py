"""What a model computes for bags of several sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._bag import Bag
from ._error import ExportError
from ._proof import SIZES, TOLERANCE, Expected, deviation, first_line

B = TypeVar("B")
"""A bag in the form that the model takes."""


def expect(
    scores: Callable[[B], NDArray[np.float64]],
    bags: dict[int, B],
    take: Callable[[B, NDArray[np.int64]], B],
    bag_of: Callable[[B], Bag],
    notes: tuple[str, ...],
    remedy: str,
) -> Expected:
    """Compute the model's scores of bags by their numbers of instances.

    ``take`` returns the bag of instances in another order, and ``bag_of`` the bag for the engine.
    It raises an ExportError if the model returns other scores for the same bag again, with the
    ``remedy``, or if it accepts fewer than two of the bags.
    """
    found: dict[int, NDArray[np.float64]] = {}
    refused: dict[int, str] = {}
    for k, bag in bags.items():
        try:
            found[k] = scores(bag)
            again = scores(bag)
        except Exception as e:  # the model's own, of any kind
            refused[k] = first_line(e)
            continue
        if deviation(again, found[k]) > TOLERANCE:
            raise ExportError(
                "the model returns different scores for the same bag in evaluation mode: "
                f"something is random in it. {remedy}"
            )
    if len(found) < 2:
        raise ExportError(
            f"the model accepts bags of {list(found) or 'none'} of {list(SIZES)} instances: "
            + "; ".join(f"{k}: {e}" for k, e in refused.items())
        )
    size = max(found)
    permuted = take(bags[size], np.random.default_rng(size).permutation(size))
    after = scores(permuted)
    if deviation(after, found[size]) > TOLERANCE:
        notes += (
            "The model's scores depend on the order of the instances, as with an encoding of "
            "positions: removing one changes the places of others.",
        )
    asked = {k: bag_of(bags[k]) for k in found}
    return Expected(asked, found, refused, (bag_of(permuted), after), notes)


def resized(rows: NDArray[Any], size: int, seed: int) -> NDArray[np.float32]:
    """Return a bag of ``size`` random rows, which differ by 1 % of the standard deviations.

    Repeated rows would hide a wrong maximum.
    """
    random = np.random.default_rng([seed, size])
    chosen = rows[random.choice(len(rows), size, replace=size > len(rows))]
    noise = random.standard_normal(chosen.shape) * rows.std(axis=0) * 0.01
    return np.asarray(chosen + noise, np.float32)
