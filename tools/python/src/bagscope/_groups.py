"""Instances that a model encodes to nearly the same values."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ._answer import SHOWN, Answer, Table, ask
from ._bag import BagLike
from ._model import ModelLike
from ._progress import ProgressLike


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
    *,
    class_: int | str | None = None,
    output: Literal["prob", "logit"] | None = None,
    without: Sequence[int] = (),
    seed: int = 0,
    budget: int = 0,
    memory: int = 0,
    encoder: str | os.PathLike[str] | None = None,
    progress: ProgressLike = False,
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
    class_, output, without, seed, budget, memory, encoder, progress
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
    answer = ask(
        "groups", model, bag, {}, known=Groups, class_=class_, output=output, without=without,
        seed=seed, budget=budget, memory=memory, encoder=encoder, progress=progress,
    )  # fmt: skip
    return Groups(answer)
