"""Explanations from the files that ``save`` writes."""

from __future__ import annotations

import json
import os
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ._bag import Bag
from ._document import Document
from ._errors import FormatError, LimitError, MissingError
from ._explanation import Explanation, Explanations, Report
from ._json import converted
from ._model import Model, absent
from ._process import MAX_MESSAGE
from ._settings import path_of

VERSION = 1
"""The version of the format. A file without one has this version."""

_DIGITS = 400  # most digits of a whole number; a float has at most 309


def load(path: str | os.PathLike[str]) -> Explanation | Explanations:
    """Return the explanation in a JSON file, which ``save`` or ``bagscope explain --json`` wrote.

    It equals the saved one. The file has neither the model nor the bag. So pictures are bars, or
    maps of instances with places, ``save`` writes all its formats, and there is no widget.

    Parameters
    ----------
    path : path
        A file that ends in .json. Tables and pictures do not hold everything.

    Returns
    -------
    Explanation or Explanations
        Explanations if the file has several methods.

    Raises
    ------
    FormatError
        If the file is not an explanation, or has another version.
    MissingError
        If the file does not exist.
    LimitError
        If it has more than 1 GB.
    """
    name = path_of("path", path)
    document = _read(name)
    try:
        version = document.setdefault("version", VERSION) if isinstance(document, dict) else VERSION
        if type(version) is not int or version != VERSION:
            raise FormatError(
                f"it has version {version!r}, and this package reads version {VERSION}; use the "
                "release that wrote it, or explain the bag again"
            )
        file = converted(Document, document)
        _check(file)
    except FormatError as e:
        raise FormatError(f"the file {name} cannot be loaded as an explanation: {e}") from None
    report = Report(document, file)
    zeros = np.zeros((file.bag.instances, 1), np.float32)
    bag = Bag(zeros, name=file.bag.name, places=_places(file), origin=_origin(file))
    model = Model(absent, name=file.model.name, classes=file.classes)
    methods = report.methods()
    if len(methods) == 1:
        return Explanation(report, methods[0], model, bag)
    return Explanations(report, model, bag)


def _check(d: Document) -> None:
    """Raise a FormatError unless the lists fit one another."""
    n, classes = d.bag.instances - len(d.without), len(d.prediction)
    _need(d.explanations, "it has no explanations")
    _need(classes > 0, "it has no classes")
    _need(len(d.classes) == len(d.units) == classes, "the lists of classes differ")
    for e in d.explanations:
        _need(0 <= e.class_ < classes, f"there is no class {e.class_}")
        sizes = {len(e.scores), len(e.evident)}
        sizes |= {len(v) for v in (e.stderr, e.low, e.high) if v is not None}
        _need(sizes == {n} and n > 0, "the numbers of instances differ")
    kinds = {(e.method, (e.stderr is None, e.low is None, e.high is None)) for e in d.explanations}
    _need(len(kinds) == len(dict(kinds)), "the classes of a method differ")
    removed = set(d.without)
    _need(len(removed) == len(d.without), "an instance is removed twice")
    _need(removed <= set(range(d.bag.instances)), "an absent instance is removed")
    for t in d.trust:
        sizes = {len(t.classes), len(t.beaten), len(t.correlation), len(t.sentences)}
        sizes |= {len(v) for v in t.aopc_r.values()}
        kept = (t.shown, t.sufficiency, t.necessity, t.recoverability, t.ranked, t.least)
        sizes |= {len(v) for v in kept if any(kept)}
        _need(len(sizes) == 1, "the lists of trust differ")
    if d.boxes is not None:
        _need(len(d.boxes) == n, "the number of boxes differs")
        _need(
            all(len(b) == 4 and max(map(abs, b)) < 1 << 31 for b in d.boxes),
            "a box must be x0, y0, x1, y1",
        )


def _places(d: Document) -> NDArray[np.int64] | None:
    """Return the corners of all instances; removed ones get those of another."""
    if d.boxes is None:
        return None
    corners = np.array(d.boxes, np.int64)
    if d.slide is not None and d.slide.origin == "bounds":
        corners += [d.slide.bounds_x, d.slide.bounds_y] * 2
    out = np.repeat(corners[:1], d.bag.instances, axis=0)
    out[d.instances] = corners
    return out


def _origin(d: Document) -> str | None:
    """Return where the bounds of the slide begin, None if they are all of it or unknown."""
    if d.boxes is None or d.slide is None or not (d.slide.bounds_x or d.slide.bounds_y):
        return None
    return f"{d.slide.bounds_x},{d.slide.bounds_y}"


def _read(path: str) -> Any:
    """Return the value in a file of JSON."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_MESSAGE + 1)
    except FileNotFoundError:
        raise MissingError(f"the file {path} does not exist") from None
    except OSError as e:
        raise FormatError(f"the file {path} cannot be read: {e.strerror}") from e
    if len(data) > MAX_MESSAGE:
        raise LimitError(f"the file {path} has more than {MAX_MESSAGE} bytes, which no saved has")
    try:
        return json.loads(data, parse_int=_whole, parse_constant=_no_json)
    except (ValueError, RecursionError) as e:
        raise FormatError(f"the file {path} is not JSON: {e}; load what save wrote as .json") from e


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:  # Python before 3.10.7 takes minutes for a million
        raise ValueError(f"a number has {len(digits)} digits")
    return int(digits)


def _no_json(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number of JSON")


def _need(condition: object, reason: str) -> None:
    if not condition:
        raise FormatError(reason)
