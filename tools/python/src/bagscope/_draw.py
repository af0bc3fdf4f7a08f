"""Places of explanations for QuPath, and plots of matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _wire as wire
from ._optional import needed
from ._settings import ClassLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._explanation import Explanation, Saved


def geojson(explanation: Saved) -> bytes:
    """Return a GeoJSON file of the places of a bag with their scores, for QuPath."""
    answer, bound = explanation.answer(), explanation.bound()
    file = bound.call(
        wire.WriteGeoJSON(
            bag=bound.bag.handle,
            measured=[
                wire.Measured(e.method, e.class_, e.scores, e.stderr, e.neutral, e.evident)
                for e in answer.explanations
            ],
            class_names=explanation.classes,
            # Classifications are about the class with the largest prediction.
            class_=max(
                (e.class_ for e in answer.explanations), key=lambda c: float(answer.prediction[c])
            ),
            instances=answer.instances,
        )
    )
    assert isinstance(file, wire.GeoJSON)
    return bytes(file.bytes)


def plot(e: Explanation, class_: ClassLike | None, ax: Axes | None) -> Axes:
    """Draw the scores of one class: patches at their places, or bars with standard errors."""
    with needed("matplotlib"):
        import matplotlib.pyplot as plt
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import Rectangle

    if ax is None:
        ax = plt.subplots()[1]
    if class_ is None:
        class_ = max(e.explained, key=lambda c: float(e.prediction[c]))
    scores = e.score(class_)
    row = e.explained.index(e.class_number(class_))
    name = e.classes[e.explained[row]]
    ax.set_title(f"{e.method}, {name}: {e.prediction[e.explained[row]]:.3g}")
    # Colours are centred at the neutral point, which supports nothing.
    reach = float(np.abs(scores - e.neutral[row]).max()) or 1.0
    limits = (float(e.neutral[row]) - reach, float(e.neutral[row]) + reach)
    colours: Any = plt.get_cmap("RdBu_r")
    boxes = e.boxes
    if boxes is None:
        shade = (scores - limits[0]) / (limits[1] - limits[0])
        stderr = None if e.stderr is None else e.stderr[row]
        ax.bar(np.arange(len(scores)), scores, yerr=stderr, color=colours(shade))
        ax.axhline(float(e.neutral[row]), color="grey", linewidth=0.8)
        ax.set(xlabel="instance", ylabel=e.unit or "score")
        return ax
    patches = PatchCollection(
        [Rectangle((x0, y0), x1 - x0, y1 - y0) for x0, y0, x1, y1 in boxes], cmap=colours
    )
    patches.set_array(scores)
    patches.set_clim(*limits)
    ax.add_collection(patches)
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.invert_yaxis()
    ax.figure.colorbar(patches, ax=ax, label=e.unit or "score")
    return ax
