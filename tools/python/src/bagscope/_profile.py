"""What a model predicts for other values of a covariate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._answer import Answer, Question, Table, ask
from ._bag import BagLike
from ._json import array
from ._model import ModelLike

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Profile(Answer):
    """Predictions of a bag over values of a covariate. ``bagscope.profile`` returns them.

    ``to_dataframe`` has a row for each value, with the columns of ``bagscope profile --csv``.

    It also has the attributes of all answers: ``prediction``, ``classes``, ``class_``, ``output``,
    ``units``, ``instances``, ``evaluations``, ``seed`` and ``notes``.

    Attributes
    ----------
    covariate : str
        Name of the model's input.
    stated : ndarray of shape (size,)
        What the bag states, else the model card.
    values : ndarray of shape (n, size)
        What the covariate takes instead.
    predictions : ndarray of shape (n, C)
        The prediction for each value, in the units of ``prediction``.
    """

    covariate: str
    stated: NDArray[np.float64]

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer)
        size = len(self.stated)
        rows = [row if len(row) == size else row * size for row in answer["values"]]
        self.values: NDArray[np.float64] = np.array(rows, np.float64)
        predictions = [array(np.float64, row) for row in answer["predictions"]]
        self.predictions: NDArray[np.float64] = np.stack(predictions)

    def _table(self) -> Table:
        values = [row[0] if len(row) == 1 else row for row in self.values.tolist()]
        pairs = zip(values, self.predictions.tolist(), strict=True)
        return [self.covariate, *self.classes], [[value, *row] for value, row in pairs]


class ProfileQuestion(Question, total=False):
    """The arguments of ``profile``."""

    covariate: str
    values: str | Sequence[float] | Sequence[Sequence[float]]
    steps: int


def profile(
    model: ModelLike,
    bag: BagLike,
    **options: Unpack[ProfileQuestion],
) -> Profile:
    """Predict a bag for other values of a covariate, such as the age of a patient.

    Parameters
    ----------
    model : Model, path, bytes or onnx.ModelProto
        The model, see ``open``. Functions take no covariates.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.
    class_, output, without, seed, budget, memory, encoder, index, progress
        See ``sets``.
    **options
        ``covariate`` is the name of the model's input, by default the only one. ``values`` are
        what it takes: numbers, or a list of numbers for each value if the input takes several. By
        default they are ``steps`` values from the lowest to the highest value that the bags of the
        file state, 11 by default.

    Returns
    -------
    Profile
        The answer of ``bagscope profile``.

    Raises
    ------
    UnavailableError
        If the model takes no covariates.
    """
    values = options.get("values")
    if values is not None and not isinstance(values, str):
        options = {**options, "values": _values_text(values)}
    return Profile(ask("profile", model, bag, options, ProfileQuestion))


def _values_text(values: Sequence[float] | Sequence[Sequence[float]]) -> str:
    """Return values as the engine reads them: ``40.0,50.0`` or ``0.0,1.0;1.0,0.0``."""
    array = np.asarray(values, np.float64)
    rows = array.reshape(1, -1) if array.ndim < 2 else array
    return ";".join(",".join(map(repr, row)) for row in rows.tolist())
