"""How pairs of instances act together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _tables as tables
from ._answer import SHOWN, Answer, Question, Table, ask
from ._bag import BagLike
from ._json import array
from ._model import ModelLike

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Pairs(Answer):
    """Interactions of pairs of instances. ``bagscope.pairs`` returns them.

    ``to_dataframe`` has a row for each pair, with the columns of ``bagscope pairs --csv``.

    It also has the attributes of all answers: ``prediction``, ``classes``, ``class_``, ``output``,
    ``units``, ``instances``, ``evaluations``, ``seed`` and ``notes``.

    Attributes
    ----------
    interaction : str
        Definition of the interaction.
    unit : str
        Unit of the interactions.
    among : ndarray of int, shape (n,)
        The instances whose pairs were evaluated.
    alone : ndarray of shape (n,)
        Effect of each of these instances alone.
    pairs : ndarray of int, shape (p, 2)
        The instances of each pair, the pair with the largest interaction first.
    values : ndarray of shape (p,)
        Interaction of each pair: positive if the instances complete each other, negative if one
        stands in for the other.
    stderr : ndarray of shape (p,)
        Standard errors, 0 if all coalitions were evaluated.
    evident : ndarray of bool, shape (p,)
        Whether chance and rounding do not explain the interaction.
    twins : list of ndarray of int
        Groups of instances that act alike.
    contexts : int
        Number of drawn contexts, 0 if all coalitions were evaluated.
    freedom : float
        Degrees of freedom of the standard errors.
    """

    interaction: str
    unit: str
    among: NDArray[np.int64]
    alone: NDArray[np.float64]
    twins: list[NDArray[np.int64]]
    contexts: int
    freedom: float

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer)
        rows = answer["pairs"]
        self.pairs: NDArray[np.int64] = array(
            np.int64, [i for p in rows for i in (p["a"], p["b"])]
        ).reshape(-1, 2)
        self.values: NDArray[np.float64] = array(np.float64, [p["value"] for p in rows])
        self.stderr: NDArray[np.float64] = array(np.float64, [p["stderr"] for p in rows])
        self.evident: NDArray[np.bool_] = array(np.bool_, [p["evident"] for p in rows])
        self._relations: list[str] = [p["relation"] for p in rows]

    def matrix(self) -> NDArray[np.float64]:
        """Return the interactions (n, n) of the instances ``among``, NaN on the diagonal."""
        place = {int(i): n for n, i in enumerate(self.among)}
        out = np.full((len(place), len(place)), np.nan)
        for (a, b), value in zip(self.pairs.tolist(), self.values, strict=True):
            out[place[a], place[b]] = out[place[b], place[a]] = value
        return out

    def _table(self) -> Table:
        columns = (self.pairs, self.values, self.stderr, self.evident)
        rows = [
            [*pair, value, error, self.unit, evident]
            for pair, value, error, evident in zip(*(c.tolist() for c in columns), strict=True)
        ]
        return ["a", "b", "value", "stderr", "unit", "evident"], rows

    def _shown(self) -> Table:
        _, rows = self._table()
        shown = [
            [f"{a} and {b}", value, error, relation or "not distinguishable from 0"]
            for (a, b, value, error, *_), relation in zip(rows, self._relations, strict=True)
        ]
        return ["pair", "interaction", "error", "meaning"], shown[:SHOWN]


class PairsQuestion(Question, tables.PairsOptions):
    """The arguments of ``pairs``."""


def pairs(
    model: ModelLike,
    bag: BagLike,
    **options: Unpack[PairsQuestion],
) -> Pairs:
    """Find instances that complete each other or stand in for each other.

    Parameters
    ----------
    model : Model, path, bytes, onnx.ModelProto or callable
        The model, see ``open``.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.
    class_, output, without, seed, budget, memory, encoder, index, progress
        See ``sets``.
    **options
        ``interaction`` is "shapley" (the Shapley interaction index), the default, "guided" (over
        the contexts of Consensus) or "faithful" (the faithful index of order 2). ``among`` is the
        number of instances, those with the largest effects, whose pairs are evaluated, 30 by
        default. ``contexts`` is the number of contexts to draw, 64 by default; small bags are
        enumerated instead.

    Returns
    -------
    Pairs
        The answer of ``bagscope pairs``.
    """
    return Pairs(ask("pairs", model, bag, options, PairsQuestion))
