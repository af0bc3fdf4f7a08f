"""Models: files, and functions of Python."""

from __future__ import annotations

import copy
import dataclasses
import io
import operator
import os
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _wire as wire
from ._array import detached
from ._bag import Bag, OpenBag, open_all, release
from ._encoding import card_with
from ._errors import (
    CallableError,
    EngineError,
    FormatError,
    Named,
    SettingError,
    UnavailableError,
    unnamed,
)
from ._process import Child, Event, engine
from ._progress import Update
from ._settings import ClassLike, check_unused, path_of

Function = Callable[[Any], Any]
ModelLike = Union["Model", str, "os.PathLike[str]", bytes, Function, Any]
"""A model, a path, the bytes of an ONNX file, an onnx.ModelProto, a function of a bag, or a list
of models."""

TargetLike = Union[str, "os.PathLike[str]", ArrayLike, Mapping[str, ArrayLike]]
"""What vectors are compared with: a file, vectors, or prototypes by name."""


TRAINING = (
    "The module is in training mode: dropout and batch normalization change its scores from call "
    "to call. Call module.eval() before."
)

PROBABILITIES = (
    "The function's scores look like probabilities. To explain them as such, open it by "
    'bagscope.open(f, classes=[...], scale="probabilities").'
)


def absent(_: Any) -> Any:
    """Stand for the model of an explanation that was loaded from a file.

    Raises
    ------
    UnavailableError
        Always.
    """
    raise UnavailableError(
        "the explanation was loaded from a file, which has neither the model nor the bag; explain "
        "the bag again"
    )


def _target(given: TargetLike | None, likeness: str | None) -> wire.Target | None:
    """Return the message of a target: a file as it is, arrays as NumPy writes them."""
    if given is None:
        if likeness is not None:
            raise SettingError(
                "likeness: it compares with a target; state target", {"setting": "likeness"}
            )
        return None
    if isinstance(given, (str, os.PathLike)):
        path = path_of("target", given)
        return wire.Target(
            name=os.path.basename(path), bytes=_read("target", path), likeness=likeness or ""
        )
    written = io.BytesIO()
    if isinstance(given, Mapping):
        arrays: dict[str, Any] = {name: np.asarray(v, np.float64) for name, v in given.items()}
        np.savez(written, **arrays)
    else:
        np.save(written, np.asarray(given, np.float64))
    return wire.Target(name="target", bytes=written.getvalue(), likeness=likeness or "")


def _read(setting: str, path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as e:
        raise SettingError(f"{setting}: {e}", {"setting": setting}) from e


def _file(path: str) -> wire.File:
    return wire.File(name=os.path.basename(path), bytes=_read("via", path))


class Model:
    """A multiple-instance-learning model. ``bagscope.open`` returns it.

    A model stays open in the engine until nothing refers to it. If the engine has to start again,
    it is opened again.
    """

    def __init__(
        self,
        source: ModelLike,
        *,
        card: dict[str, Any] | str | os.PathLike[str] | None = None,
        inputs: Mapping[str, Any] | None = None,
        via: str | os.PathLike[str] | None = None,
        target: TargetLike | None = None,
        likeness: str | None = None,
        plain: bool = False,
        name: str | None = None,
        classes: Sequence[str] | None = None,
        scale: str = "raw",
        negative: int = -1,
        batch: bool = False,
        mean: str = "log-odds",
    ) -> None:
        self.function: Function | None = None
        self._folds: list[Model] = []
        self._lock = threading.RLock()
        self._open: _OpenModel | None = None
        self._sha256 = ""
        self._request: wire.Body
        if isinstance(source, (str, os.PathLike)):
            self._request = wire.OpenModelFile(
                path=path_of("model", source),
                name=name or "",
                card=card_with(card, inputs),
                via="" if via is None else path_of("via", via),
                target=_target(target, likeness),
                plain=plain,
            )
        elif isinstance(source, (bytes, bytearray, memoryview)) or hasattr(
            source, "SerializeToString"
        ):
            data = (
                source if not hasattr(source, "SerializeToString") else (source.SerializeToString())
            )
            self._request = wire.OpenModel(
                name=name or "model",
                card=card_with(card, inputs),
                via="" if via is None else os.path.basename(path_of("via", via)),
                external=[] if via is None else [_file(path_of("via", via))],
                target=_target(target, likeness),
                plain=plain,
                bytes=bytes(data),
            )
        elif isinstance(source, (list, tuple)):
            self._folds = [
                m
                if isinstance(m, Model)
                else Model(
                    m,
                    card=card,
                    inputs=inputs,
                    via=via,
                    target=target,
                    likeness=likeness,
                    plain=plain,
                )
                for m in source
            ]
            if any(m.function for m in self._folds):
                raise UnavailableError(
                    "several models are files, but one of these is a function; pass one function "
                    "that returns the mean of all"
                )
            check_unused({"name": name}, {"name": None}, "several models have the names of files")
            self._request = wire.OpenEnsemble(mean=mean)
        elif callable(source):
            self.function = source
            self._batch = batch
            self._request = wire.OpenCallable(
                name=name or str(getattr(source, "__name__", type(source).__name__)),
                classes=list(classes or []),
                scale=scale,
                negative=negative,
                batch=batch,
            )
        else:
            raise TypeError(
                f"a model cannot be a {type(source).__name__}; use a path, the bytes of an ONNX "
                "file, an onnx.ModelProto, a function of a bag, or a list of models"
            )
        if not self._folds:
            why = "it is that of several models; pass a list of them, or omit it"
            check_unused({"mean": mean}, {"mean": "log-odds"}, why)
        if self.function is None:
            check_unused(
                {"classes": classes, "scale": scale, "negative": negative, "batch": batch},
                {"classes": None, "scale": "raw", "negative": -1, "batch": False},
                "it is for functions; a file has a card, which open(..., card={...}) overrides",
            )
            self._opened(engine())  # an invalid file is reported here
        else:
            check_unused(
                {
                    "card": card,
                    "inputs": inputs,
                    "via": via,
                    "target": target,
                    "likeness": likeness,
                    "plain": plain,
                },
                {**dict.fromkeys(("card", "inputs", "via", "target", "likeness")), "plain": False},
                "it is for files; a function has classes, scale and negative",
            )

    def __repr__(self) -> str:
        return f"<Model {self.name!r}>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None, "_open": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()

    @property
    def info(self) -> wire.ModelInfo:
        """What the engine knows of the model."""
        return self._opened(engine()).info

    @property
    def name(self) -> str:
        """The name of the file or of the function."""
        if isinstance(self._request, wire.OpenCallable):
            return self._request.name
        return self.info.name

    @property
    def classes(self) -> list[str]:
        """The names of the classes; empty if only a prediction determines their number."""
        if isinstance(self._request, wire.OpenCallable):
            return self._request.classes
        return self.info.classes

    def class_number(self, class_: ClassLike) -> int:
        """Return the number of a class, by its number or name, as the command finds it."""
        if not isinstance(class_, str):
            try:
                return operator.index(class_)
            except TypeError:
                raise SettingError(
                    f"class: {class_!r} is neither the number nor the name of a class",
                    {"setting": "class_"},
                ) from None
        folded = [n.casefold() for n in self.classes]
        if class_ in self.classes:
            return self.classes.index(class_)
        if class_.casefold() in folded:
            return folded.index(class_.casefold())
        if class_.isdecimal():
            return int(class_)
        raise SettingError(
            f"class: the model has no class {class_!r}; its classes are {self.classes}",
            {"setting": "class_"},
        )

    def class_range(self, bag: Bag) -> list[int]:
        """Return the numbers of all classes, which a prediction of the bag determines."""
        bound = self.bound(bag)
        p = bound.call(wire.Predict(model=bound.model.handle, bag=bound.bag.handle))
        assert isinstance(p, wire.Predicted)
        return list(range(len(p.read.values)))

    def handle(self, child: Child) -> int:
        """Return the handle of the model in an engine."""
        return self._opened(child).handle

    def layout(self, child: Child) -> int:
        """Return the handle that supplies the layout of bags; 0 for a function."""
        return 0 if self.function is not None else self.handle(child)

    def plain(self) -> Model:
        """Return the model of the same file that runs the unmodified graph, see ``open``."""
        request = self._request
        if not isinstance(request, (wire.OpenModel, wire.OpenModelFile)):
            return self
        out = copy.copy(self)
        out._request = dataclasses.replace(request, plain=True)
        return out

    def opening(self) -> tuple[wire.OpenModelFile | None, wire.OpenModel | None]:
        """Return the request that opens the model, by its path or by its bytes."""
        request = self._request
        return (
            request if isinstance(request, wire.OpenModelFile) else None,
            request if isinstance(request, wire.OpenModel) else None,
        )

    @property
    def folder(self) -> str:
        """The folder of the model's file; empty if it was not opened by its path."""
        if self._folds:
            return self._folds[0].folder
        request = self._request
        return os.path.dirname(request.path) if isinstance(request, wire.OpenModelFile) else ""

    def bound(self, bag: Bag, progress: Update | None = None) -> Bound:
        """Return the model with a bag, both open in the running engine."""
        return self.bound_all([bag], progress)[0]

    def bound_all(
        self, bags: Sequence[Bag], progress: Update | None = None, named: Named = unnamed
    ) -> list[Bound]:
        """Return the model with each of several bags."""
        child = engine()
        out: list[Bound] = []
        for i, opened in enumerate(open_all(bags, child, self, progress, named)):
            evaluator = None
            if self.function is not None:
                request = self._request
                assert isinstance(request, wire.OpenCallable)
                evaluator = _Evaluator(self.function, self._batch, request.scale, bags[i])
                if not request.classes:
                    with named(i):
                        request.classes = [str(c) for c in range(evaluator.whole().size)]
            out.append(Bound(child, self._opened(child), opened, evaluator, progress))
        return out

    def _opened(self, child: Child) -> _OpenModel:
        with self._lock:
            if self._open is None or self._open.child is not child:
                request = self._request
                if isinstance(request, wire.OpenEnsemble):
                    handles = [m.handle(child) for m in self._folds]
                    request = dataclasses.replace(request, models=handles)
                answer = child.call(request)
                assert isinstance(answer, wire.ModelOpened)
                opened = _OpenModel(child, answer)
                if self._sha256 and opened.info.sha256 != self._sha256:
                    raise FormatError(
                        f"the file of the model {opened.info.name!r} has changed since it was "
                        "opened, and the engine has started again; open the model again"
                    )
                self._open, self._sha256 = opened, opened.info.sha256
            return self._open


class _OpenModel:
    """A model in an engine."""

    def __init__(self, child: Child, opened: wire.ModelOpened) -> None:
        self.child = child
        self.handle = opened.handle
        self.info = opened.info
        weakref.finalize(self, release, child, opened.handle).atexit = False


class Bound:
    """A model with a bag in one engine."""

    def __init__(
        self,
        child: Child,
        model: _OpenModel,
        bag: OpenBag,
        evaluator: _Evaluator | None,
        progress: Update | None,
    ) -> None:
        self.child = child
        self.model = model
        self.bag = bag
        self._evaluator = evaluator
        self.progress = progress

    @property
    def notes(self) -> list[str]:
        """What is to be said of the bag and of a function."""
        if self._evaluator is None:
            return self.bag.notes
        return [*self.bag.notes, *self._evaluator.notes()]

    def call(self, body: wire.Body) -> wire.Body:
        """Send a request and return its answer, while the function and the progress are served."""
        return self.child.call(body, self.event())

    def event(self) -> Event:
        """Return what serves the function and the progress."""

        def on_event(child: Child, request: int, message: wire.Body) -> None:
            if isinstance(message, wire.Progress):
                if self.progress is not None:
                    self.progress(message)
            elif isinstance(message, wire.Noted):
                for note in message.notes:
                    warnings.warn(note, UserWarning, stacklevel=7)
            elif isinstance(message, wire.EvaluateBags):
                if self._evaluator is None:
                    raise EngineError("the engine asked for scores of a model file")
                scores = self._evaluator.scores(message)
                child.send(wire.BagScores(request, message.ticket, False, scores))

        return on_event


class _Evaluator:
    """Evaluates a function on parts of one bag."""

    def __init__(self, function: Function, batch: bool, scale: str, bag: Bag) -> None:
        self.function = function
        self.batch = batch
        self.scale = scale
        self.bag = bag
        self._whole: NDArray[np.float64] | None = None

    def whole(self) -> NDArray[np.float64]:
        """Return the scores of the whole bag, which are computed once."""
        if self._whole is None:
            # A copy, as every part is: the function may change what it gets.
            self._whole = self._call([np.arange(self.bag.number())])[0]
        return self._whole

    def notes(self) -> list[str]:
        """Return what is to be said of a function with a state, or with another scale."""
        out = [TRAINING] if getattr(self.function, "training", None) is True else []
        scores = self.whole()
        like = scores.size > 1 and bool((scores >= 0).all()) and abs(scores.sum() - 1) < 1e-5
        return [*out, PROBABILITIES] if self.scale == "raw" and like else out

    def scores(self, message: wire.EvaluateBags) -> NDArray[np.float64]:
        """Return the scores of the coalitions of a message, (coalition, class), flat."""
        size = (message.instances + 7) // 8
        packed = np.frombuffer(message.coalitions, "u1").reshape(message.count, size)
        members = np.unpackbits(packed, axis=1, count=message.instances, bitorder="little")
        full = members.all(axis=1)
        rows: dict[int, NDArray[np.float64]] = {}
        rest = np.flatnonzero(~full)
        for j in np.flatnonzero(full):
            rows[int(j)] = self.whole()
        if rest.size:
            parts = [np.flatnonzero(members[j]) for j in rest]
            rows.update(zip(rest.tolist(), self._call(parts), strict=True))
        return np.concatenate([rows[j] for j in range(message.count)])

    def _call(self, parts: list[NDArray[np.intp]]) -> list[NDArray[np.float64]]:
        """Return the scores of parts of the bag, which are the numbers of their instances."""
        if not self.batch:
            return [_vector(self.function(self.bag.take(part))) for part in parts]
        answer = self.function([self.bag.take(part) for part in parts])
        if not isinstance(answer, Iterable):
            raise CallableError(
                f"the function returned a {type(answer).__name__}; with batch=True it takes a "
                "list of bags and returns as many rows of scores"
            )
        rows = list(answer)
        if len(rows) != len(parts):
            raise CallableError(
                f"the function returned scores of {len(rows)} bags for {len(parts)}; with "
                "batch=True it takes a list of bags and returns as many rows of scores"
            )
        return [_vector(row) for row in rows]


def _vector(scores: Any) -> NDArray[np.float64]:
    """Return scores (C,), (1, C) or a number as float64 (C,)."""
    scores = detached(scores)
    try:
        array = np.asarray(scores)
    except (TypeError, ValueError):  # rows of different lengths
        array = np.asarray(None)
    if not np.can_cast(array.dtype, np.float64, "same_kind"):
        raise CallableError(
            f"the function returned {_described(scores)}; it must return the scores of the "
            "classes of one bag as real numbers, (C,)"
        )
    array = array.astype(np.float64)
    if array.ndim == 2 and array.shape[0] == 1:
        array = array[0]
    if array.ndim > 1:
        raise CallableError(
            f"the function returned an array of shape {array.shape}; it must return the scores of "
            "the classes of one bag, (C,)"
        )
    return array.reshape(-1)


def _described(scores: Any) -> str:
    """Return what a function returned in place of real numbers, in words."""
    if scores is None:
        return "None"
    if isinstance(scores, (list, tuple)):
        kinds = sorted({type(s).__name__ for s in scores})
        return f"a {type(scores).__name__} of {', '.join(kinds)}"
    dtype = getattr(scores, "dtype", None)
    return f"a {type(scores).__name__}" + ("" if dtype is None else f" of type {dtype}")


def model_of(model: ModelLike) -> Model:
    """Return a model, opening it if it is not one."""
    return model if isinstance(model, Model) else Model(model)
