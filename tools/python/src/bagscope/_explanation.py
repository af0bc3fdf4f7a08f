"""The result of explain."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _draw, _picture, _widget
from . import _wire as wire
from ._document import Covariate, Document, Fold, Missed, Scored, Trust
from ._errors import SettingError
from ._json import converted
from ._model import absent
from ._optional import needed
from ._process import engine
from ._result import Result
from ._settings import ClassLike
from ._table import note_lines

if TYPE_CHECKING:
    import pandas
    import shap
    from matplotlib.axes import Axes

    from ._bag import Bag
    from ._model import Bound, Model


class Report:
    """What one call of ``explain`` returned: one explanation for each method and class.

    ``json`` is the answer of the command, and ``document`` holds its values.
    """

    def __init__(self, answer: dict[str, Any], document: Document | None = None) -> None:
        self.json = answer
        self.document = document or converted(Document, answer)

    def methods(self) -> list[str]:
        """Return the names of the methods, in order."""
        return list(dict.fromkeys(e.method for e in self.document.explanations))

    def only(self, method: str) -> Report:
        """Return the report with the explanations of one method."""
        parts: dict[str, Any] = {
            part: [one for one in self.json[part] if one["method"] == method]
            for part in ("explanations", "trust", "missed")
            if part in self.json  # files of older versions have no "missed"
        }
        return Report({**self.json, **parts})


class Saved(Result):
    """What explanations of one and of several methods have in common."""

    _report: Report
    _model: Model
    _bag: Bag

    def document(self) -> Document:
        """Return what the command writes."""
        return self._report.document

    def bound(self) -> Bound:
        """Return the model with the bag, both open in the running engine."""
        return self._model.bound(self._bag)

    @property
    def prediction(self) -> NDArray[np.float64]:
        """The prediction (C,) on the scale ``output``."""
        return self._report.document.prediction

    @property
    def output(self) -> str:
        """The explained output: ``prob``, ``logit`` or ``raw``; ``mixed`` if heads differ."""
        return self._report.document.output

    @property
    def units(self) -> list[str]:
        """The unit of each class of ``prediction`` (C,)."""
        return self._report.document.units

    @property
    def classes(self) -> list[str]:
        """The names of the classes (C,), their numbers if they have no names."""
        return self._report.document.classes

    @property
    def summary(self) -> str:
        """What the model says, what that rests on, and what turns it, in up to three sentences.

        It is about the class with the largest prediction, and empty in files of older versions.
        """
        return " ".join(self._report.document.summary)

    @property
    def missed(self) -> list[Missed]:
        """What up to five instances do by themselves, and what this bag loses without each.

        They are, for each method, the instances that stand out most for the class of ``summary``,
        the strongest first. Empty in files of older versions.
        """
        return self._report.document.missed

    @property
    def covariates(self) -> list[Covariate]:
        """What inputs of the model beside the instances take, and add to a ``reference``."""
        return self._report.document.covariates

    @property
    def folds(self) -> list[Fold]:
        """The models that are explained as one, with their predictions; empty for one model."""
        return self._report.document.folds

    @property
    def notes(self) -> list[str]:
        """Sentences on the model, the bag and the explanation, each once."""
        return self._report.document.notes

    @property
    def evaluations(self) -> int:
        """The number of evaluated coalitions of all methods of the call."""
        return self._report.document.evaluations

    @property
    def seed(self) -> int:
        """The seed of the random numbers."""
        return self._report.document.seed

    @property
    def instances(self) -> list[int]:
        """The instances of the bag that the scores belong to."""
        return self._report.document.instances

    def to_dict(self) -> dict[str, Any]:
        """Return what ``bagscope explain --json`` prints, as a dictionary."""
        return copy.deepcopy(self._report.json)

    def _stated(self) -> dict[str, Any]:
        return self._report.json

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a row for each method, class and instance, with the columns of the CSV file.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        with needed("pandas"):
            import pandas

        boxes = self.boxes
        return pandas.concat(
            [pandas.DataFrame(self._columns(e, boxes)) for e in self.document().explanations],
            ignore_index=True,
        )

    def _columns(self, e: Scored, boxes: NDArray[np.int64] | None) -> dict[str, Any]:
        """Return the columns of the CSV file for one method and class, with exact names."""
        names = self.document().bag.instance_names
        named = {"instance_name": [names[i] for i in self.instances]} if names else {}
        places: dict[str, Any] = {}
        if boxes is not None:
            places = dict(zip(("x0", "y0", "x1", "y1"), boxes.T, strict=True))
            slide = self.document().slide
            places["origin"] = (slide and slide.origin) or "canvas"
        return {
            "method": e.method,
            "class": e.class_,
            "class_name": self.classes[e.class_],
            "instance": self.instances,
            "score": e.scores,
            "stderr": np.nan if e.stderr is None else e.stderr,
            "unit": e.unit,
            "neutral": e.neutral,
            "evident": e.evident,
            "low": np.nan if e.low is None else e.low,
            "high": np.nan if e.high is None else e.high,
            "version": e.settings.get("version", ""),
            **named,
            **places,
        }

    @property
    def boxes(self) -> NDArray[np.int64] | None:
        """Corners x0, y0, x1, y1 (k, 4) of the explained instances, None without places."""
        boxes = self.document().boxes
        return None if boxes is None else np.array(boxes)

    def _json(self) -> bytes:
        text = json.dumps(self._report.json, ensure_ascii=False, separators=(",", ":"))
        return f"{text}\n".encode()

    def _csv(self) -> bytes:
        """Return the rows of ``to_dataframe``. The engine escapes what spreadsheets would run."""
        boxes = self.boxes
        rows: list[list[str]] = []
        for e in self.document().explanations:
            columns = self._columns(e, boxes)
            rows = rows or [list(columns)]
            cells = [c if np.ndim(c) else [c] * len(e.scores) for c in columns.values()]
            rows += [list(map(cell, row)) for row in zip(*cells, strict=True)]
        file = engine().call(wire.WriteCSV(rows))
        assert isinstance(file, wire.Document)
        return bytes(file.bytes)

    def geojson(self, *, colours: str = "") -> bytes:
        """Return a GeoJSON file of the places with their scores, for QuPath.

        Parameters
        ----------
        colours : {"blue-orange", "green-red"}, optional
            Colours of what supports and refutes the class. By default blue and orange.

        Raises
        ------
        BagError
            If the instances have no places.
        SettingError
            If the colours do not exist.
        """
        return _draw.geojson(self, colours)

    def dicom(
        self,
        form: str = "seg",
        *,
        top: int = 0,
        identifiers: str | os.PathLike[str] | None = None,
        colours: str = "",
    ) -> bytes:
        """Return a DICOM file that refers to the DICOM pictures of the bag.

        Parameters
        ----------
        form : {"seg", "sr"}, optional
            A segmentation, which is a map of what supports the class with the largest prediction
            and of what refutes it, or a structured report (TID 1500) of the instances that stand
            out, such as key slices. By default ``"seg"``.
        top : int, optional
            Most instances of a report, the largest scores first. By default all that stand out.
        identifiers : path, optional
            A DICOM file of the same study, of which the patient and the study are copied. By
            default these attributes are empty.
        colours : {"blue-orange", "green-red"}, optional
            Colours of what supports and refutes the class. By default blue and orange.

        Raises
        ------
        BagError
            If the bag is not of DICOM files that state their UIDs, or the identifiers are of
            another study.
        SettingError
            If the form or the colours do not exist.
        """
        known = b"" if identifiers is None else Path(identifiers).read_bytes()
        return _draw.dicom(self, form, top, known, colours)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file as the command ``bagscope explain`` does.

        Parameters
        ----------
        path : path
            The ending says the format: .json, which ``load`` reads, .csv, .png, .geojson, or .dcm
            for a DICOM segmentation and .sr.dcm for a DICOM structured report.

        Raises
        ------
        SettingError
            If the ending is another.
        """
        writers: dict[str, Callable[[], bytes]] = {
            ".json": self._json,
            ".csv": self._csv,
            ".png": lambda: _picture.png(self),
            ".geojson": self.geojson,
            ".sr.dcm": lambda: self.dicom("sr"),
            ".dcm": self.dicom,
        }
        ending = "".join(Path(path).suffixes[-2:]).lower()
        if ending not in writers:
            ending = Path(path).suffix.lower()
        if ending not in writers:
            raise SettingError(
                f"path: the ending {ending!r} is unknown; use one of {', '.join(writers)}",
                {"setting": "path"},
            )
        Path(path).write_bytes(writers[ending]())


def _stacked(rows: list[NDArray[np.float64] | None]) -> NDArray[np.float64] | None:
    """Return the rows of classes as one array, or None if the method has none."""
    given = [row for row in rows if row is not None]
    return np.array(given) if given else None


class Explanation(Saved):
    """The scores of one method.

    Attributes
    ----------
    method : str
        Name of the method.
    explained : list of int
        The explained classes, one for each row of ``scores``; all classes by default.
    scores : ndarray of shape (C, k)
        Score of each instance for each explained class.
    stderr : ndarray of shape (C, k) or None
        Standard errors, if the method samples.
    low, high : ndarray of shape (C, k) or None
        Extremes of the differences that a score is the mean of, if it is one: how much the company
        of an instance matters, not errors.
    evident : ndarray of bool, shape (C, k)
        Whether chance and rounding do not explain the score.
    neutral : ndarray of shape (C,)
        The score that neither supports nor refutes.
    by_fold : list of FoldScores
        For each explained class, the scores of the models of a list; empty for one model.
    settings : dict
        The settings of the method.
    unit : str
        Unit of the scores.
    r2 : ndarray of shape (C,)
        Fit of the surrogate, NaN for methods without one.
    method_notes : list of str
        Notes of the method, each once.
    reliability : Reliability or None
        How far the scores can be trusted, if ``reliability=True`` was given.
    """

    def __init__(self, report: Report, method: str, model: Model, bag: Bag) -> None:
        self._report = report.only(method)
        self._model = model
        self._bag = bag
        rows = self.document().explanations
        self.method = method
        self.explained = [e.class_ for e in rows]
        self.scores = np.array([e.scores for e in rows])
        self.stderr = _stacked([e.stderr for e in rows])
        self.low = _stacked([e.low for e in rows])
        self.high = _stacked([e.high for e in rows])
        self.evident = np.array([e.evident for e in rows], bool)
        self.neutral = np.array([e.neutral for e in rows])
        self.by_fold = [e.folds for e in rows if e.folds]
        self.r2 = np.array([np.nan if e.r2 is None else e.r2 for e in rows])
        self.settings = rows[0].settings if rows else {}
        self.unit = rows[0].unit if rows else ""
        self.method_notes = list(dict.fromkeys(n for e in rows for n in e.notes))
        trust = self.document().trust
        self.reliability = Reliability(trust[0]) if trust else None

    def __repr__(self) -> str:
        return "\n".join([self._title(), *note_lines(self.notes)])

    def _title(self) -> str:
        """Return the method and the prediction."""
        best = int(np.argmax(self.prediction))
        return (
            f"<Explanation by {self.method}: {len(self.instances)} instances, "
            f"{self.classes[best]!r} {self.prediction[best]:.4g} ({self.output})>"
        )

    def picture(
        self,
        *,
        kind: str = "",
        width: int = 760,
        scale: int = 2,
        dark: bool = False,
        colours: str = "",
        strongest: float = 0,
    ) -> _picture.Picture:
        """Return the picture of the explanation as the bytes of a PNG file.

        At the end of a cell, notebooks show the picture.

        Parameters
        ----------
        kind : {"strip", "overlay", "map", "bars"}, optional
            By default what fits the bag.
        width : int, default 760
            Width in layout pixels.
        scale : int, default 2
            Pixels of the file for each layout pixel.
        dark : bool, default False
            Whether the background is dark.
        colours : {"blue-orange", "green-red"}, optional
            Colours for and against a class. By default blue and orange, which readers with any kind
            of colour vision distinguish; green and red are those of the paper.
        strongest : float, optional
            The score, as a distance from the neutral point, that has the strongest colour, so that
            pictures of several bags can be compared. Larger ones have the same colour, and the
            legend states their number. By default the size of the bag's decision or, if it is
            larger or there is none, the largest score.

        Raises
        ------
        SettingError
            If an option has no such value.
        UnavailableError
            If the explanation was loaded, and the kind shows the instances.
        """
        loaded = self._model.function is absent
        if loaded and kind in ("strip", "overlay"):  # they show the instances
            absent(None)
        # A saved file has no places of removed instances.
        removed = not loaded or self._bag.places is None
        return _picture.png(
            self,
            kind=kind,
            width=width,
            scale=scale,
            dark=dark,
            colours=colours,
            strongest=strongest,
            removed=removed,
        )

    def widget(self) -> Any:
        """Return a widget for notebooks, an ``anywidget.AnyWidget``.

        It computes in the page. Its traits ``selected`` (int or None) and ``removed`` (list of int)
        change when the reader clicks, and it follows when they are set. ``prediction`` is that
        without the removed instances.

        Raises
        ------
        ImportError
            If anywidget is not installed.
        UnavailableError
            If the page cannot compute it: the model is a function, lies in several files, or is
            too large; or its file or the array of the bag has changed.
        """
        return _widget.widget(self, self.picture())

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the widget where there is anywidget, and a picture that stays without it."""
        return _widget.mime_bundle(self)

    def score(self, class_: ClassLike) -> NDArray[np.float64]:
        """Return the scores (k,) of one class, by its number or name.

        Raises
        ------
        SettingError
            If the class does not exist or was not explained.
        """
        scores: NDArray[np.float64] = self.scores[self.row(class_)]
        return scores

    def row(self, class_: ClassLike | None) -> int:
        """Return the row of ``scores`` of a class, by default the one with the best prediction."""
        if class_ is None:
            return int(np.argmax(self.prediction[self.explained]))
        return self.explained.index(self.class_number(class_))

    def class_number(self, class_: ClassLike) -> int:
        """Return the number of an explained class, by its number or name."""
        number = self.classes.index(class_) if class_ in self.classes else class_
        if number not in self.explained:
            raise SettingError(
                f"class: {class_!r} was not explained; the explained classes are "
                f"{[self.classes[c] for c in self.explained]}",
                {"setting": "class_"},
            )
        return int(number)

    def plot(
        self, class_: ClassLike | None = None, ax: Axes | None = None, *, colours: str = ""
    ) -> Axes:
        """Draw the scores of one class with matplotlib.

        Parameters
        ----------
        class_ : int or str, optional
            Number or name of the class, by default the explained one with the largest prediction.
        ax : matplotlib.axes.Axes, optional
            Where to draw, by default in a new figure.
        colours : {"blue-orange", "green-red"}, optional
            Colours for and against the class. By default blue and orange.

        Returns
        -------
        matplotlib.axes.Axes
            Patches at their places, or bars with standard errors.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        SettingError
            If the colours do not exist.
        """
        return _draw.plot(self, class_, ax, colours)

    def to_shap(self, class_: ClassLike | None = None) -> shap.Explanation:
        """Return the scores of one class for the plots of shap, such as ``shap.plots.waterfall``.

        Parameters
        ----------
        class_ : int or str, optional
            Number or name of the class, by default the explained one with the largest prediction.

        Returns
        -------
        shap.Explanation
            ``values`` (k,) are the scores minus ``neutral``: positive ones support the class. The
            ``feature_names`` are the names of the instances in the file, or number them.
            ``base_values`` is the prediction minus the sum of the values, and 0 if the scores have
            another unit than the prediction.

        Raises
        ------
        ImportError
            If shap is not installed.
        """
        with needed("shap"):
            import shap

        row = self.row(class_)
        number = self.explained[row]
        values = self.scores[row] - self.neutral[row]
        comparable = self.unit == self.units[number]
        return shap.Explanation(
            values=values,
            base_values=float(self.prediction[number] - values.sum()) if comparable else 0.0,
            feature_names=[self._called(i) for i in self.instances],
        )

    def _called(self, instance: int) -> str:
        names = self.document().bag.instance_names
        return (names[instance] if names else "") or f"instance {instance}"


class Reliability(Result):
    """How far the scores of a method can be trusted.

    Attributes
    ----------
    sentences : list of str
        A summary in words for each explained class.
    aopc_r : dict of ndarray
        AOPC-R of the method and of simple methods, by name, for each explained class.
    beaten : list of int
        Number of random orders that the method beats, for each explained class.
    correlation : ndarray
        Rank correlation with the scores of another seed, for each explained class.
    shown : list of int
        Number of instances whose evidence supports the answer, for each explained class; the lists
        below have this order, too. Files of earlier versions have none of them.
    sufficiency, necessity : list of float
        Value of the class of these alone, and of the bag without them.
    recoverability : list of float
        Share of what is lost without them that returns where they join half of the others.
    ranked, least : list of int
        Number of instances with the highest scores that keep the answer, and the smallest number
        found that do; 0 if none was found.
    """

    def __init__(self, trust: Trust) -> None:
        self.sentences = trust.sentences
        self.aopc_r = trust.aopc_r
        self.beaten = trust.beaten
        self.correlation = trust.correlation
        self.shown = trust.shown
        self.sufficiency, self.necessity = trust.sufficiency, trust.necessity
        self.recoverability = trust.recoverability
        self.ranked, self.least = trust.ranked, trust.least

    def __repr__(self) -> str:
        return "\n".join(self.sentences)


class Explanations(Saved, Mapping[str, Explanation]):
    """The explanations of several methods, by the name of the method.

    Attributes
    ----------
    skipped : dict
        The reason for each method that the model does not support.
    """

    def __init__(self, report: Report, model: Model, bag: Bag) -> None:
        self._report = report
        self._model = model
        self._bag = bag
        self._by_name = {m: Explanation(report, m, model, bag) for m in report.methods()}
        self.skipped = {s.method: s.reason for s in report.document.skipped}

    def __getitem__(self, method: str) -> Explanation:
        return self._by_name[method]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        first = f"<Explanations by {', '.join(self)}>"
        return "\n".join([first, *note_lines(self._report.document.notes)])


def cell(value: Any) -> str:
    """Return a value as the command writes it into CSV files, in all its digits."""
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if not isinstance(value, float):  # as numbers of NumPy are
        return str(value)
    if value != value:
        return ""
    if value == 0 or 1e-4 <= abs(value) < 1e6:
        return np.format_float_positional(value, trim="-")
    return np.format_float_scientific(value, trim="-", exp_digits=2)
