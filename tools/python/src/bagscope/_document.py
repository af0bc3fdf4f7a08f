"""What ``bagscope explain --json`` writes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from . import _wire as wire
from ._result import Result


@dataclass
class ModelName:
    """The model that was explained."""

    name: str
    sha256: str


@dataclass
class BagName:
    """The bag that was explained."""

    name: str
    instances: int
    # what the file calls each instance, and each value of an instance; empty if it does not
    instance_names: list[str] = field(default_factory=list)
    feature_names: list[str] = field(default_factory=list)


@dataclass(eq=False)
class Fold(Result):
    """One of several models that are explained as one.

    Attributes
    ----------
    name : str
        Name of the file.
    sha256 : str
        SHA-256 of the file.
    prediction : ndarray of shape (C,)
        What this model predicts.
    """

    name: str
    sha256: str
    prediction: NDArray[np.float64]


@dataclass(eq=False)
class FoldScores(Result):
    """The scores of several models for one class, each as the model has it alone.

    Attributes
    ----------
    scores : list of ndarray of shape (k,)
        Score of each instance by each model, in the order of ``folds``.
    between : ndarray of shape (k,)
        Standard deviation, between models, of the score less the model's neutral point.
    agree : ndarray of int, shape (k,)
        How many models agree with the mean on the sign of that difference.
    low, high : ndarray of shape (k,)
        Interval that holds the difference of one more model in 95 of 100 cases, if it was trained
        as these were.
    """

    scores: list[NDArray[np.float64]]
    between: NDArray[np.float64]
    agree: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass
class Scored:
    """The scores of one class by one method."""

    method: str
    settings: dict[str, bool | int | float | str]
    class_: int
    scores: NDArray[np.float64]
    unit: str
    stderr: NDArray[np.float64] | None
    freedom: float
    neutral: float
    evident: list[bool]
    r2: float | None
    evaluations: int
    notes: list[str]
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    folds: FoldScores | None = None


@dataclass
class Trust:
    """How far the scores of one method can be trusted."""

    method: str
    classes: list[int]
    aopc_r: dict[str, NDArray[np.float64]]
    beaten: list[int]
    correlation: NDArray[np.float64]
    cuts: int
    sentences: list[str]
    shown: list[int] = field(default_factory=list)
    sufficiency: list[float] = field(default_factory=list)
    necessity: list[float] = field(default_factory=list)
    recoverability: list[float] = field(default_factory=list)
    ranked: list[int] = field(default_factory=list)
    least: list[int] = field(default_factory=list)


@dataclass(eq=False)
class Covariate(Result):
    """What an input of the model beside the instances takes for a bag.

    Attributes
    ----------
    name : str
        Name of the model's input.
    values : ndarray of shape (size,)
        What the bag states, else the model card.
    reference : ndarray
        What the values are compared with. This and the other arrays are empty without a reference.
    adds : ndarray of shape (C,)
        What the values add for each class, relative to the reference: a Shapley value among the
        covariates with references.
    units : list of str
        Unit of each of ``adds``, log-odds for probabilities.
    instead : ndarray of shape (C,)
        The prediction if this input alone took its reference.
    """

    name: str
    values: NDArray[np.float64]
    reference: NDArray[np.float64]
    adds: NDArray[np.float64]
    units: list[str]
    instead: NDArray[np.float64]


@dataclass(eq=False)
class Missed(Result):
    """What an instance does by itself, over many bags, and what this bag loses without it.

    Attributes
    ----------
    method : str
        Name of the method.
    class_ : int
        The class of the largest prediction of the first head.
    instance : int
        Place of the instance in the whole bag.
    by_itself : float
        Score of the instance, less the neutral point: above 0 it supports the class.
    missed_here : float
        Value of the class in this bag, less that in the bag without the instance: above 0 the value
        falls without it. It is in log-odds if the scores are, else in the unit of the prediction.
    unit : str
        Unit of ``missed_here``.
    sentence : str
        Says that the two have different signs, if ``missed_here`` is at least a twentieth of
        ``by_itself``; else empty.
    """

    method: str
    class_: int
    instance: int
    by_itself: float
    missed_here: float
    unit: str
    sentence: str


@dataclass
class Skipped:
    """A method that the model does not support."""

    method: str
    reason: str


@dataclass
class Document:
    """What ``bagscope explain --json`` writes."""

    model: ModelName
    bag: BagName
    classes: list[str]
    output: str
    units: list[str]
    prediction: NDArray[np.float64]
    explanations: list[Scored]
    skipped: list[Skipped]
    trust: list[Trust]
    evaluations: int
    seed: int
    notes: list[str]
    without: list[int] = field(default_factory=list)
    slide: wire.Slide | None = None
    boxes: list[list[int]] | None = None
    summary: list[str] = field(default_factory=list)
    missed: list[Missed] = field(default_factory=list)
    covariates: list[Covariate] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)

    @property
    def instances(self) -> list[int]:
        """The instances of the bag that the scores belong to."""
        removed = set(self.without)
        return [i for i in range(self.bag.instances) if i not in removed]
