"""The widget for notebooks: the element <bag-explainer> with the engine inside."""

from __future__ import annotations

import base64
import copy
import hashlib
import io
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _wire as wire
from ._adjacency import arrays_of
from ._errors import UnavailableError
from ._model import absent
from ._optional import needed
from ._tables import OPTIONS

if TYPE_CHECKING:
    from ._bag import Bag
    from ._explanation import Explanation
    from ._model import Model

Bundle = tuple[dict[str, Any], dict[str, Any]]
"""What Jupyter shows by type of content, and its metadata."""

STATIC = Path(__file__).parent / "static"
MOST = 256_000_000
"""Most bytes of a model and a bag that a notebook passes to the page."""


def widget(explanation: Explanation, picture: bytes) -> Any:
    """Return the widget of an explanation; ``picture`` is its PNG, shown until it is drawn.

    Raises
    ------
    ImportError
        If anywidget is not installed.
    UnavailableError
        If the page cannot compute the explanation: the model is a Python function or several
        models, its weights lie in several files, its file or the array of the bag has changed, or
        it is too large.
    """
    if explanation._model.function is absent:
        absent(None)
    bag = explanation._bag
    if len(explanation.instances) < explanation.document().bag.instances:
        raise UnavailableError(
            "a widget explains whole bags; explain without without=, and set removed of the widget"
        )
    files = [_model_file(explanation._model), _bag_file(bag)]
    request = explanation._model._request
    if isinstance(request, (wire.OpenModel, wire.OpenModelFile)) and request.card:
        files.append(("card.json", request.card.encode()))
    if (size := sum(len(data) for _, data in files)) > MOST:
        raise UnavailableError(
            f"the model and the bag have {size / 1e6:.0f} MB, more than {MOST / 1e6:.0f} MB that "
            "a widget holds; picture() shows the explanation"
        )
    _check_unchanged(explanation._model, bag)
    attributes = attributes_of(explanation)
    return _class()(files, attributes=attributes, picture=picture, alt=explanation._title())


def attributes_of(explanation: Explanation) -> dict[str, str]:
    """Return the attributes with which the element computes an explanation."""
    bag = explanation._bag
    attributes = {
        "interactive": "",
        "loading": "eager",
        "method": explanation.method,
        "seed": str(explanation.seed),
        "index": str(bag.index),
        "classes": ",".join(map(str, explanation.explained)),
        **_options(explanation),
    }
    if explanation.output in ("prob", "logit"):
        attributes["output"] = explanation.output
    if bag.array:
        attributes["array"] = bag.array
    if bag.bag_by:
        attributes["bag-by"] = bag.bag_by
    if bag.columns:
        attributes["columns"] = bag.columns
    if isinstance(bag.adjacency, str) and bag.adjacency:
        attributes["adjacency"] = bag.adjacency
    if bag.coords_unit:
        attributes["coords-unit"] = bag.coords_unit
    if bag.origin:
        attributes["origin"] = bag.origin
    if bag.tile_names:
        attributes["tile-names"] = bag.tile_names
    if bag.dtype:
        attributes["dtype"] = bag.dtype
    if bag.series:
        attributes["series"] = bag.series
    if bag.slice_axes:
        attributes["slice-axes"] = bag.slice_axes
    if bag.window:
        attributes["window"] = bag.window
    if bag.spacing:
        attributes["spacing"] = bag.spacing
    if bag.neighbours:
        attributes["neighbours"] = str(bag.neighbours)
    if bag.inputs:
        attributes["inputs"] = bag.inputs
    if bag.slide_mpp:
        attributes["slide-mpp"] = str(bag.slide_mpp)
    return attributes


def _options(explanation: Explanation) -> dict[str, str]:
    """Return the settings of an explanation as attributes of the element."""
    attributes: dict[str, str] = {}
    for option in OPTIONS:
        value = explanation.settings.get(option.name)
        if value is None or option.kind == "coalitions":
            continue
        word = ("on" if value else "off") if option.kind == "flag" else str(value)
        attributes[option.name.replace("_", "-")] = word
    return attributes


@cache
def _class() -> Any:
    """Return the class of widgets. anywidget is optional, so it is defined on first use."""
    with needed("anywidget"):
        import anywidget
        import traitlets

    class BagWidget(anywidget.AnyWidget):
        """Shows an explanation, computed in the page.

        Attributes
        ----------
        selected : int or None
            The framed instance.
        removed : list of int
            Instances that are removed from the bag.
        prediction : list of float
            Prediction without the removed instances; empty until the page has computed it.
        """

        _esm = STATIC / "widget.js"
        selected = traitlets.Int(None, allow_none=True, min=0).tag(sync=True)
        removed = traitlets.List(traitlets.Int(min=0)).tag(sync=True)
        prediction = traitlets.List(traitlets.Float()).tag(sync=True)
        attributes = traitlets.Dict().tag(sync=True)
        alt = traitlets.Unicode().tag(sync=True)
        picture = traitlets.Bytes().tag(sync=True)

        def __init__(self, files: list[tuple[str, bytes]], **state: Any) -> None:
            super().__init__(**state)
            # Files are messages instead of state: notebooks save the state.
            self._files = files
            self.on_msg(_answer)

        def _repr_mimebundle_(self, **kwargs: Any) -> Bundle:
            """Add the picture, which stays where there is no kernel, such as on GitHub."""
            live = super()._repr_mimebundle_(**kwargs)
            data, metadata = live if isinstance(live, tuple) else (live or {}, {})
            return _with_picture({**data, "text/plain": self.alt}, self.picture), metadata

    def _answer(sender: BagWidget, content: dict[str, Any], _: list[Any]) -> None:
        wanted = content.get("ask")
        if wanted == "engine":
            files = [("bagscope.wasm.gz", (STATIC / "bagscope.wasm.gz").read_bytes())]
        elif wanted == "files":
            files = sender._files
        else:
            return
        names = [name for name, _ in files]
        sender.send({"answer": wanted, "names": names}, buffers=[data for _, data in files])

    return BagWidget


def _model_file(model: Model) -> tuple[str, bytes]:
    request = model._request
    if isinstance(request, wire.OpenModel):
        return request.name, bytes(request.bytes)
    if isinstance(request, wire.OpenModelFile):
        path = Path(request.path)
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != model.info.sha256:
            raise UnavailableError(
                f"the file {path.name} has changed since the model was opened, or the bag goes "
                "through another file first; open the model again, or use picture()"
            )
        return path.name, data
    if isinstance(request, wire.OpenEnsemble):
        raise UnavailableError("a page of a notebook runs one model; use picture()")
    raise UnavailableError(
        "a page cannot run a function of Python; export the model by bagscope.export, or use "
        "picture()"
    )


def _check_unchanged(model: Model, bag: Bag) -> None:
    """Raise an UnavailableError if an array has changed since the engine read it."""
    if bag.path is None and not np.array_equal(_values(model, bag), _values(model, copy.copy(bag))):
        raise UnavailableError(
            "the array of the bag has changed since it was explained, so that the page would "
            "compute something else; explain it again, or use picture()"
        )


def _values(model: Model, bag: Bag) -> NDArray[np.float32]:
    bound = model.bound(bag)
    answer = bound.call(wire.GetValues(bound.bag.handle))
    assert isinstance(answer, wire.Values)
    return answer.values


def _bag_file(bag: Bag) -> tuple[str, bytes]:
    if bag.path is not None:
        path = Path(bag.path)
        if path.is_dir():
            raise UnavailableError("a widget shows files, and this bag is a folder; use picture()")
        return path.name, path.read_bytes()
    if isinstance(bag.adjacency, str) and bag.adjacency:
        raise UnavailableError(
            "a widget builds no adjacency from the places of arrays; pass it as numbers, or use "
            "picture()"
        )
    buffer = io.BytesIO()
    if relations := arrays_of(bag.adjacency):
        np.savez(buffer, X=np.asarray(bag.values), **relations)
        return f"{bag.name or 'bag'}.npz", buffer.getvalue()
    np.save(buffer, np.asarray(bag.values), allow_pickle=False)
    return f"{bag.name or 'bag'}.npy", buffer.getvalue()


def mime_bundle(explanation: Explanation) -> Bundle:
    """Return what a notebook shows and stores: the widget, or its picture if there is none."""
    picture = explanation.picture()
    try:
        bundle: Bundle = widget(explanation, picture)._repr_mimebundle_()
    except (ImportError, UnavailableError, OSError):  # the model's file may have been removed
        return _with_picture({"text/plain": explanation._title()}, picture), {}
    return bundle


def _with_picture(data: dict[str, Any], picture: bytes) -> dict[str, Any]:
    return {**data, "image/png": base64.b64encode(picture).decode()}
