"""Explanations for QuPath and for picture archives, and plots of matplotlib."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _wire as wire
from ._errors import SettingError
from ._optional import needed
from ._picture import report
from ._settings import ClassLike
from ._tables import PALETTES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import Colormap
    from numpy.typing import NDArray

    from ._document import Document
    from ._explanation import Explanation, Saved


def geojson(explanation: Saved, colours: str) -> bytes:
    """Return a GeoJSON file of the places of a bag with their scores, for QuPath."""
    answer, bound = explanation.document(), explanation.bound()
    file = bound.call(
        wire.WriteGeoJSON(
            bag=bound.bag.handle,
            report=report(answer, answer.instances),
            class_names=explanation.classes,
            class_=likeliest(answer),
            colours=colours,
            instance_names=[],
        )
    )
    assert isinstance(file, wire.GeoJSON)
    return bytes(file.bytes)


def dicom(explanation: Saved, form: str, top: int, identifiers: bytes, colours: str) -> bytes:
    """Return a DICOM file about the pictures of a bag."""
    answer, bound = explanation.document(), explanation.bound()
    file = bound.call(
        wire.WriteDICOM(
            bag=bound.bag.handle,
            report=report(answer, answer.instances),
            class_names=explanation.classes,
            class_=likeliest(answer),
            form=form,
            top=top,
            colours=colours,
            identifiers=identifiers,
            seconds=int(time.time()),
        )
    )
    assert isinstance(file, wire.DICOMFile)
    return bytes(file.bytes)


def likeliest(answer: Document) -> int:
    """Return the class with the largest prediction among those that are explained."""
    return max((e.class_ for e in answer.explanations), key=lambda c: float(answer.prediction[c]))


def plot(e: Explanation, class_: ClassLike | None, ax: Axes | None, palette: str) -> Axes:
    """Draw the scores of one class: patches at their places, or bars with standard errors."""
    palette = palette or next(iter(PALETTES))
    if palette not in PALETTES:
        raise SettingError(
            f"colours: {palette!r} is not one of {', '.join(PALETTES)}", {"setting": "colours"}
        )
    with needed("matplotlib"):
        import matplotlib.pyplot as plt
        from matplotlib.colors import LinearSegmentedColormap

    if ax is None:
        ax = plt.subplots()[1]
    row = e.row(class_)
    scores = e.scores[row]
    name = e.classes[e.explained[row]]
    ax.set_title(f"{e.method}, {name}: {e.prediction[e.explained[row]]:.3g}")
    # Colours are centred at the neutral point, which supports nothing.
    reach = float(np.abs(scores - e.neutral[row]).max()) or 1.0
    limits = (float(e.neutral[row]) - reach, float(e.neutral[row]) + reach)
    colours = LinearSegmentedColormap.from_list("bagscope", PALETTES[palette])
    boxes = e.boxes
    if boxes is None:
        at = np.asarray(e.instances)
        bars = np.stack([at - 0.4, np.zeros(len(at)), at + 0.4, scores], axis=1)
        ax.add_collection(rectangles(bars, scores, colours, limits, linewidth=0))
        if e.stderr is not None:
            ax.errorbar(at, scores, e.stderr[row], fmt="none", ecolor="black")
        ax.axhline(float(e.neutral[row]), color="grey", linewidth=0.8)
        ax.autoscale_view()
        ax.set(xlabel="instance", ylabel=e.unit or "score")
        return ax
    patches = rectangles(boxes, scores, colours, limits)
    ax.add_collection(patches)
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.invert_yaxis()
    ax.figure.colorbar(patches, ax=ax, label=e.unit or "score")
    return ax


def rectangles(
    corners: NDArray[Any],
    scores: NDArray[Any],
    colours: Colormap,
    limits: tuple[float, float],
    **style: Any,
) -> PolyCollection:
    """Return rectangles with corners x0, y0, x1, y1 (k, 4), coloured by scores (k,).

    One collection of 100,000 is drawn in seconds; as many patches of their own take minutes.
    """
    from matplotlib.collections import PolyCollection

    polygons: Any = corners[:, [[0, 1], [2, 1], [2, 3], [0, 3]]]
    return PolyCollection(polygons, array=scores, cmap=colours, clim=limits, **style)
