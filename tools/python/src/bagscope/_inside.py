"""The parts of one instance that matter."""

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


class Inside(Answer):
    """Scores of the parts of instances. ``bagscope.inside`` returns them.

    ``to_dataframe`` has a row for each cell: its upper left corner, score, standard error and
    evidence.

    It also has the attributes of all answers: ``prediction``, ``classes``, ``class_``, ``output``,
    ``units``, ``instances``, ``evaluations``, ``seed`` and ``notes``.

    Attributes
    ----------
    instance : int
        The instance whose parts are scored, the first of ``together``.
    together : list of int
        The instances whose bands are hidden together, the strongest first.
    groups : str
        What a cell is: "cells", or "bands", which are in one row.
    cell : int
        Side of a cell in pixels, or its number of features.
    height, width : int
        Size of the instance in pixels; the height of features is 1.
    hidden : str
        What hidden cells become.
    unit : str
        Unit of the scores.
    scores : ndarray of shape (rows, columns)
        Score of each cell.
    stderr : ndarray of shape (rows, columns) or None
        Standard errors, None if all sets of cells were evaluated.
    evident : ndarray of bool, shape (rows, columns)
        Whether chance and rounding do not explain the score.
    freedom : float
        Degrees of freedom of the standard errors.
    whole : float
        Effect of hiding all cells.
    without : ndarray of shape (C,)
        Values of the classes for the bag if the instances are hidden.
    samples : int
        Number of sets of visible cells.
    contexts : int
        Number of contexts of other instances.
    """

    instance: int
    together: list[int]
    groups: str
    cell: int
    height: int
    width: int
    hidden: str
    unit: str
    freedom: float
    whole: float
    without: NDArray[np.float64]
    samples: int
    contexts: int

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer)
        shape = (answer["rows"], answer["columns"])
        errors = answer["stderr"]
        self.scores: NDArray[np.float64] = array(np.float64, answer["scores"]).reshape(shape)
        self.stderr = array(np.float64, errors).reshape(shape) if errors else None
        self.evident: NDArray[np.bool_] = array(np.bool_, answer["evident"]).reshape(shape)

    def _table(self) -> Table:
        y, x = np.indices(self.scores.shape) * self.cell
        stderr = np.full(self.scores.shape, np.nan) if self.stderr is None else self.stderr
        columns = (y, x, self.scores, stderr, self.evident)
        rows = zip(*(c.ravel().tolist() for c in columns), strict=True)
        return ["y", "x", "score", "stderr", "evident"], [list(row) for row in rows]

    def _shown(self) -> Table:
        head, rows = self._table()
        rows.sort(key=lambda row: -abs(row[2]))
        return head, rows[:SHOWN]


class InsideQuestion(Question, tables.InsideOptions):
    """The arguments of ``inside``."""


def inside(
    model: ModelLike,
    bag: BagLike,
    **options: Unpack[InsideQuestion],
) -> Inside:
    """Score the parts of one instance: cells of a picture, groups of features, or bands.

    Parameters
    ----------
    model : Model, path, bytes or onnx.ModelProto
        The model, see ``open``. Functions are not supported.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.
    class_, output, without, seed, budget, memory, encoder, index, progress
        See ``sets``.
    **options
        ``instance`` is the index of the instance, 0 by default. ``cell`` is the side of a cell in
        pixels, or its number of features, by default the smallest that makes at most 100 cells.
        ``groups`` says what a part is: "cells", the default, or "bands", the channels of a patch,
        also of a slide that ``read`` has encoded. ``strongest`` asks for the bands of so many
        instances together, instead of one: those with the largest scores alone.
        ``hidden`` says what hidden cells become: "mean" (the bag's mean at this place), the
        default, "blur" or "zero". ``samples`` is the number of sets of visible cells to draw.
        ``fixed`` keeps all other instances; without it, scores are means over contexts in which
        the other instances do not decide alone.

    Returns
    -------
    Inside
        The answer of ``bagscope inside``.
    """
    return Inside(ask("inside", model, bag, options, InsideQuestion))
