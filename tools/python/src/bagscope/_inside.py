"""The parts of one instance that matter."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _tables as tables
from ._answer import Answer, ask, number, numbers
from ._bag import BagLike
from ._model import ModelLike
from ._progress import ProgressLike

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

_SHOWN = 10


class Inside(Answer):
    """Scores of the parts of one instance. ``bagscope.inside`` returns them.

    It also has the attributes of all answers: ``prediction``, ``classes``, ``class_``, ``output``,
    ``units``, ``instances``, ``evaluations``, ``seed`` and ``notes``.

    Attributes
    ----------
    instance : int
        The instance whose parts are scored.
    cell : int
        Side of a cell in pixels, or its number of features.
    height, width : int
        Size of the instance in pixels; the height of features is 1.
    hidden : str
        What hidden cells become.
    unit : str
        Unit of the scores.
    scores : ndarray of shape (rows, columns)
        Score of each cell.
    stderr : ndarray of shape (rows, columns) or None
        Standard errors, None if all sets of cells were evaluated.
    evident : ndarray of bool, shape (rows, columns)
        Whether chance and rounding do not explain the score.
    freedom : float
        Degrees of freedom of the standard errors.
    whole : float
        Effect of hiding all cells.
    without : ndarray of shape (C,)
        Values of the classes for the bag if the instance is hidden.
    samples : int
        Number of sets of visible cells.
    contexts : int
        Number of contexts of other instances.
    """

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer)
        shape = (answer["rows"], answer["columns"])
        self.instance: int = answer["instance"]
        self.cell: int = answer["cell"]
        self.height: int = answer["height"]
        self.width: int = answer["width"]
        self.hidden: str = answer["hidden"]
        self.unit: str = answer["unit"]
        self.scores = numbers(answer["scores"]).reshape(shape)
        errors = answer["stderr"]
        self.stderr = numbers(errors).reshape(shape) if errors else None
        self.evident: NDArray[np.bool_] = np.array(answer["evident"], bool).reshape(shape)
        self.freedom = number(answer["freedom"])
        self.whole = number(answer["whole"])
        self.without = numbers(answer["without"])
        self.samples: int = answer["samples"]
        self.contexts: int = answer["contexts"]

    def _cells(self) -> list[dict[str, object]]:
        columns = self.scores.shape[1]
        stderr = np.full(self.scores.shape, np.nan) if self.stderr is None else self.stderr
        return [
            {
                "y": n // columns * self.cell if self.height > 1 else 0,
                "x": n % columns * self.cell,
                "score": float(score),
                "stderr": float(error),
                "evident": bool(evident),
            }
            for n, (score, error, evident) in enumerate(
                zip(self.scores.flat, stderr.flat, self.evident.flat, strict=True)
            )
        ]

    def _rows(self) -> list[dict[str, object]]:
        order = np.argsort(-np.abs(self.scores), axis=None, kind="stable")
        cells = self._cells()
        return [cells[int(n)] for n in order[:_SHOWN]]

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a row for each cell: its upper left corner, score, standard error, evidence.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        import pandas

        return pandas.DataFrame(self._cells())


def inside(
    model: ModelLike,
    bag: BagLike,
    *,
    class_: int | str | None = None,
    output: Literal["prob", "logit"] | None = None,
    without: Sequence[int] = (),
    seed: int = 0,
    budget: int = 0,
    memory: int = 0,
    encoder: str | os.PathLike[str] | None = None,
    progress: ProgressLike = False,
    **options: Unpack[tables.InsideOptions],
) -> Inside:
    """Score the parts of one instance: cells of a picture, or groups of features.

    Parameters
    ----------
    model : Model, path, bytes or onnx.ModelProto
        The model, see ``open``. Functions are not supported.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.
    class_, output, without, seed, budget, memory, encoder, progress
        See ``sets``.
    **options
        ``instance`` is the index of the instance, 0 by default. ``cell`` is the side of a cell in
        pixels, or its number of features, by default the smallest that makes at most 100 cells.
        ``hidden`` says what hidden cells become: "mean" (the bag's mean at this place), the
        default, "blur" or "zero". ``samples`` is the number of sets of visible cells to draw.
        ``fixed`` keeps all other instances; without it, scores are means over contexts in which
        the other instances do not decide alone.

    Returns
    -------
    Inside
        The answer of ``bagscope inside``.
    """
    answer = ask(
        "inside", model, bag, options, known=tables.InsideOptions, class_=class_, output=output,
        without=without, seed=seed, budget=budget, memory=memory, encoder=encoder,
        progress=progress,
    )  # fmt: skip
    return Inside(answer)
