"""The proof of an exported file: its scores beside the model's own, for bags of several sizes."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._bag import Bag
from ._judge import Judge, errors

SIZES = (1, 2, 7, 64)
"""Numbers of instances for which a file is compared with its model."""

TOLERANCE = 1e-4
"""Largest difference of a score, divided by the larger of 1 and the largest score of the bag.

The engine computes in float32. Modules of float32 compute in different order: networks of tens of
layers differ by 1e-6 to 1e-5. One instance more or less differs by 1e-3 and more. Modules of half
precision differ by their rounding, up to 1e-2, so that most of them are not proved.
"""


@dataclass(frozen=True)
class Expected:
    """Bags of several sizes, instances first, and the model's own scores of them.

    ``refused`` maps sizes that the model itself rejects to what it said. ``permuted`` is a bag in
    another order with its scores.
    """

    bags: dict[int, Bag]
    scores: dict[int, NDArray[np.float64]]
    refused: dict[int, str]
    permuted: tuple[Bag, NDArray[np.float64]]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Proof:
    """What was compared.

    Attributes
    ----------
    exporter : str
        The exporter that wrote the file.
    deviations : dict
        Largest difference of a score by number of instances, relative as ``TOLERANCE`` is.
    permuted : float
        That of a bag in another order.
    refused : dict
        What the model says, by numbers of instances that it rejects.
    plan : tuple of str
        What of the graph runs once for a bag, and why.
    notes : tuple of str
        What was found about the outputs.
    """

    exporter: str
    deviations: dict[int, float]
    permuted: float
    refused: dict[int, str]
    plan: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        worst = max(self.deviations.values())
        sizes = ", ".join(map(str, self.deviations))
        lines = [
            f"Exporter: {self.exporter}.",
            f"Scores of bags of {sizes} instances differ by at most {worst:.1e}, those of a "
            f"permuted bag by {self.permuted:.1e}.",
            *(f"The model rejects bags of {k}: {said}" for k, said in self.refused.items()),
            *self.plan,
            *self.notes,
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Failure:
    """Why a file is not its model: for how many instances, and how."""

    size: int
    reason: str

    def __str__(self) -> str:
        noun = "instance" if self.size == 1 else "instances"
        return f"The file fails for {self.size} {noun}: {self.reason}."


def prove(exporter: str, judge: Judge, output: str, expected: Expected) -> Proof | Failure:
    """Compare a file's output with the expected scores; the first difference is the Failure."""
    deviations: dict[int, float] = {}
    for k, want in expected.scores.items():
        found = _compare(judge, output, expected.bags[k], want)
        if isinstance(found, str):
            return Failure(k, found)
        deviations[k] = found
    permuted = _compare(judge, output, *expected.permuted)
    if isinstance(permuted, str):
        return Failure(len(expected.permuted[0]), f"after its instances were permuted, {permuted}")
    plan = tuple(judge.plan(expected.permuted[0]))
    return Proof(exporter, deviations, permuted, expected.refused, plan, expected.notes)


def deviation(got: NDArray[np.float64], want: NDArray[np.float64]) -> float:
    """Return the largest difference, divided by the larger of 1 and the largest of ``want``.

    It is infinite for other shapes, and if one side has a NaN or an infinity where the other has
    none.
    """
    if got.shape != want.shape or not np.array_equal(np.isfinite(got), np.isfinite(want)):
        return float("inf")
    finite = np.isfinite(want)
    if not finite.any():
        return 0.0
    scale = max(1.0, float(np.abs(want[finite]).max()))
    return float(np.abs(got[finite] - want[finite]).max()) / scale


def first_line(error: Exception) -> str:
    """Return the first line of an error, shortened between words, or its type."""
    lines = str(error).strip().splitlines()
    return textwrap.shorten(lines[0], 300, placeholder=" ...") if lines else type(error).__name__


def _compare(judge: Judge, output: str, bag: Bag, want: NDArray[np.float64]) -> float | str:
    """Return the difference of a bag's scores, or what is wrong."""
    try:
        got = judge.outputs(bag)[output].astype(np.float64).ravel()
    except errors as e:
        return first_line(e)
    if got.shape != want.shape:
        return f"the file returns {got.size} scores and the model {want.size}"
    difference = deviation(got, want)
    if difference > TOLERANCE:
        shown, right = (np.array2string(a, precision=5, threshold=4) for a in (got, want))
        return (
            f"scores differ by {difference:.1e} of the largest, more than {TOLERANCE:.0e}: "
            f"{shown} instead of {right}"
        )
    return difference
