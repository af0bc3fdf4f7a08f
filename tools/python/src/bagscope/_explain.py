"""explain, predict, inspect and methods."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _tables as tables
from . import _wire as wire
from ._answer import document_of, request_of
from ._bag import Bag, BagLike, Bags, inputs_text
from ._errors import SettingError
from ._explanation import Explanation, Explanations, Report
from ._many import results
from ._model import Bound, Model, ModelLike, TargetLike, model_of
from ._progress import ProgressLike
from ._result import Result
from ._settings import ClassLike, Instances, check_unused, instances_of, limit_of, seed_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


def open(
    model: ModelLike,
    *,
    card: dict[str, Any] | str | os.PathLike[str] | None = None,
    inputs: Mapping[str, Any] | None = None,
    via: str | os.PathLike[str] | None = None,
    target: TargetLike | None = None,
    likeness: Literal["cosine", "dot"] | None = None,
    plain: bool = False,
    name: str | None = None,
    classes: Sequence[str] | None = None,
    scale: Literal["raw", "logits", "sigmoid-logits", "probabilities", "log-probabilities"] = "raw",
    negative: int = -1,
    batch: bool = False,
    mean: Literal["log-odds", "prob"] = "log-odds",
) -> Model:
    """Open a model.

    Parameters
    ----------
    model : path, bytes, onnx.ModelProto, callable or list
        An ONNX file, or a function of a bag that returns the scores of the classes (C,). A
        function is called with parts of a bag, from which the other instances are removed. A list
        of files of one task, such as the folds of a cross-validation, is explained as one model.
    card : dict or path, optional
        A model card, which overrides the one inside the file.
    inputs : dict, optional
        What inputs of a file beside the bag take, by their names, such as ``{"age": 63}``: numbers,
        lists of numbers, or roles of the card's key ``inputs``, which they override.
    via : path, optional
        An ONNX file that the bag goes through before the model, such as the encoder of a slide
        before a head. By default what the card's key ``via`` names.
    target : path, array or dict of arrays, optional
        What the vector that the model returns for a bag is compared with: a vector (d,), vectors
        (n, d), prototypes of classes by their names, or a dict or file with the ``weight`` and
        ``bias`` of a linear probe. The vector of another bag is ``predict(model, other).scores``.
        The classes of the model are then the likenesses.
    likeness : str, optional
        How vectors are compared, ``cosine`` or ``dot``. By default what the card's key
        ``likeness`` states, or ``cosine``.
    plain : bool, default False
        Run the whole unmodified graph for every coalition: slow, the reference.
    name : str, optional
        Name in reports, by default the file's or the function's.
    classes : sequence of str, optional
        Names of the classes of a function.
    scale : str, default "raw"
        Meaning of the scores of a function. ``raw`` explains them as they are.
    negative : int, default -1
        The class of a function that means "nothing found", -1 if there is none.
    batch : bool, default False
        Whether the function takes a list of bags and returns a list of scores.
    mean : {"log-odds", "prob"}, default "log-odds"
        What the scores of a list of models are the mean of.

    Returns
    -------
    Model

    Raises
    ------
    BagscopeError
        If the file cannot be read or the engine cannot run it.
    """
    given = {
        "card": card,
        "inputs": inputs,
        "via": via,
        "target": target,
        "likeness": likeness,
        "plain": plain,
        "name": name,
        "classes": classes,
        "scale": scale,
        "negative": negative,
        "batch": batch,
        "mean": mean,
    }
    if not isinstance(model, Model):
        return Model(model, **given)  # type: ignore[arg-type]
    why = "the model is open already; pass its file or its function"
    check_unused(given, open.__kwdefaults__ or {}, why)
    return model


class Arguments(tables.MethodOptions, total=False):
    """The arguments of ``explain`` beside the method."""

    class_: ClassLike | None
    without: Instances
    settings: str | None
    output: Literal["prob", "logit"] | None
    seed: int
    budget: int
    memory: int
    reliability: bool
    reference: str | Mapping[str, float | Sequence[float]] | None
    batch: bool
    encoder: str | os.PathLike[str] | None
    index: int | None
    progress: ProgressLike


Methods = Literal["all"] | list[str] | tuple[str, ...]


@overload
def explain(  # type: ignore[overload-overlap]
    model: ModelLike, bag: Bags, *, method: Methods, **options: Unpack[Arguments]
) -> list[Explanations]: ...


@overload
def explain(
    model: ModelLike, bag: Bags, *, method: str | None = ..., **options: Unpack[Arguments]
) -> list[Explanation]: ...


@overload
def explain(  # type: ignore[overload-overlap]
    model: ModelLike, bag: BagLike, *, method: Methods, **options: Unpack[Arguments]
) -> Explanations: ...


@overload
def explain(
    model: ModelLike, bag: BagLike, *, method: str | None = ..., **options: Unpack[Arguments]
) -> Explanation: ...


def explain(
    model: ModelLike,
    bag: BagLike,
    *,
    method: str | list[str] | tuple[str, ...] | None = None,
    class_: ClassLike | None = None,
    without: Instances = (),
    settings: str | None = None,
    output: Literal["prob", "logit"] | None = None,
    seed: int = 0,
    budget: int = 0,
    memory: int = 0,
    reliability: bool = False,
    reference: str | Mapping[str, float | Sequence[float]] | None = None,
    batch: bool = False,
    encoder: str | os.PathLike[str] | None = None,
    index: int | None = None,
    progress: ProgressLike = False,
    **options: Unpack[tables.MethodOptions],
) -> Explanation | Explanations | list[Explanation] | list[Explanations]:
    """Compute a score for each instance of a bag and each class.

    Parameters
    ----------
    model : Model, path, bytes, onnx.ModelProto or callable
        The model, see ``open``.
    bag : Bag, array_like, path or AnnData, or list of Bag
        The bag, see ``Bag``, or several: the results are then a list in their order, and an error
        names the index of its bag. A list of arrays is one bag, of these instances.
    method : str or list of str, optional
        Name of a method, see ``methods``, a list of names, or "all", which skips the methods that
        the model does not support; otherwise these are an error. By default "consensus", or
        "random_shap" for a model that takes multiples of a number of instances.
    class_ : int or str, optional
        The class to explain, by number or name; by default all.
    without : sequence of int, optional
        Instances to remove from the bag.
    settings : str, optional
        Use the paper's settings for a data set; options override them.
    output : {"prob", "logit"}, optional
        The output to explain.
    seed : int, default 0
        Seed of the random numbers. Equal calls give equal results.
    budget : int, default 0
        Most evaluations of the model, 0 for no limit.
    memory : int, default 0
        Most memory of the bag and its explanation in MB, 0 for no limit.
    reliability : bool, default False
        Also measure how far the scores can be trusted.
    reference : dict or "mean", optional
        Also state what the covariates of the bag add, relative to these values, such as
        ``{"age": 50}``, or to the means over the bags of the file. At most eight covariates.
    batch : bool, default False
        Whether a function takes a list of bags.
    encoder : path, optional
        An ONNX file that encodes the patches of a whole slide, for a model of features. ``Bag``
        takes further options of slides.
    index : int, optional
        Number of the bag in a file of several bags, by default 0.
    progress : bool or callable, default False
        True shows a bar of tqdm; a function gets (done, total). Several bags are counted.
    **options
        Options of methods, such as ``samples``.

    Returns
    -------
    Explanation or Explanations
        Explanations by name for a list of methods or "all"; a list of results for several bags.

    Raises
    ------
    BagscopeError
        See the exceptions of this package. Exceptions of a function are raised as they are.
    """
    if batch and isinstance(model, Model):
        raise SettingError(
            "batch: the model is open already; pass batch=True to bagscope.open",
            {"setting": "batch"},
        )
    m = model if isinstance(model, Model) else Model(model, batch=batch)
    given: dict[str, Any] = dict(options)
    if unknown := sorted(given.keys() - tables.MethodOptions.__optional_keys__):
        raise SettingError(
            f"{unknown[0]}: it is not an option; the options of methods are "
            f"{sorted(tables.MethodOptions.__optional_keys__)}",
            {"setting": unknown[0]},
        )
    removed = instances_of("without", without)
    given |= {
        "methods": [method] if isinstance(method, str) else method and list(method),
        "classes": None if class_ is None else [m.class_number(class_)],
        "settings": settings,
        "output": output,
        "trust": reliability,
        "reference": inputs_text(reference) if isinstance(reference, Mapping) else reference,
        "seed": seed_of(seed),
        "budget": limit_of("budget", budget),
        "memory": limit_of("memory", memory),
    }
    text = request_of(given)

    def request(bound: Bound, watch: bool) -> wire.WriteAnswer:
        return wire.WriteAnswer(
            question="explain",
            model=bound.model.handle,
            bag=bound.bag.handle,
            without=removed,
            notes=bound.notes,
            request=text,
            watch=watch,
        )

    def result(bound: Bound, b: Bag, answer: wire.Body) -> Explanation | Explanations:
        report = Report(document_of(answer))
        if method is None or (isinstance(method, str) and method != "all"):
            return Explanation(report, report.methods()[0], m, b)
        return Explanations(report, m, b)

    return results(m, bag, encoder, index, progress, request, result)  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class Prediction(Result):
    """The prediction of a model for a bag.

    Attributes
    ----------
    scores : ndarray of shape (C,)
        Scores on the scale ``output``.
    output : str
        ``prob``, ``logit`` or ``raw``; ``mixed`` if the heads of the model card differ.
    raw : ndarray of shape (C,)
        The model's own values, on the scale ``scale``.
    scale : str
        Meaning of ``raw``.
    classes : list of str
        Names of the classes, their numbers if they have no names.
    outputs : dict of ndarray
        All outputs of the model by name.
    notes : list of str
        What was assumed or decided.
    units : list of str
        Unit of each score: ``probability``, ``logit``, ``score``, or that of the model card.
    curves : list of Curve
        Survival curves of a model card with hazards: ``class_``, ``unit``, and the ``survival`` at
        each of the ``edges``.
    folds : list of Fold
        The models of a list that are one, with ``name``, ``sha256`` and ``prediction``.
    """

    scores: NDArray[np.float64]
    output: str
    raw: NDArray[np.float64]
    scale: str
    classes: list[str]
    outputs: dict[str, NDArray[np.float64]]
    notes: list[str]
    units: list[str]
    curves: list[wire.Curve]
    folds: list[wire.Fold] = field(default_factory=list)


@overload
def predict(
    model: ModelLike,
    bag: Bags,
    *,
    output: Literal["prob", "logit"] = ...,
    without: Instances = ...,
    encoder: str | os.PathLike[str] | None = ...,
    index: int | None = ...,
    progress: ProgressLike = ...,
) -> list[Prediction]: ...


@overload
def predict(
    model: ModelLike,
    bag: BagLike,
    *,
    output: Literal["prob", "logit"] = ...,
    without: Instances = ...,
    encoder: str | os.PathLike[str] | None = ...,
    index: int | None = ...,
    progress: ProgressLike = ...,
) -> Prediction: ...


def predict(
    model: ModelLike,
    bag: BagLike,
    *,
    output: Literal["prob", "logit"] = "prob",
    without: Instances = (),
    encoder: str | os.PathLike[str] | None = None,
    index: int | None = None,
    progress: ProgressLike = False,
) -> Prediction | list[Prediction]:
    """Return the prediction of a model for a bag.

    Parameters
    ----------
    model : Model, path, bytes, onnx.ModelProto or callable
        The model, see ``open``.
    bag : Bag, array_like, path or AnnData, or list of Bag
        The bag, see ``Bag``, or several: the results are then a list in their order, and an error
        names the index of its bag. A list of arrays is one bag, of these instances.
    output : {"prob", "logit"}, default "prob"
        Scale of the scores.
    without : sequence of int, optional
        Instances to remove from the bag.
    encoder : path, optional
        An ONNX file that encodes the patches of a whole slide, see ``explain``.
    index : int, optional
        Number of the bag in a file of several bags, by default 0.
    progress : bool or callable, default False
        Shows the encoding: True by a bar of tqdm; a function gets (done, total). Several bags are
        counted.

    Returns
    -------
    Prediction
        A list of predictions for several bags.
    """
    removed = instances_of("without", without)

    def request(bound: Bound, watch: bool) -> wire.Predict:
        return wire.Predict(
            model=bound.model.handle,
            bag=bound.bag.handle,
            without=removed,
            output=output,
            watch=watch,
        )

    def result(bound: Bound, _: Bag, p: wire.Body) -> Prediction:
        assert isinstance(p, wire.Predicted)
        return Prediction(
            scores=p.read.values,
            output=p.read.output,
            raw=p.raw.scores,
            scale=p.raw.scale,
            classes=p.raw.classes or [str(i) for i in range(len(p.read.values))],
            outputs={o.name: o.data.reshape(o.shape) for o in p.raw.outputs},
            notes=list(dict.fromkeys([*p.raw.notes, *bound.notes])),
            units=p.read.units,
            curves=p.raw.curves,
            folds=p.folds,
        )

    return results(model_of(model), bag, encoder, index, progress, request, result)


def methods() -> list[tables.Method]:
    """Return the attribution methods: name, title, summary, cost and options."""
    return list(tables.METHODS)
