"""How pairs of instances act together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _tables as tables
from ._answer import Answer, ask, integers, number, numbers
from ._bag import BagLike
from ._model import ModelLike
from ._progress import ProgressLike

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

_SHOWN = 10


class Pairs(Answer):
    """Interactions of pairs of instances. ``bagscope.pairs`` returns them.

    It also has the attributes of all answers: ``prediction``, ``classes``, ``class_``, ``output``,
    ``units``, ``instances``, ``evaluations``, ``seed`` and ``notes``.

    Attributes
    ----------
    interaction : str
        Definition of the interaction.
    unit : str
        Unit of the interactions.
    among : ndarray of int, shape (n,)
        The instances whose pairs were evaluated.
    alone : ndarray of shape (n,)
        Effect of each of these instances alone.
    pairs : ndarray of int, shape (p, 2)
        The instances of each pair, the pair with the largest interaction first.
    values : ndarray of shape (p,)
        Interaction of each pair: positive if the instances complete each other, negative if one
        stands in for the other.
    stderr : ndarray of shape (p,)
        Standard errors, 0 if all coalitions were evaluated.
    evident : ndarray of bool, shape (p,)
        Whether chance and rounding do not explain the interaction.
    twins : list of ndarray of int
        Groups of instances that act alike.
    contexts : int
        Number of drawn contexts, 0 if all coalitions were evaluated.
    freedom : float
        Degrees of freedom of the standard errors.
    """

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer)
        rows = answer["pairs"]
        self.interaction: str = answer["interaction"]
        self.unit: str = answer["unit"]
        self.among = integers(answer["among"])
        self.alone = numbers(answer["alone"])
        self.pairs: NDArray[np.int64] = integers(
            [i for p in rows for i in (p["a"], p["b"])]
        ).reshape(-1, 2)
        self.values = numbers([p["value"] for p in rows])
        self.stderr = numbers([p["stderr"] for p in rows])
        self.evident = np.array([p["evident"] for p in rows], bool)
        self.twins = [integers(group) for group in answer["twins"]]
        self.contexts: int = answer["contexts"]
        self.freedom = number(answer["freedom"])

    def matrix(self) -> NDArray[np.float64]:
        """Return the interactions (n, n) of the instances ``among``, NaN on the diagonal."""
        place = {int(i): n for n, i in enumerate(self.among)}
        out = np.full((len(place), len(place)), np.nan)
        for (a, b), value in zip(self.pairs.tolist(), self.values, strict=True):
            out[place[a], place[b]] = out[place[b], place[a]] = value
        return out

    def _rows(self) -> list[dict[str, object]]:
        return [
            {
                "pair": f"{p['a']} and {p['b']}",
                "interaction": number(p["value"]),
                "error": number(p["stderr"]),
                "meaning": p["relation"] or "not distinguishable from 0",
            }
            for p in self._json["pairs"][:_SHOWN]
        ]

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a row for each pair, with the columns of ``bagscope pairs --csv``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        import pandas

        return pandas.DataFrame(
            {
                "a": self.pairs[:, 0],
                "b": self.pairs[:, 1],
                "value": self.values,
                "stderr": self.stderr,
                "unit": self.unit,
                "evident": self.evident,
            }
        )


def pairs(
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
    **options: Unpack[tables.PairsOptions],
) -> Pairs:
    """Find instances that complete each other or stand in for each other.

    Parameters
    ----------
    model : Model, path, bytes, onnx.ModelProto or callable
        The model, see ``open``.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.
    class_, output, without, seed, budget, memory, encoder, progress
        See ``sets``.
    **options
        ``interaction`` is "guided" (over the contexts of Consensus), the default, "shapley" (the
        Shapley interaction index) or "faithful" (the faithful index of order 2). ``among`` is the
        number of instances, those with the largest effects, whose pairs are evaluated, 30 by
        default. ``contexts`` is the number of contexts to draw, 64 by default; small bags are
        enumerated instead.

    Returns
    -------
    Pairs
        The answer of ``bagscope pairs``.
    """
    answer = ask(
        "pairs", model, bag, options, known=tables.PairsOptions, class_=class_, output=output,
        without=without, seed=seed, budget=budget, memory=memory, encoder=encoder,
        progress=progress,
    )  # fmt: skip
    return Pairs(answer)
