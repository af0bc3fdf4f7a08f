"""Instances that a model encodes to nearly the same values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ._answer import SHOWN, Answer, Question, Table, ask
from ._bag import BagLike
from ._model import ModelLike

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Groups(Answer):
    """Groups of instances that are alike. ``bagscope.groups`` returns them.

    ``to_dataframe`` has a row for each instance of a group, with the columns of
    ``bagscope groups --csv``.

    It also has the attributes of all answers: ``prediction``, ``classes``, ``class_``, ``output``,
    ``units``, ``instances``, ``evaluations``, ``seed`` and ``notes``.

    Attributes
    ----------
    groups : list of ndarray of int
        Instances with nearly equal embeddings, at least two in a group. The distance of two is at
        most a quarter of the longer one's, after the mean of the bag is subtracted.
    """

    groups: list[NDArray[np.int64]]

    def _table(self) -> Table:
        rows = [[i, n] for n, group in enumerate(self.groups) for i in group.tolist()]
        return ["instance", "group"], rows

    def _shown(self) -> Table:
        return ["count", "instances"], [[len(group), group] for group in self.groups[:SHOWN]]


def groups(
    model: ModelLike,
    bag: BagLike,
    **options: Unpack[Question],
) -> Groups:
    """Find groups of instances that the model encodes to nearly the same values.

    They stand in for each other under every model that reads these values, and can be shown as one
    with a count. ``Pairs.twins`` has groups of instances that act alike.

    Parameters
    ----------
    model : Model, path, bytes or onnx.ModelProto
        The model, see ``open``. Functions compute nothing of single instances.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.
    class_, output, without, seed, budget, memory, encoder, index, progress
        See ``sets``.

    Returns
    -------
    Groups
        The answer of ``bagscope groups``.

    Raises
    ------
    UnavailableError
        If the model computes nothing of single instances.
    """
    return Groups(ask("groups", model, bag, options, Question))
