"""The smallest sets of instances that decide a prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _tables as tables
from ._answer import Answer, Question, Table, ask
from ._bag import BagLike
from ._json import array, converted
from ._model import ModelLike
from ._result import Result

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True, eq=False)
class DecisiveSet(Result):
    """Instances that decide an answer.

    Attributes
    ----------
    instances : ndarray of int
        The instances of the set.
    value : float
        Value of the class for these alone, or without them.
    values : ndarray of shape (C,)
        Values of all classes.
    smallest : bool
        Whether it is proved that no set is smaller.
    enumerated : int
        Number of instances up to which all sets were evaluated.
    """

    instances: NDArray[np.int64]
    value: float
    values: NDArray[np.float64]
    smallest: bool
    enumerated: int


@dataclass(frozen=True, eq=False)
class Curve(Result):
    """Values of the class by the number of instances (n,) that are kept, or removed.

    ``best`` has the best order, ``map`` that of Consensus, ``random`` the mean of random orders.
    """

    instances: NDArray[np.int64]
    best: NDArray[np.float64]
    map: NDArray[np.float64]
    random: NDArray[np.float64]


class Sets(Answer):
    """The smallest sets that decide a prediction. ``bagscope.sets`` returns them.

    ``to_dataframe`` has a row for each set: kind, size, value, whether it is proved that none is
    smaller, instances.

    It also has the attributes of all answers: ``prediction``, ``classes``, ``class_``, ``output``,
    ``units``, ``instances``, ``evaluations``, ``seed`` and ``notes``.

    Attributes
    ----------
    level : float or None
        Value of the class that decides; None if it has to be the largest.
    sufficient : list of DecisiveSet
        Disjoint sets that alone give the answer.
    necessary : list of DecisiveSet
        Disjoint sets without which the bag does not give the answer.
    kept, removed : Curve or None
        The answer by the number of instances that are kept or removed, with ``curves=True``.
    """

    level: float | None

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer)
        found = {kind: answer.get(kind) or {"sets": [], "notes": []} for kind in _KINDS}
        self.sufficient: list[DecisiveSet]
        self.necessary: list[DecisiveSet]
        self.sufficient, self.necessary = (
            converted(list[DecisiveSet], f["sets"]) for f in found.values()
        )
        curves = answer.get("curves") or {}
        self.kept = _curve(curves.get("kept"))
        self.removed = _curve(curves.get("removed"))
        notes = (note for f in found.values() for note in f["notes"])
        self.notes = list(dict.fromkeys([*self.notes, *notes]))

    def _table(self) -> Table:
        found = zip(_KINDS, (self.sufficient, self.necessary), strict=True)
        rows = [
            [kind, len(s.instances), s.value, s.smallest, s.instances.tolist()]
            for kind, sets in found
            for s in sets
        ]
        return ["kind", "size", "value", "smallest", "instances"], rows


_KINDS = ("sufficient", "necessary")


def _curve(points: list[dict[str, Any]] | None) -> Curve | None:
    if points is None:
        return None
    columns = (array(np.float64, [p[name] for p in points]) for name in ("best", "map", "random"))
    return Curve(array(np.int64, [p["instances"] for p in points]), *columns)


class SetsQuestion(Question, tables.SetsOptions):
    """The arguments of ``sets``."""


def sets(
    model: ModelLike,
    bag: BagLike,
    **options: Unpack[SetsQuestion],
) -> Sets:
    """Find the smallest sets of instances that decide a prediction, as ``bagscope sets`` does.

    Parameters
    ----------
    model : Model, path, bytes, onnx.ModelProto or callable
        The model, see ``open``.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.
    class_ : int or str, optional
        The class of the question, by number or name, by default the predicted one.
    output : {"prob", "logit"}, optional
        The output that ``level`` and the values are on, by default the probability.
    without : sequence of int, optional
        Instances to remove from the bag.
    seed : int, default 0
        Seed of the random numbers. Equal calls give equal results.
    budget : int, default 0
        Most evaluations of the model, 0 for no limit.
    memory : int, default 0
        Most memory of the answer in MB, 0 for no limit.
    encoder : path, optional
        An ONNX file that encodes the patches of a whole slide, see ``explain``.
    index : int, optional
        Number of the bag in a file of several bags, by default 0.
    progress : bool or callable, default False
        True shows a bar of tqdm; a function gets the number of evaluations and their total. The
        total is an upper bound, 0 before the search begins and exact at the end.
    **options
        ``kind`` is "sufficient" (the sets alone give the answer), "necessary" (without them the bag
        does not give it) or "both", the default. ``level`` is the value of the class that decides;
        by default the class has to be the largest. ``several`` is the number of disjoint sets, 1 by
        default. ``curves`` adds the answer by the number of instances kept and removed.

    Returns
    -------
    Sets
    """
    return Sets(ask("sets", model, bag, options, SetsQuestion))
