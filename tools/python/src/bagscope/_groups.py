"""Instances that a model encodes to nearly the same values, and named sets of instances."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _wire as wire
from ._answer import SHOWN, Answer, Question, Table, ask
from ._bag import BagLike, bag_of
from ._errors import SettingError
from ._model import ModelLike, model_of
from ._settings import Instances, instances_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Groups(Answer):
    """Groups of instances that are alike, or named. ``bagscope.groups`` returns them.

    ``to_dataframe`` has a row for each instance of a group or, if concepts were named, for each
    concept, with the columns of ``bagscope groups --csv``.

    It also has the attributes of all answers: ``prediction``, ``classes``, ``class_``, ``output``,
    ``units``, ``instances``, ``evaluations``, ``seed`` and ``notes``.

    Attributes
    ----------
    groups : list of ndarray of int
        Instances of each concept or, without names, instances with nearly equal embeddings, at
        least two in a group. The distance of two is at most a quarter of the longer one's, after
        the mean of the bag is subtracted.
    concepts : dict or None
        What the concepts do, with the keys of ``bagscope groups --json``, or None without names.
        ``concepts["list"]`` has a dictionary for each, in the order of ``groups``, and
        ``concepts["rule"]`` the rule that describes the model, or None.
    """

    groups: list[NDArray[np.int64]]

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer)
        self.concepts: dict[str, Any] | None = answer.get("concepts")

    def _table(self) -> Table:
        if self.concepts is None:
            rows = [[i, n] for n, group in enumerate(self.groups) for i in group.tolist()]
            return ["instance", "group"], rows
        head = ["concept", "instances", *_VALUES, "unit", "p", "adjusted_p", "evident"]
        unit = self.concepts["unit"]
        return head, [
            [c["name"], len(group), *(c[key] for key in _VALUES), unit]
            + [c[key] for key in head[-3:]]
            for c, group in zip(self.concepts["list"], self.groups, strict=True)
        ]

    def _shown(self) -> Table:
        if self.concepts is not None:
            return super()._shown()
        return ["count", "instances"], [[len(group), group] for group in self.groups[:SHOWN]]


_VALUES = ["without", "alone", "effect", "shapley", "stderr"]


class GroupsQuestion(Question, total=False):
    """The arguments of ``groups``."""

    concepts: str | Mapping[str, Instances] | os.PathLike[str]
    random: int


def groups(
    model: ModelLike,
    bag: BagLike,
    **options: Unpack[GroupsQuestion],
) -> Groups:
    """Find groups of instances that are alike, or measure what named sets of instances do.

    Without names, groups are those that the model encodes to nearly the same values. They stand in
    for each other under every model that reads these values, and can be shown as one with a count.
    ``Pairs.twins`` has groups of instances that act alike.

    Parameters
    ----------
    model : Model, path, bytes or onnx.ModelProto
        The model, see ``open``. Functions compute nothing of single instances.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.
    class_, output, without, seed, budget, memory, encoder, index, progress
        See ``sets``.
    **options
        ``concepts`` are named sets of instances: a dictionary of indices or masks, such
        as ``{"gland": [3, 5, 6]}``, or text as in the command, such as ``"gland=3,5-6; ink~3,4"``,
        where ``~`` stands for all instances that the model encodes as those. A ``Path`` is a file
        that names them: annotations, whose classes are concepts of the instances inside; vectors
        by name, such as ``.npz``; or an ``.onnx`` file of codes. ``random`` is the number of random
        sets that each is compared with.

    Returns
    -------
    Groups
        The answer of ``bagscope groups``.

    Raises
    ------
    UnavailableError
        If groups are looked for and the model computes nothing of single instances.
    """
    concepts = options.get("concepts")
    if isinstance(concepts, Mapping):
        options = {**options, "concepts": _concepts_text(concepts)}
    elif isinstance(concepts, os.PathLike):
        path, model = Path(concepts), model_of(model)
        bag = bag_of(bag, options.pop("encoder", None), options.pop("index", None))
        bound = model.bound(bag)
        found = bound.call(
            wire.FindConcepts(bag=bound.bag.handle, name=path.name, bytes=path.read_bytes())
        )
        assert isinstance(found, wire.ConceptsFound)
        options = {**options, "concepts": found.text}
    return Groups(ask("groups", model, bag, options, GroupsQuestion))


def _concepts_text(concepts: Mapping[str, Instances]) -> str:
    """Return concepts as the engine reads them: ``gland=3,5;ink=4``."""
    items = []
    for name, instances in concepts.items():
        if set(name) & set("=~;"):
            raise SettingError(f"concepts: the name {name!r} must not contain =, ~ or ;")
        mask = np.asarray(instances)
        if mask.dtype == bool and mask.ndim == 1:
            instances = np.flatnonzero(mask)
        items.append(f"{name}=" + ",".join(map(str, instances_of("concepts", instances))))
    return ";".join(items)
