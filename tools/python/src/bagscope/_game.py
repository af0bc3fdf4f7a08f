"""A bag under a model as a cooperative game, for estimators of other packages."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _wire as wire
from ._bag import Bag, BagLike, bag_of
from ._errors import SettingError
from ._model import Model, ModelLike, model_of
from ._settings import ClassLike

_BLOCK = 8192
"""Coalitions of a message: many enough for one batch, few enough that Ctrl-C ends soon."""


class Game:
    """The scores of coalitions of a bag's instances. ``bagscope.game`` returns it.

    Attributes
    ----------
    instances : int
        Number of instances, k.
    classes : list of str
        Names of the classes, their numbers if they have no names.
    """

    def __init__(
        self,
        model: Model,
        bag: Bag,
        class_: ClassLike | None,
        output: str | None,
        empty: ArrayLike | None,
    ) -> None:
        self._model, self._bag, self._output = model, bag, output or ""
        bound = model.bound(bag)
        self.instances: int = bound.bag.info.instances
        count = len(model.class_range(bag))
        self.classes = list(bound.model.info.classes) or [str(i) for i in range(count)]
        self._class = None if class_ is None else model.class_number(class_)
        if self._class is not None and not 0 <= self._class < count:
            raise SettingError(
                f"class: there is no class {self._class}; the model has {count} classes",
                {"setting": "class_"},
            )
        shape = (count,) if self._class is None else ()
        self._empty = None if empty is None else np.broadcast_to(np.asarray(empty, float), shape)

    def __repr__(self) -> str:
        return f"<Game of {self.instances} instances, {len(self.classes)} classes>"

    def __call__(self, coalitions: ArrayLike) -> NDArray[np.float64]:
        """Return the scores of coalitions.

        Parameters
        ----------
        coalitions : array_like of shape (n, k)
            Members are true or not 0; the other instances are removed from the bag. One coalition
            (k,) is taken for (1, k), as shapiq passes the empty one.

        Returns
        -------
        ndarray of shape (n, C)
            (n,) for a game of one class.

        Raises
        ------
        SettingError
            If the shape is wrong, or a coalition is empty and the game has no value for it.
        """
        given = np.asarray(coalitions)
        members = np.atleast_2d(given) != 0
        if given.ndim not in (1, 2) or members.shape[1] != self.instances:
            raise SettingError(
                f"coalitions: the shape {given.shape} is not (n, {self.instances}), a column for "
                "each instance",
                {"setting": "coalitions"},
            )
        some = members.any(axis=1)
        if self._empty is None and not some.all():
            raise SettingError(
                "coalitions: the empty coalition has no value, because models take no empty bag; "
                "state one by game(..., empty=0)",
                {"setting": "coalitions"},
            )
        out = np.empty((len(members), len(self.classes)))
        out[some] = self._scores(members[some])
        if self._class is not None:
            out = out[:, self._class]
        if self._empty is not None:
            out[~some] = self._empty
        return out

    def _scores(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        parts = [np.empty((0, len(self.classes)))]
        packed = np.packbits(members, axis=1, bitorder="little")
        for start in range(0, len(packed), _BLOCK):
            block = packed[start : start + _BLOCK]
            bound = self._model.bound(self._bag)
            answer = bound.call(
                wire.ScoreCoalitions(
                    model=bound.model.handle,
                    bag=bound.bag.handle,
                    output=self._output,
                    count=len(block),
                    coalitions=block.tobytes(),
                )
            )
            assert isinstance(answer, wire.CoalitionScores)
            parts.append(answer.scores.reshape(len(block), -1))
        return np.concatenate(parts)


def game(
    model: ModelLike,
    bag: BagLike,
    *,
    class_: ClassLike | None = None,
    output: Literal["prob", "logit"] | None = None,
    empty: ArrayLike | None = None,
) -> Game:
    """Return a bag under a model as a function of coalitions, for estimators of other packages.

    Parameters
    ----------
    model : Model, path, bytes, onnx.ModelProto or callable
        The model, see ``open``.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.
    class_ : int or str, optional
        The class whose score is returned, by default all.
    output : {"prob", "logit"}, optional
        The output whose scores are returned.
    empty : float or array_like of shape (C,), optional
        Scores of the empty coalition, which no model has. Without it, the empty coalition is an
        error.

    Returns
    -------
    Game

    Examples
    --------
    >>> import shapiq  # doctest: +SKIP
    >>> g = bagscope.game("model.onnx", bag, class_=1, empty=0)  # doctest: +SKIP
    >>> shapiq.KernelSHAP(n=g.instances).approximate(2000, g)  # doctest: +SKIP
    """
    return Game(model_of(model), bag_of(bag), class_, output, empty)
