"""Calls for one bag, and for several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from math import prod
from typing import Any, TypeVar

from . import _wire as wire
from ._bag import Bag, bag_of, several
from ._errors import naming
from ._model import Bound, Model
from ._progress import ProgressLike, progress_bar, watched

R = TypeVar("R")

MOST = 64
"""Most bags that are open together."""

MOST_BYTES = 1 << 22
"""Most bytes of bags that are computed together, unless one has more.

For larger ones, transport takes a small part of the time, and the model needs memory for each.
"""


def results(
    model: Model,
    bag: Any,
    encoder: str | os.PathLike[str] | None,
    index: int | None,
    progress: ProgressLike,
    request: Callable[[Bound, bool], wire.Body],
    result: Callable[[Bound, Bag, wire.Body], R],
) -> R | list[R]:
    """Return the result for a bag, or those for a list of bags, see ``several``.

    ``request`` gets whether progress is watched. Bags of a list that were not open before are
    closed, because thousands may not have room in the engine.
    """
    if not several(bag):
        one = bag_of(bag, encoder, index)
        with watched(progress) as update:
            bound = model.bound(one, update)
            return result(bound, one, bound.call(request(bound, update is not None)))
    bags: list[Bag] = []
    for i, b in enumerate(bag):
        with naming(i):
            bags.append(bag_of(b, encoder, index))
    out: list[R] = []
    with progress_bar(progress, len(bags), "bags") as show:

        def add(r: R) -> None:
            out.append(r)
            show(len(out), len(bags))

        for together in _together(bags):
            _compute(model, together, len(out), request, result, add)
    return out


def _compute(
    model: Model,
    bags: list[Bag],
    start: int,
    request: Callable[[Bound, bool], wire.Body],
    result: Callable[[Bound, Bag, wire.Body], R],
    add: Callable[[R], None],
) -> None:
    """Pass the results for bags to ``add``; ``start`` is the index of the first."""

    def named(i: int) -> AbstractContextManager[None]:
        return naming(start + i)

    closed = [b for b in bags if not b.is_open]
    try:
        bounds = model.bound_all(bags, named=named)
        largest = max(4 * b.bag.info.instances * prod(b.bag.info.shape) for b in bounds)
        answers = bounds[0].child.answers(
            [request(b, False) for b in bounds],
            lambda i: bounds[i].event(),
            named,
            max(1, MOST_BYTES // largest),
        )
        with closing(answers):
            for bound, bag, answer in zip(bounds, bags, answers, strict=True):
                add(result(bound, bag, answer))
    finally:
        for b in closed:
            b.close()


def _together(bags: list[Bag]) -> Iterator[list[Bag]]:
    """Divide bags, in order, into those that are open together: of one file, or small arrays."""
    part: list[Bag] = []
    size = 0
    for bag in bags:
        n = 0 if bag.path is not None else int(getattr(bag.data, "nbytes", 0))
        if part and (len(part) == MOST or size + n > MOST_BYTES or bag.path != part[-1].path):
            yield part
            part, size = [], 0
        part.append(bag)
        size += n
    yield part
