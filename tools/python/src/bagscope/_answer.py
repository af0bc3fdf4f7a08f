"""What the answers to all what-ifs have in common, and how they are requested."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _wire as wire
from ._bag import BagLike, bag_of
from ._errors import SettingError
from ._model import ModelLike, model_of
from ._progress import ProgressLike, watched
from ._table import html_table


class Answer:
    """The answer to a what-if.

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

    def __init__(self, answer: dict[str, Any]) -> None:
        self._json = answer
        self.prediction = numbers(answer["prediction"])
        self.classes: list[str] = answer["classes"]
        self.class_: int = answer["class"]
        self.output: str = answer["output"]
        self.units: list[str] = answer["units"]
        self.instances: int = answer["bag"]["instances"]
        self.evaluations: int = answer["evaluations"]
        self.seed: int = answer["seed"]
        self.notes: list[str] = answer["notes"]

    def __repr__(self) -> str:
        value = self.prediction[self.class_]
        title = f"class {self.classes[self.class_]!r} {value:.4g} ({self.output})"
        return "\n".join(
            [f"<{type(self).__name__}: {self.instances} instances, {title}>", *self._lines()]
        )

    def _lines(self) -> list[str]:
        """Return the answer in lines of text."""
        return [", ".join(f"{k} {_text(v)}" for k, v in row.items()) for row in self._rows()]

    def _rows(self) -> list[dict[str, object]]:
        """Return the rows of the answer's table."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        rows = self._rows()
        head = list(rows[0]) if rows else ["nothing was found"]
        return html_table(head, [list(row.values()) for row in rows], repr(self).split("\n")[0])

    def to_dict(self) -> dict[str, Any]:
        """Return what the command prints with ``--json``, as a dictionary."""
        return dict(self._json)


def _text(value: object) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    if isinstance(value, np.ndarray):
        return ", ".join(map(str, value.tolist())) or "none"
    return str(value)


def numbers(values: Sequence[float | None]) -> NDArray[np.float64]:
    """Return numbers of JSON, in which NaN and infinities are null, as an array."""
    return np.array([np.nan if v is None else v for v in values], np.float64)


def number(value: float | None) -> float:
    """Return a number of JSON, NaN for null."""
    return float("nan") if value is None else value


def integers(values: Sequence[int]) -> NDArray[np.int64]:
    """Return instances as an array."""
    return np.array(values, np.int64)


def ask(
    question: str,
    model: ModelLike,
    bag: BagLike,
    options: Mapping[str, Any],
    *,
    known: type,
    class_: int | str | None,
    output: str | None,
    without: Sequence[int],
    seed: int,
    budget: int,
    memory: int,
    encoder: str | os.PathLike[str] | None,
    progress: ProgressLike,
    donor: BagLike | None = None,
) -> dict[str, Any]:
    """Return the answer to a question as the command prints it in JSON.

    ``known`` has the options of the question as annotations.
    """
    for name in set(options) - set(known.__annotations__):
        raise SettingError(
            f"{name}: it is not an option; the options of {question} are "
            f"{sorted(known.__annotations__)}",
            {"setting": name},
        )
    given = {
        "class": None if class_ is None else str(class_),
        "output": output,
        "seed": seed,
        "budget": budget,
        **{k: v.item() if isinstance(v, np.generic) else v for k, v in options.items()},
    }
    m = model_of(model)
    with watched(progress) as update:
        bound = m.bound(bag_of(bag, encoder), update)
        other = None if donor is None else bag_of(donor).open(bound.child, m)
        answer = bound.call(
            wire.WriteAnswer(
                question=question,
                model=bound.model.handle,
                bag=bound.bag.handle,
                without=[int(i) for i in without],
                donor=0 if other is None else other.handle,
                notes=bound.bag.notes,
                request=json.dumps({k: v for k, v in given.items() if v is not None}).encode(),
                watch=update is not None,
                memory=memory * 1_000_000,
            )
        )
    assert isinstance(answer, wire.Report)
    out: dict[str, Any] = json.loads(bytes(answer.bytes))
    return out
