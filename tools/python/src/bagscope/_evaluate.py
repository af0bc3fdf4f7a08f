"""How faithful explanations are: evaluate, plan and inspect."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _tables as tables
from . import _wire as wire
from ._array import detached
from ._bag import Bag, BagLike, bag_of, bags_of
from ._errors import SettingError, UnavailableError
from ._explain import explain
from ._explanation import Explanations
from ._model import Bound, Model, ModelLike, model_of
from ._optional import needed
from ._process import engine
from ._progress import ProgressLike, progress_bar
from ._result import Result
from ._settings import ClassLike, limit_of, seed_of

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

Scores = Callable[[Any], ArrayLike] | Sequence[ArrayLike]
"""A function of a bag, or an array (C, k) or (k,) for each bag."""

_MASK = 2**64 - 1


class Evaluation(Result):
    """The metrics of explanations.

    Attributes
    ----------
    rows : list of dict
        A row for each bag, method and class: ``bag``, ``method``, ``class``, the value of each
        metric, and ``trivial``, the metrics that every order has the same value of.
    skipped : dict
        The reason for each method that the model does not support.
    """

    def __init__(self, rows: list[dict[str, Any]], skipped: dict[str, str]) -> None:
        self.rows = rows
        self.skipped = skipped

    def __repr__(self) -> str:
        means = [
            f"{method}: " + ", ".join(f"{name} {s['mean']:.3f}" for name, s in stats.items())
            for method, stats in self.summary().items()
        ]
        return "\n".join(means)

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics that have a value for some bag."""
        names = {name for row in self.rows for name in row}
        return [m for m in tables.METRICS if m in names]

    def summary(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the statistics of each method and metric over all bags and classes.

        Returns
        -------
        dict
            By method and metric: ``mean``, ``sem`` (its standard error) and ``n``, and the same
            without the classes that are trivial: ``nontrivial_mean``, ``nontrivial_sem`` and
            ``nontrivial_n``. The references ``random`` and ``oracle`` are at the end.
        """
        names = list(dict.fromkeys(row["method"] for row in self.rows))
        last = [n for n in names if n in ("random", "oracle")]
        out: dict[str, dict[str, dict[str, float]]] = {}
        for method in [n for n in names if n not in last] + last:
            rows = [row for row in self.rows if row["method"] == method]
            out[method] = {
                m: _statistics(rows, m) for m in self.metrics if any(m in r for r in rows)
            }
        return out

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the rows as a data frame.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        with needed("pandas"):
            import pandas

        return pandas.DataFrame(self.rows)


def _statistics(rows: list[dict[str, Any]], metric: str) -> dict[str, float]:
    values = [row[metric] for row in rows if metric in row]
    nontrivial = [row[metric] for row in rows if metric in row and metric not in row["trivial"]]
    out: dict[str, float] = {}
    for prefix, numbers in (("", values), ("nontrivial_", nontrivial)):
        n = len(numbers)
        out[prefix + "mean"] = float(np.mean(numbers)) if n else float("nan")
        out[prefix + "sem"] = float(np.std(numbers, ddof=1) / n**0.5) if n > 1 else float("nan")
        out[prefix + "n"] = n
    return out


def evaluate(
    model: ModelLike,
    bags: str | os.PathLike[str] | Sequence[BagLike],
    *,
    methods: str | list[str] | tuple[str, ...] = "all",
    scores: Mapping[str, Scores] | None = None,
    metrics: str | Sequence[str] = "all",
    class_: ClassLike | None = None,
    output: Literal["prob", "logit"] | None = None,
    settings: str | None = None,
    seed: int = 0,
    budget: int = 0,
    orders: int = 0,
    strict: bool = False,
    encoder: str | os.PathLike[str] | None = None,
    progress: ProgressLike = False,
    **options: Unpack[tables.MethodOptions],
) -> Evaluation:
    """Measure how faithful explanations are, as the command ``bagscope evaluate`` does.

    Parameters
    ----------
    model : Model, path, bytes, onnx.ModelProto or callable
        The model, see ``open``.
    bags : path or sequence of bags
        A file of bags, or bags. Metrics that need labels of instances use those of ``Bag``.
    methods : str or list of str, default "all"
        Names of methods, an empty list for none, or "all", which skips the methods that the model
        does not support.
    scores : dict, optional
        Scores of other programs that are judged beside the methods, by name: a function of a bag,
        or one array for each bag. An array is (C, k), or (k,) for all classes. The function gets
        what the bag was made of; of a file it gets the values (k, ...).
    metrics : str or sequence of str, default "all"
        Names of metrics, such as ``ndcg``, ``aopc_r`` and ``srg``.
    class_ : int or str, optional
        The class to explain, by default all.
    output : {"prob", "logit"}, optional
        The output to explain and to judge by.
    settings : str, optional
        Use the paper's settings for a data set.
    seed : int, default 0
        Seed of the random numbers.
    budget : int, default 0
        Most evaluations of the model for each bag, 0 for no limit.
    orders : int, default 0
        Random orders of AOPC-R, 0 for the default of 10.
    strict : bool, default False
        Count instances without a label as irrelevant.
    encoder : path, optional
        An ONNX file that encodes the patches of whole slides, see ``explain``.
    progress : bool or callable, default False
        True shows a bar of tqdm; a function gets (finished bags, all bags).
    **options
        Options of methods.

    Returns
    -------
    Evaluation
    """
    m = model_of(model)
    names = [methods] if isinstance(methods, str) else list(methods)
    seed, budget = seed_of(seed), limit_of("budget", budget)
    clash = set(scores or {}) & ({x.name for x in tables.METHODS} | {"random", "oracle"})
    if clash:
        raise SettingError(
            f"scores: {sorted(clash)} are names of methods; choose others", {"setting": "scores"}
        )
    out = Evaluation([], {})
    all_bags = bags_of(bags, m, encoder)
    _check_lengths(scores or {}, len(all_bags))
    with progress_bar(progress, len(all_bags), "bags") as show:
        for i, bag in enumerate(all_bags):
            rankings: list[wire.Ranking] = []
            if names:
                given: dict[str, Any] = {"output": output, "settings": settings, **options}
                found = explain(
                    m, bag, method=["all"] if "all" in names else names, class_=class_,
                    seed=bag_seed(seed, i), budget=budget, **given,
                )  # fmt: skip
                rankings = _rankings_of(found)
                out.skipped.update(found.skipped)
            bound = m.bound(bag)
            rankings += _foreign(scores or {}, bag, i, m, class_, rankings)
            judged = bound.call(
                wire.Judge(
                    model=bound.model.handle,
                    bag=bound.bag.handle,
                    judging=wire.Judging(
                        rankings=rankings,
                        metrics=[metrics] if isinstance(metrics, str) else list(metrics),
                        orders=orders,
                        references=True,
                        preset=str(options.get("preset", "")).replace("default", ""),
                        strict=strict,
                        output=output or "",
                        seed=seed,
                        budget=budget,
                    ),
                )
            )
            assert isinstance(judged, wire.Judged)
            out.rows += _rows(judged, bound)
            show(i + 1, len(all_bags))
    return out


def bag_seed(seed: int, bag: int) -> int:
    """Return the seed of a bag in an evaluation, as the command draws it: Go's PCG-DXSM.

    With one seed for all bags, bags of equal size would have equal coalitions, and errors would not
    average out.
    """
    state = seed << 64 | bag
    state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + 0x5851F42D4C957F2D14057B7EF767814F) & (
        2**128 - 1
    )
    high, low = state >> 64, state & _MASK
    high = ((high ^ high >> 32) * 0xDA942042E4DD58B5) & _MASK
    return ((high ^ high >> 48) * (low | 1)) & _MASK


def _rankings_of(found: Explanations) -> list[wire.Ranking]:
    return [wire.Ranking(e.method, e.class_, e.scores, e.r2) for e in found.document().explanations]


def _foreign(
    scores: Mapping[str, Scores],
    bag: Bag,
    index: int,
    model: Model,
    class_: ClassLike | None,
    rankings: list[wire.Ranking],
) -> list[wire.Ranking]:
    """Return the rankings of other programs' scores, for the classes that the methods explain."""
    classes = list(dict.fromkeys(r.class_ for r in rankings))
    if not classes and scores:
        classes = [model.class_number(class_)] if class_ is not None else model.class_range(bag)

    def data() -> Any:
        return bag.data if bag.path is None else values(model, bag)

    out: list[wire.Ranking] = []
    for name, given in scores.items():
        array = _numbers(name, index, given(data()) if callable(given) else given[index])
        if array.ndim == 1:
            array = np.broadcast_to(array, (max(classes) + 1, array.size))
        if array.ndim != 2 or array.shape[0] <= max(classes):
            raise SettingError(
                f"scores: {name} has shape {array.shape} for bag {index}; (C, k) or (k,) is needed",
                {"setting": "scores"},
            )
        out += [wire.Ranking(name, c, array[c], None) for c in classes]
    return out


def _check_lengths(scores: Mapping[str, Scores], bags: int) -> None:
    """Raise a SettingError if there is not one array for each bag."""
    for name, arrays in scores.items():
        if not callable(arrays) and len(arrays) != bags:
            raise SettingError(
                f"scores: {name} has {len(arrays)} arrays for {bags} bags; one for each bag is "
                "needed",
                {"setting": "scores"},
            )


def _numbers(name: str, bag: int, scores: Any) -> NDArray[np.float64]:
    try:
        return np.asarray(detached(scores), np.float64)
    except (TypeError, ValueError) as e:
        raise SettingError(
            f"scores: {name} has no array of numbers for bag {bag}: {e}", {"setting": "scores"}
        ) from e


def _rows(judged: wire.Judged, bound: Bound) -> list[dict[str, Any]]:
    return [
        {
            "bag": bound.bag.info.name,
            "method": j.method,
            "class": j.class_,
            **{m: j.values[m] for m in tables.METRICS if m in j.values},
            "trivial": [m for m in tables.LABEL_METRICS if j.trivial and m in j.values],
        }
        for j in judged.judgements
    ]


@dataclass(frozen=True, eq=False)
class Plan(Result):
    """How the coalitions of a bag are evaluated.

    Attributes
    ----------
    strategy : str
        How coalitions are evaluated: pooled from one table, in one batch, or one by one.
    bytes : int
        Bytes of the encoded bag.
    once : list of str
        Operators that run once for the bag.
    each : list of str
        Operators that run for coalitions.
    meet : list of str
        The operators in ``each`` that mix instances.
    why : list of str
        Reasons for the cut.
    """

    strategy: str
    bytes: int
    once: list[str]
    each: list[str]
    meet: list[str]
    why: list[str]


def plan(model: ModelLike, bag: BagLike) -> Plan:
    """Return how the coalitions of a bag are evaluated, by operators.

    ``inspect(model, bag, stage="plan")`` returns it with nodes and shapes.

    Parameters
    ----------
    model : Model, path, bytes or onnx.ModelProto
        The model, see ``open``.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.

    Returns
    -------
    Plan

    Raises
    ------
    UnavailableError
        If the model is a function.
    """
    bound = model_of(model).bound(bag_of(bag))
    p = bound.call(wire.Plan(model=bound.model.handle, bag=bound.bag.handle))
    assert isinstance(p, wire.Planned)
    return Plan(p.strategy, p.bytes, p.once, p.each, p.meet, p.why)


def inspect(
    model: ModelLike,
    bag: BagLike | None = None,
    *,
    stage: Literal["graph", "passes", "plan"] | None = None,
) -> dict[str, Any]:
    """Return the contents of a model file and how it is evaluated.

    Parameters
    ----------
    model : Model, path, bytes or onnx.ModelProto
        The model, see ``open``.
    bag : Bag, array_like, path or AnnData, optional
        The bag that the plan and the shapes are for. By default bags of random values are
        generated, if the file states the shape of an instance.
    stage : {"graph", "passes", "plan"}, optional
        Also return ``nodes``: those of the file for "graph", those that run for "plan".

    Returns
    -------
    dict
        What ``bagscope inspect --json`` prints. Properties are ``name``, ``sha256``, ``opset``,
        ``inputs``, ``outputs``, ``operators``, ``parameters``, ``input``, ``instance_axis``,
        ``output``, ``classes``, ``negative``, ``scale``, ``scale_from``, ``inherent``, ``truth``,
        ``card`` and ``notes``. ``passes`` holds the rewrites of the graph. The plan is
        ``plan_bag``, ``strategy``, ``ordered``, ``prefix``, ``boundary``, ``suffix`` and ``why``;
        ``work`` is what a coalition of half of the bag costs, in multiplications or elements
        touched, and None if coalitions are pooled together. ``prefix_nodes`` and
        ``suffix_nodes`` count nodes, and are None if there is no plan.

    Raises
    ------
    UnavailableError
        If the model is a function.
    """
    m = model_of(model)
    if m.function is not None:
        raise UnavailableError("the model is a function, which has no graph")
    child = engine()
    plain = m.plain() if stage == "graph" else None
    opened = None if bag is None else bag_of(bag).open(child, m)
    answer = child.call(
        wire.Inspect(
            model=m.handle(child),
            bag=0 if opened is None else opened.handle,
            stage=stage or "",
            plain=0 if plain is None else plain.handle(child),
        )
    )
    assert isinstance(answer, wire.Document)
    out: dict[str, Any] = json.loads(bytes(answer.bytes))
    return out


def values(model: ModelLike, bag: BagLike) -> NDArray[np.float32]:
    """Return the values of a bag as the engine reads them for a model.

    Parameters
    ----------
    model : Model, path, bytes or onnx.ModelProto
        The model, see ``open``.
    bag : Bag, array_like, path or AnnData
        The bag, see ``Bag``.

    Returns
    -------
    ndarray of float32, shape (k, ...)

    Raises
    ------
    UnavailableError
        If the model is a function, which gets the bag as it is.
    """
    m, b = model_of(model), bag_of(bag)
    if m.function is not None:
        raise UnavailableError("the model is a function, which gets the bag as it is")
    bound = m.bound(b)
    answer = bound.call(wire.GetValues(bound.bag.handle))
    assert isinstance(answer, wire.Values)
    info = bound.bag.info
    return answer.values.reshape(info.instances, *info.shape)
