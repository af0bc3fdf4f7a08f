"""Pictures of explanations, drawn by the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _wire as wire
from ._bag import release

if TYPE_CHECKING:
    from ._document import Document
    from ._explanation import Saved
    from ._model import Bound

WIDTH = 760
"""Width of a picture in layout pixels, that of a notebook's cell."""


class Picture(bytes):
    """The bytes of a PNG file, which notebooks show as a picture."""

    def __repr__(self) -> str:
        return f"<PNG of {len(self)} bytes>"

    def _repr_png_(self) -> bytes:
        return bytes(self)


def png(
    explanation: Saved,
    *,
    kind: str = "",
    width: int = 0,
    scale: int = 2,
    dark: bool = False,
    colours: str = "",
    strongest: float = 0,
    removed: bool = False,
) -> Picture:
    """Return the picture of an explanation's first method as a PNG file.

    ``kind`` is ``strip``, ``overlay``, ``map`` or ``bars``, by default what fits the bag. The file
    has ``scale`` pixels for each layout pixel, and ``width`` layout pixels, 0 for what fits the
    bag. ``colours`` is ``blue-orange``, the default, or ``green-red``. ``strongest`` is the score
    with the strongest colour, 0 for that of the bag. Removed instances are drawn as such if
    ``removed`` is true, and otherwise omitted.
    """
    answer = explanation.document()
    bound = explanation.bound()
    bag, instances = bound.bag.handle, answer.instances
    if len(instances) < bound.bag.info.instances and not removed:
        bag, instances = _selected(bound, instances), list(range(len(instances)))
    look = wire.Look(
        kind=kind,
        method=answer.explanations[0].method,
        class_names=explanation.classes,
        width=width,
        scale=scale,
        dark=dark,
        colours=colours,
        strongest=strongest,
    )
    try:
        file = bound.call(wire.WritePNG(wire.Draw(bag, report(answer, instances), look)))
    finally:
        if bag != bound.bag.handle:
            release(bound.child, bag)
    assert isinstance(file, wire.PNG)
    return Picture(file.bytes)


def report(answer: Document, instances: list[int]) -> wire.Report:
    """Return what the engine needs of an explanation of instances to draw or write it."""
    return wire.Report(
        [
            wire.Attribution(
                e.method, e.class_, e.scores, e.stderr, e.unit, e.neutral, e.evident, e.notes
            )
            for e in answer.explanations
        ],
        answer.prediction,
        instances,
    )


def _selected(bound: Bound, instances: list[int]) -> int:
    """Return the handle of a bag of some instances."""
    opened = bound.call(wire.SelectInstances(bound.bag.handle, instances))
    assert isinstance(opened, wire.BagOpened)
    return opened.handle
