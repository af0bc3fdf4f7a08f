"""Calls for one bag, and for several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, TypeVar

from . import _wire as wire
from ._bag import Bag, bag_of, several
from ._errors import naming
from ._model import Bound, Model
from ._progress import ProgressLike, progress_bar, watched

R = TypeVar("R")

MOST = 64
"""Most bags that are open together."""

MOST_BYTES = 1 << 26
"""Most bytes of the arrays of bags that are open together, unless one has more."""


def asked(
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
        for together in _together(bags):
            start = len(out)
            opened = [b for b in together if not b.is_open]
            bounds = model.bound_all(together, named=lambda i, start=start: naming(start + i))  # type: ignore[misc]
            bodies = [request(bound, False) for bound in bounds]
            with closing(
                bounds[0].child.answers(
                    bodies,
                    lambda i, bounds=bounds: bounds[i].event(),  # type: ignore[misc]
                    lambda i, start=start: naming(start + i),  # type: ignore[misc]
                )
            ) as answers:
                for bound, b, answer in zip(bounds, together, answers, strict=True):
                    out.append(result(bound, b, answer))
                    show(len(out), len(bags))
            for b in opened:
                b.close()
    return out


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
