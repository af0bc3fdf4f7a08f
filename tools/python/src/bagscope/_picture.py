"""Pictures of explanations, drawn by the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _wire as wire
from ._bag import release

if TYPE_CHECKING:
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
    removed: bool = False,
) -> Picture:
    """Return the picture of an explanation's first method as a PNG file.

    ``kind`` is ``strip``, ``overlay``, ``map`` or ``bars``, by default what fits the bag. The file
    has ``scale`` pixels for each layout pixel, and ``width`` layout pixels, 0 for what fits the
    bag. Removed instances are drawn as such if ``removed`` is true, and otherwise omitted.
    """
    answer = explanation.document()
    bound = explanation.bound()
    first = answer.explanations[0].method
    k = bound.bag.info.instances
    bag = bound.bag.handle
    if len(answer.instances) < k and not removed:
        bag = _selected(bound, answer.instances)
    try:
        drawn = bound.call(
            wire.Draw(
                bag=bag,
                shown=[
                    wire.Shown(e.method, e.class_, e.scores, e.unit, e.neutral, e.evident)
                    for e in answer.explanations
                    if e.method == first
                ],
                prediction=answer.prediction,
                kind=kind,
                width=width,
                scale=scale,
                dark=dark,
                class_names=explanation.classes,
                removed=sorted(set(range(k)) - set(answer.instances)) if removed else [],
            )
        )
    finally:
        if bag != bound.bag.handle:
            release(bound.child, bag)
    assert isinstance(drawn, wire.Drawn)
    file = bound.call(wire.EncodePNG(drawn.width, drawn.height, drawn.rgba))
    assert isinstance(file, wire.PNG)
    return Picture(file.bytes)


def _selected(bound: Bound, instances: list[int]) -> int:
    """Return the handle of a bag of some instances."""
    opened = bound.call(wire.SelectInstances(bound.bag.handle, instances))
    assert isinstance(opened, wire.BagOpened)
    return opened.handle
