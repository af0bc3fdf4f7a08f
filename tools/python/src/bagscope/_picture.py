"""Pictures of explanations, drawn by the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _wire as wire

if TYPE_CHECKING:
    from ._explanation import Explanation

WIDTH = 760
"""Width of a picture in layout pixels, that of a notebook's cell."""


def png(
    explanation: Explanation,
    *,
    kind: str = "",
    width: int = WIDTH,
    scale: int = 2,
    dark: bool = False,
) -> bytes:
    """Return the picture of an explanation as a PNG file.

    ``kind`` is ``strip``, ``overlay`` or ``bars``, by default what fits the bag. The file has
    ``scale`` pixels for each layout pixel.
    """
    bound = explanation._model.bound(explanation._bag)
    shown = [
        wire.Shown(e.method, e.class_, e.scores, e.unit, e.neutral, e.evident)
        for e in explanation._answer.explanations
    ]
    drawn = bound.call(
        wire.Draw(
            bag=bound.bag.handle,
            shown=shown,
            prediction=explanation.prediction,
            kind=kind,
            width=width,
            scale=scale,
            dark=dark,
            class_names=explanation.classes,
            removed=sorted(set(range(bound.bag.info.instances)) - set(explanation.instances)),
        )
    )
    assert isinstance(drawn, wire.Drawn)
    answer = bound.call(wire.EncodePNG(drawn.width, drawn.height, drawn.rgba))
    assert isinstance(answer, wire.PNG)
    return bytes(answer.bytes)
