"""What the answers to all what-ifs have in common, and how they are requested."""

from __future__ import annotations

import json
import operator
import os
import reprlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_type_hints

import numpy as np
from numpy.typing import NDArray

from . import _wire as wire
from ._bag import BagLike, bag_of
from ._errors import SettingError, UnavailableError
from ._json import converted
from ._model import ModelLike, model_of
from ._optional import needed
from ._progress import ProgressLike, watched
from ._result import Result
from ._settings import ClassLike, Instances, instances_of, limit_of, seed_of
from ._table import html_table, note_lines

if TYPE_CHECKING:
    import pandas


Table = tuple[list[str], list[list[Any]]]
"""The head and the rows of a table."""

SHOWN = 10
"""Number of rows that notebooks show."""


class Answer(Result):
    """The answer to a what-if.

    Attributes have the names of the command's JSON, and are converted as their annotations state.

    Attributes
    ----------
    prediction : ndarray of shape (C,)
        The prediction for the bag on the scale ``output``.
    classes : list of str
        Names of the classes, their numbers if they have no names.
    class_ : int
        The class of the question.
    output : str
        ``prob``, ``logit`` or ``raw``; ``mixed`` if the heads of the model card differ.
    units : list of str
        Unit of each score.
    instances : int
        Number of instances of the bag.
    evaluations : int
        Number of evaluated coalitions.
    seed : int
        Seed of the random numbers.
    notes : list of str
        Sentences on the model, the bag and the answer.
    """

    prediction: NDArray[np.float64]
    classes: list[str]
    output: str
    units: list[str]
    evaluations: int
    seed: int
    notes: list[str]

    def __init__(self, answer: dict[str, Any]) -> None:
        self._json = answer
        self.class_: int = answer["class"]
        self.instances: int = answer["bag"]["instances"]
        for name, kind in get_type_hints(type(self)).items():
            if name in answer or not hasattr(type(self), name):
                setattr(self, name, converted(kind, answer[name]))

    def __repr__(self) -> str:
        value = self.prediction[self.class_]
        title = f"class {self.classes[self.class_]!r} {value:.4g} ({self.output})"
        head, rows = self._shown()
        lines = [
            ", ".join(f"{name} {_text(v)}" for name, v in zip(head, row, strict=True))
            for row in rows
        ]
        first = f"<{type(self).__name__}: {self.instances} instances, {title}>"
        return "\n".join([first, *lines, *note_lines(self.notes)])

    def _table(self) -> Table:
        """Return the table of ``to_dataframe``."""
        raise NotImplementedError

    def _shown(self) -> Table:
        """Return the table that notebooks show."""
        head, rows = self._table()
        return head, rows[:SHOWN]

    def _repr_html_(self) -> str:
        head, rows = self._shown()
        return html_table(head if rows else ["nothing was found"], rows, repr(self).split("\n")[0])

    def to_dict(self) -> dict[str, Any]:
        """Return what the command prints with ``--json``, as a dictionary."""
        return dict(self._json)

    def _stated(self) -> dict[str, Any]:
        return self._json

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the answer as a table; the class states what a row is.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        with needed("pandas"):
            import pandas

        head, rows = self._table()
        return pandas.DataFrame(rows, columns=head)


def _text(value: object) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    if isinstance(value, np.ndarray):
        return ", ".join(map(str, value.tolist())) or "none"
    return str(value)


class Question(TypedDict, total=False):
    """The arguments that all what-ifs take. ``sets`` documents them."""

    class_: ClassLike | None
    output: Literal["prob", "logit"] | None
    without: Instances
    seed: int
    budget: int
    memory: int
    encoder: str | os.PathLike[str] | None
    index: int | None
    progress: ProgressLike


def ask(
    question: str,
    model: ModelLike,
    bag: BagLike,
    given: Mapping[str, Any],
    known: Any,
    donor: BagLike | None = None,
) -> dict[str, Any]:
    """Return the answer to a question as the command prints it in JSON.

    ``known`` is the class of the arguments ``given``.
    """
    options = {k: v for k, v in given.items() if k not in Question.__optional_keys__}
    for name in options.keys() - known.__optional_keys__:
        raise SettingError(
            f"{name}: it is not an option; the options of {question} are "
            f"{sorted(known.__optional_keys__ - Question.__optional_keys__)}",
            {"setting": name},
        )
    class_ = given.get("class_")
    request = {
        "class": None if class_ is None else str(class_),
        "output": given.get("output"),
        "seed": seed_of(given.get("seed", 0)),
        "budget": limit_of("budget", given.get("budget", 0)),
        **options,
    }
    m = model_of(model)
    if m.function is not None and (question in ("inside", "check") or donor is not None):
        raise UnavailableError(
            "the model is a function, which gets instances of the bag as they are, neither "
            "changed nor with others; export the model by bagscope.export"
        )
    again = m.opening() if question == "check" else (None, None)
    with watched(given.get("progress", False)) as update:
        bound = m.bound(bag_of(bag, given.get("encoder"), given.get("index")), update)
        other = None if donor is None else bag_of(donor).open(bound.child, m)
        answer = bound.call(
            wire.WriteAnswer(
                question=question,
                model=bound.model.handle,
                bag=bound.bag.handle,
                without=instances_of("without", given.get("without", ())),
                donor=0 if other is None else other.handle,
                notes=bound.notes,
                request=request_of(request),
                watch=update is not None,
                memory=limit_of("memory", given.get("memory", 0)) * 1_000_000,
                from_file=again[0],
                from_bytes=again[1],
            )
        )
    return document_of(answer)


def request_of(given: Mapping[str, Any]) -> bytes:
    """Return the JSON of a request. None is what was not given."""
    entries = []
    for name, value in given.items():
        if value is None:
            continue
        try:
            text = json.dumps(value, allow_nan=False, default=operator.methodcaller("item"))
        except (TypeError, ValueError, AttributeError):
            raise SettingError(
                f"{name}: {reprlib.repr(value)} is not a setting", {"setting": name}
            ) from None
        entries.append(f"{json.dumps(name)}: {text}")
    return f"{{{', '.join(entries)}}}".encode()


def document_of(answer: wire.Body) -> dict[str, Any]:
    """Return the JSON of an answer."""
    assert isinstance(answer, wire.Document)
    out: dict[str, Any] = json.loads(bytes(answer.bytes))
    return out
