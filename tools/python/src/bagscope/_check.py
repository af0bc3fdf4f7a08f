"""How far a map depends on the model and on the bag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
class LayersStep(Result):
    """Comparison of the map with those of models with random layers.

    Attributes
    ----------
    layers : int
        Number of layers with shuffled weights, counted from the output.
    correlation : float
        Mean magnitude of the rank correlation with the maps of three such models.
    """

    layers: int
    correlation: float


@dataclass(frozen=True, eq=False)
class LayersCheck(Result):
    """Whether the map is another one if the weights of the model are shuffled.

    Attributes
    ----------
    steps : list of LayersStep
        One random layer, half of them, all.
    passed : bool
    sentence : str
        The result in words.
    """

    steps: list[LayersStep]
    passed: bool
    sentence: str


@dataclass(frozen=True, eq=False)
class NoiseCheck(Result):
    """Whether the map stays if noise is added to the bag.

    Attributes
    ----------
    noise : float
        Standard deviation of the noise, relative to that of the values.
    correlation : float
        Mean rank correlation with the maps of bags with noise.
    change : float
        The largest change of the prediction.
    passed : bool
    sentence : str
        The result in words.
    """

    noise: float
    correlation: float
    change: float
    passed: bool
    sentence: str


@dataclass(frozen=True, eq=False)
class MarkCheck(Result):
    """Whether the map shows pasted marks if the prediction follows them.

    Attributes
    ----------
    instances : ndarray of int
        The marked instances.
    change : float
        Change of the prediction.
    scores : float
        Change of their scores, relative to the largest score.
    prediction, map : bool
        Whether the prediction and the map follow the marks.
    passed : bool
    sentence : str
        The result in words.
    """

    instances: NDArray[np.int64]
    change: float
    scores: float
    prediction: bool
    map: bool
    passed: bool
    sentence: str


class Check(Answer):
    """Sanity checks of a map. ``bagscope.check`` returns them.

    ``to_dataframe`` has a row for each check: its name, whether it passed, and the result in words.

    It also has the attributes of all answers: ``prediction``, ``classes``, ``class_``, ``output``,
    ``units``, ``instances``, ``evaluations``, ``seed`` and ``notes``.

    Attributes
    ----------
    method : str
        Method whose map is checked.
    seeds : float
        Rank correlation with the map of another seed, to compare others with.
    layers : LayersCheck or None
        None if the model has no weights of real numbers to shuffle, and for a list of models, which
        is not opened again with other weights; ``notes`` say which.
    noise : NoiseCheck
    mark : MarkCheck
    """

    method: str
    seeds: float
    layers: LayersCheck | None = None
    noise: NoiseCheck
    mark: MarkCheck

    def _table(self) -> Table:
        checks = {"layers": self.layers, "noise": self.noise, "mark": self.mark}
        rows = [[name, c.passed, c.sentence] for name, c in checks.items() if c is not None]
        return ["check", "passed", "result"], rows


class CheckQuestion(Question, tables.CheckOptions):
    """The arguments of ``check``."""


def check(
    model: ModelLike,
    bag: BagLike,
    **options: Unpack[CheckQuestion],
) -> Check:
    """Check the map of a class by random layers, noise and pasted marks.

    It computes up to 13 maps. The model's file is opened again for each model with random layers.

    Parameters
    ----------
    model : Model, path, bytes or onnx.ModelProto
        The model, see ``open``. Functions are not supported.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.
    class_, output, without, seed, budget, memory, encoder, index, progress
        See ``sets``.
    **options
        ``method`` is the method whose map is checked, Consensus by default. ``noise`` is the
        standard deviation of the noise, relative to that of the values, 0.05 by default. ``marked``
        is the share of the instances that get a mark, 0.1 by default; at least one gets it.

    Returns
    -------
    Check
        The answer of ``bagscope check``.
    """
    return Check(ask("check", model, bag, options, CheckQuestion))
