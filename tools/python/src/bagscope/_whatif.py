"""The fewest changes of a bag that turn a prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _tables as tables
from ._answer import Answer, Question, Table, ask
from ._bag import BagLike
from ._model import ModelLike
from ._result import Result

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True, eq=False)
class Step(Result):
    """One change: an instance of the bag is removed, or one of the donor added.

    ``values`` (C,) are those of the classes after this step and all before it.
    """

    instance: int
    added: bool
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Change(Result):
    """A set of changes.

    Attributes
    ----------
    removed : ndarray of int
        Instances of the bag that are removed.
    added : ndarray of int
        Instances of the donor that are added.
    values : ndarray of shape (C,)
        Values of the classes after the changes.
    smallest : bool
        Whether it is proved that no fewer changes turn the prediction.
    enumerated : int
        Number of changes up to which all were evaluated.
    """

    removed: NDArray[np.int64]
    added: NDArray[np.int64]
    values: NDArray[np.float64]
    smallest: bool
    enumerated: int


class WhatIf(Answer):
    """Changes that turn a prediction. ``bagscope.whatif`` returns them.

    ``to_dataframe`` has a row for each step: instance, whether it is added, and a column for each
    class.

    It also has the attributes of all answers: ``prediction``, ``classes``, ``class_``, ``output``,
    ``units``, ``instances``, ``evaluations``, ``seed`` and ``notes``.

    Attributes
    ----------
    level : float or None
        Value of the class that decides; None if it has to be the largest, or not to be.
    above : bool
        Whether the class has to become the largest, or to reach ``level``.
    donor : dict or None
        ``name`` and ``instances`` of the bag that instances are added from.
    steps : list of Step
        A greedy search: each step is the change with the largest effect.
    turned : bool
        Whether the last step turns the prediction.
    fewest : Change or None
        The fewest changes that were found.
    """

    level: float | None
    above: bool
    donor: dict[str, Any] | None = None
    steps: list[Step]
    turned: bool
    fewest: Change | None

    def _table(self) -> Table:
        rows = [[s.instance, s.added, *s.values.tolist()] for s in self.steps]
        return ["instance", "added", *self.classes], rows

    def _shown(self) -> Table:
        rows: list[list[object]] = []
        for n, s in enumerate(self.steps, 1):
            removed, added = ("", s.instance) if s.added else (s.instance, "")
            rows.append([f"step {n}", removed, added, s.values[self.class_]])
        if f := self.fewest:
            proved = "proved" if f.smallest else "no fewer found"
            rows.append([f"fewest ({proved})", f.removed, f.added, f.values[self.class_]])
        return ["change", "removed", "added", "value"], rows


class WhatIfQuestion(Question, tables.TurnOptions):
    """The arguments of ``whatif``."""


def whatif(
    model: ModelLike,
    bag: BagLike,
    donor: BagLike | None = None,
    **options: Unpack[WhatIfQuestion],
) -> WhatIf:
    """Find the fewest instances to remove, or to add from another bag, that turn the prediction.

    Parameters
    ----------
    model : Model, path, bytes, onnx.ModelProto or callable
        The model, see ``open``.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.
    donor : Bag, array_like, path or AnnData, optional
        The bag whose instances may be added. Functions take none.
    class_, output, without, seed, budget, memory, encoder, index, progress
        See ``sets``.
    **options
        ``level`` is the value of the class that decides; by default the class has to become the
        largest, or not to be it any more. ``moves`` is "add", "remove" or "both", by default "add"
        if there is a donor and else "remove". ``most`` is the largest number of changes.

    Returns
    -------
    WhatIf
        The answer of ``bagscope whatif``.
    """
    return WhatIf(ask("whatif", model, bag, options, WhatIfQuestion, donor))
