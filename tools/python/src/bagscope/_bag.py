"""Bags: arrays, files and AnnData objects."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _wire as wire
from ._adjacency import Adjacency, read_adjacency, relations_of
from ._array import as_array, block_of, notes_of, type_of
from ._encoding import SlideOptions, check_slide_options, encoding_of
from ._errors import BagError, FormatError, Named, unnamed
from ._process import Child, engine
from ._progress import Update, event_of
from ._settings import path_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._model import Model

Bags = list["Bag"] | tuple["Bag", ...]
"""Several bags. A list of numbers, arrays or texts is one bag, whose instances they are."""

BagLike = Union["Bag", str, "os.PathLike[str]", Any]
"""A bag, an array (k, ...), a path of a file or of a folder of pictures or
a DICOM series, or an AnnData object."""


class Bag:
    """A bag of instances: what a model labels.

    ``explain`` and ``predict`` take arrays and paths too. A ``Bag`` adds what an array does not
    say, and stays open in the engine, so that several explanations encode it once. So it keeps the
    values of the first call: after a change of the array or the file, make a new ``Bag``.

    Parameters
    ----------
    data : array_like, path or AnnData
        Instances of shape (k, ...): a NumPy array, or an object with ``__array__`` or
        ``__dlpack__`` such as a tensor of PyTorch, or a data frame with a row for each instance.
        Tensors are detached and copied from their device. The engine computes in float32; other
        types are rounded to it. No instances, NaN, infinities and values beyond float32 are
        errors. Or the path of a file in a format of the command ``bagscope explain --bag``.
        Or an object with ``X`` and ``obsm`` such as AnnData, whose ``obsm["spatial"]`` holds the
        places.
    name : str, optional
        Name of the bag, by default the file's, or ``bag``.
    labels : array_like of int, optional
        True labels of the instances (k,), -1 for unknown, by default those of the file. Only
        metrics use them.
    places : array_like or path, optional
        Upper left corners (k, 2), or x0, y0, x1, y1 (k, 4), by default in pixels of the full
        resolution. A file has its own.
        Of a whole slide, the path of a file with the places of its patches, as for ``tiles``.
    patch_size : int, optional
        Side of the patches at places (k, 2), by default the usual distance between neighbours. Of a
        file with coordinates, their side in pixels of the full resolution, by default what it
        states. Of a picture or a slide, the side of its patches in pixels, by default that of the
        model card.
    coords_unit : str, optional
        Unit of coordinates: ``"px"`` for pixels of the full resolution, ``"um"`` for micrometres,
        the pixels that a unit is, such as ``"4"``, or its micrometres, such as ``"0.5um"``. By
        default what a file states, else pixels.
    origin : str, optional
        What places in files of a slide count from: ``"canvas"``, the corner of the full resolution,
        as for OpenSlide, or ``"bounds"``, that of the scanned part, as for QuPath. Of a file that
        does not state its bounds, their corner, such as ``"1024,2048"``. By default bounds in
        GeoJSON, else canvas.
    tile_names : str, optional
        Which number in the names of tiles in a folder or zip is x, such as of ``3_5.jpg``:
        ``"xy"``, ``"yx"``, or ``"none"`` if they are no places. By default what words in the
        names, the sides of the tiles or their edges say; else reading is an error.
    dtype : str, optional
        ``"bfloat16"`` if integers are the bits of bfloat16, which NumPy and HDF5 cannot name, and
        ``"stored"`` if they are integers. By default integers that look like such bits are an
        error.
    series : str, optional
        Number of the series of slices, or of the volume, in files that hold several, such as
        ``"4"``; the error lists them. ``"all"`` takes the pictures of all series of DICOM.
    slice_axes : str, optional
        Where instances, rows and columns of a NIfTI volume go, in three letters: toward R, L, A,
        P, S or I of the patient, such as ``"SPL"``, or along the axes of the file: ``"kij"`` is
        nibabel's ``data[:, :, k]``. By default slices lie across the third axis, as in DICOM files.
    window : str, optional
        Centre and width that map grey values of DICOM and NIfTI, such as Hounsfield units, to
        pixels 0 to 255: ``"40,400"``, or one for each channel with semicolons between them.
    spacing : str, optional
        Distance of pixels in mm to which slices of DICOM and NIfTI are interpolated, and behind a
        comma that of slices: ``"0.8"`` or ``"0.8,3"``. With ``"fit"`` instead of the first one,
        slices are scaled to the model's input. By default that of the model card.
    neighbours : int, optional
        Slices on each side of one that are its channels beside it, such as 1 for a model that
        takes three slices as channels. By default those of the model card.
    slide_mpp : float, optional
        Micrometres that a pixel of the full resolution covers, by default what a file states.
        Without it, places in micrometres are drawn in micrometres.
    inputs : dict, optional
        What inputs of the model beside the instances take for this bag: a number or a list of
        numbers for each name, such as ``{"age": 63}``. By default what a file states under these
        names, else the numbers of the model card.
    adjacency : str, array_like, sparse matrix or tuple, optional
        Relations of the instances for a model of graphs: a matrix (k, k), dense or of
        ``scipy.sparse``; edges and their weights ``(edge_index, edge_weight)`` as in PyTorch
        Geometric, of shape (2, edges) and (edges,) or None; or how they are built from the places,
        such as ``"knn(8)"`` or ``"radius(1.5) symmetric"``. A file has its own, or takes a text.
    array : str, optional
        Name of the array of features in a file with several arrays, or key of ``obsm``.
    bag_by : str, optional
        Name of the column whose values are the ids of bags, such as ``"patient"``: of a table, or
        of ``obs`` of AnnData. By default all instances of AnnData are one bag, and of a table a
        column with a usual name has the ids, or the first one.
    columns : str, optional
        What columns of a file hold, such as ``"slide=bag; stain*=skip"``: a name and one of bag,
        name, label and instance_label, and in tables x, y, width, height, feature and skip. By
        default what the names and rows of a table say.
    index : int, default 0
        Number of the bag among several, by ``bag_by`` too.
    stride : int, optional
        Distance from one patch of a picture to the next, in pixels, by default ``patch_size``.
    background : float, optional
        Patches of a picture whose mean brightness, up to 256, is at least this are omitted.
    encoder : path, optional
        An ONNX file that encodes the patches of a whole slide, by default the one beside the model
        that its card names.
    **slide
        How patches lie on a slide, see ``tiles``.
    """

    def __init__(
        self,
        data: Any,
        *,
        name: str | None = None,
        labels: ArrayLike | None = None,
        places: ArrayLike | str | os.PathLike[str] | None = None,
        patch_size: int | None = None,
        coords_unit: str | None = None,
        origin: str | None = None,
        tile_names: str | None = None,
        dtype: str | None = None,
        series: str | None = None,
        slice_axes: str | None = None,
        window: str | None = None,
        spacing: str | None = None,
        neighbours: int | None = None,
        slide_mpp: float | None = None,
        inputs: Mapping[str, float | Sequence[float]] | None = None,
        adjacency: Adjacency | str | None = None,
        array: str | None = None,
        bag_by: str | None = None,
        columns: str | None = None,
        index: int = 0,
        stride: int | None = None,
        background: float | None = None,
        encoder: str | os.PathLike[str] | None = None,
        **slide: Unpack[SlideOptions],
    ) -> None:
        check_slide_options(slide)
        self.places_file: str | os.PathLike[str] | None = None
        if isinstance(places, (str, os.PathLike)):  # a file, of a slide
            self.places_file, places = places, None
        self.path: str | None = None
        self.name = name
        self.index = index
        self.array = array
        self.bag_by = bag_by
        self.columns = columns
        self.patch_size = patch_size
        self.coords_unit = coords_unit
        self.origin = origin
        self.tile_names = tile_names
        self.dtype = dtype
        self.series = series
        self.slice_axes = slice_axes
        self.window = window
        self.spacing = spacing
        self.neighbours = neighbours
        self.slide_mpp = slide_mpp
        self.inputs = None if inputs is None else inputs_text(inputs)
        self.stride = stride
        self.background = background
        self.encoder = encoder
        self.slide = slide
        self.data = data
        """What the bag was made of; functions that are explained get its parts."""
        self.labels = None if labels is None else _labels_of(labels)
        self.places = None if places is None else as_array(places).astype(np.float64)
        self.adjacency = read_adjacency(adjacency)
        self._values: NDArray[Any] | None = None
        if isinstance(data, (str, os.PathLike)):
            if places is not None:
                raise BagError("places belong to arrays; a file has its own")
            if not isinstance(self.adjacency, str):
                raise BagError("an adjacency of numbers belongs to an array; a file has its own")
            self.path = path_of("bag", data)
        elif encoder is not None or slide or stride is not None or background is not None:
            raise BagError("the options of pictures and slides belong to files, not to arrays")
        elif columns is not None:
            raise BagError("columns belong to files; pass the labels of an array as labels")
        elif hasattr(data, "obsm") and hasattr(data, "X"):
            if bag_by is not None:
                data = self.data = self._select_obs(data, bag_by)
            self._values = self._read_anndata(data, array)
        elif bag_by is not None:
            raise BagError("bag_by belongs to files and AnnData; pass the instances of one bag")
        self._open: dict[object, OpenBag] = {}

    @property
    def values(self) -> NDArray[Any]:
        """The instances (k, ...) of an array.

        Raises
        ------
        FormatError
            If the data is not an array of numbers.
        """
        if self._values is None:
            self._values = as_array(self.data)
        return self._values

    def __len__(self) -> int:
        """Return the number of instances of an array."""
        if self.path is not None:
            raise TypeError("the number of instances of a file is known after it was opened")
        shape = getattr(self.data, "shape", None)
        return int(shape[0]) if shape else len(self.data)

    def __repr__(self) -> str:
        return f"Bag({self.path!r})" if self.path else f"<Bag {self.name or 'bag'!r}>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": {}}

    def take(self, instances: NDArray[np.intp]) -> Any:
        """Return a copy of the given instances in the type of the data, a list for a tuple.

        Raises
        ------
        BagError
            If the data has no instances to choose.
        """
        if isinstance(self.data, (list, tuple)):
            return [self.data[i] for i in instances]
        if hasattr(self.data, "iloc"):  # a data frame, whose brackets choose columns
            return self.data.iloc[instances]
        try:
            return self.data[instances]
        except (TypeError, KeyError, IndexError) as e:
            raise self._no_sequence() from e

    def _no_sequence(self) -> BagError:
        return BagError(
            f"a {type(self.data).__name__} does not give its instances by an array of their "
            "numbers; pass a NumPy array or a list, and convert it in the function"
        )

    def number(self) -> int:
        """Return the number of instances for a function.

        Raises
        ------
        BagError
            If the data is a file, or has no instances to choose.
        """
        if self.path is not None:
            raise BagError("a function needs an array; read the file before")
        try:
            return len(self)
        except TypeError as e:
            raise self._no_sequence() from e

    def open(self, child: Child, model: Model, progress: Update | None = None) -> OpenBag:
        """Return the bag in an engine, in the layout of a model."""
        return open_all([self], child, model, progress)[0]

    def held(self, child: Child, layout: int) -> OpenBag | None:
        """Return the bag if it is open in an engine, in a layout."""
        held = self._open.get((id(child), layout))
        return held if held is not None and held.child is child else None

    def hold(self, child: Child, layout: int, held: OpenBag) -> None:
        """Keep the bag open, in one layout at a time."""
        self._open = {(id(child), layout): held}

    @property
    def is_open(self) -> bool:
        """Whether the bag is open in an engine."""
        return bool(self._open)

    def close(self) -> None:
        """Keep the bag open no longer; the next call reads it again."""
        self._open = {}

    def count(self, model: Model, progress: Update | None = None) -> int:
        """Return the number of bags of the file that this bag is read from.

        The only bag of a file stays open, because the features of a slide take long.
        """
        child = engine()
        with self.request(child, model, progress) as body:
            answer = child.call(body, event_of(progress))
        assert isinstance(answer, wire.BagsRead)
        if len(answer.names) == 1:
            (held,) = open_read(child, [(answer, self.index, self.labels)])
            self.hold(child, model.layout(child), held)
        else:
            release(child, answer.handle)
        return len(answer.names)

    @contextmanager
    def request(
        self, child: Child, model: Model, progress: Update | None = None
    ) -> Iterator[wire.ReadBagFile | wire.ReadArray]:
        """Return the request that reads the bag. Its memory is shared until the end."""
        handle = model.layout(child)
        text = self.adjacency if isinstance(self.adjacency, str) else None
        if self.path is not None:
            yield wire.ReadBagFile(
                path=self.path,
                read=wire.ReadOptions(
                    array=self.array,
                    bag_by=self.bag_by,
                    columns=self.columns,
                    patch_size=self.patch_size,
                    stride=self.stride,
                    background=self.background,
                    adjacency=text,
                    coords_unit=self.coords_unit,
                    origin=self.origin,
                    tile_names=self.tile_names,
                    dtype=self.dtype,
                    series=self.series,
                    slice_axes=self.slice_axes,
                    window=self.window,
                    spacing=self.spacing,
                    neighbours=self.neighbours,
                    inputs=self.inputs,
                    slide_mpp=self.slide_mpp,
                ),
                model=handle,
                encoding=self._encoding(model),
                watch=progress is not None,
            )
            return
        # A function gets the data. The engine then needs the number of instances only.
        only_count = model.function is not None
        if only_count and (text or not isinstance(self.adjacency, str)):
            raise BagError(
                "a function gets instances without their relations; leave adjacency out, or "
                "export the model by bagscope.export"
            )
        values = np.zeros((self.number(), 1), np.float32) if only_count else self.values
        with block_of(values) as block, relations_of(self.adjacency) as relations:
            yield wire.ReadArray(
                name=self.name or "bag",
                values=block,
                type=type_of(values),
                shape=list(values.shape),
                places=None if self.places is None else self.places.reshape(-1),
                slide=wire.Slide(patch_size=self.patch_size) if self.patch_size else None,
                relations=relations,
                read=wire.ReadOptions(
                    adjacency=text,
                    coords_unit=self.coords_unit,
                    origin=self.origin,
                    dtype=None if only_count else self.dtype,
                    inputs=self.inputs,
                    slide_mpp=self.slide_mpp,
                ),
                model=handle,
            )

    def _encoding(self, model: Model) -> wire.Encoding | None:
        """Return how a slide is encoded, None if the file is read as it is."""
        if model.function is not None:
            if self.encoder is not None:
                raise BagError(
                    "a function gets arrays; write the features of the slide by bagscope.tiles, "
                    "and pass tiles.features"
                )
            return None
        if self.encoder is not None and not (self.stride is None and self.background is None):
            raise BagError(
                "stride and background are for pictures; the patches of a slide have an overlap "
                "and a smallest part of tissue"
            )
        if self.encoder is None and not model.folder:
            return None
        return encoding_of(
            self.encoder, self.patch_size or 0, self.slide, model.folder, self.places_file
        )

    def _select_obs(self, data: Any, column: str) -> Any:
        """Return the part of AnnData that is bag `index` of a column of obs, and name the bag."""
        if column not in data.obs:
            raise BagError(f"obs has no column {column!r}; it has {sorted(map(str, data.obs))}")
        values = data.obs[column]
        ids = values.dropna().unique()
        if not 0 <= self.index < len(ids):
            raise BagError(
                f"there is no bag {self.index}; the {len(ids)} values of {column} are "
                "numbered from 0"
            )
        value = ids[self.index]
        self.name = str(value) if self.name is None else self.name
        return data[(values == value).to_numpy(bool)]

    def _read_anndata(self, data: Any, key: str | None) -> NDArray[Any]:
        features = data.X if key is None else data.obsm.get(key)
        if features is None:
            what = "X" if key is None else f"obsm[{key!r}]"
            raise FormatError(
                f"the AnnData object has no {what}; name one of its arrays by array=: "
                f"{sorted(map(str, data.obsm))}"
            )
        if hasattr(features, "toarray"):
            features = features.toarray()
        if self.places is None and "spatial" in data.obsm:
            self.places = np.asarray(data.obsm["spatial"], np.float64)[:, :2]
        return as_array(features)


def _labels_of(labels: ArrayLike) -> list[int]:
    """Return labels of instances as whole numbers."""
    array = as_array(labels)
    whole = array.dtype.kind != "f" or bool((array == np.trunc(array)).all())
    if array.ndim != 1 or not whole or not (np.abs(array.astype(np.float64)) < 2**53).all():
        raise BagError(
            "labels must be whole numbers (k,), a label for each instance, -1 for unknown"
        )
    out: list[int] = array.astype(np.int64).tolist()
    return out


def inputs_text(inputs: Mapping[str, float | Sequence[float]]) -> str:
    """Return inputs beside the instances as the engine reads them: ``age=63.0;stage=0.0,1.0``."""
    parts = []
    for name, values in inputs.items():
        numbers = np.ravel(np.asarray(values, np.float64))
        parts.append(f"{name}={','.join(repr(float(v)) for v in numbers)}")
    return ";".join(parts)


class OpenBag:
    """A bag in an engine. It is closed when nothing refers to it any more."""

    def __init__(self, child: Child, opened: wire.BagOpened, notes: list[str]) -> None:
        self.child = child
        self.notes = notes
        self.handle = opened.handle
        self.info = opened.info
        weakref.finalize(self, release, child, opened.handle).atexit = False


def open_all(
    bags: Sequence[Bag],
    child: Child,
    model: Model,
    progress: Update | None = None,
    named: Named = unnamed,
) -> list[OpenBag]:
    """Return bags in an engine, in the layout of a model. Their common file is read once."""
    layout = model.layout(child)
    out = [bag.held(child, layout) for bag in bags]
    closed = [i for i, held in enumerate(out) if held is None]
    bodies: list[wire.ReadBagFile | wire.ReadArray] = []
    first: list[int] = []  # the first bag of each request
    of: list[int] = []  # the request of each bag
    read: list[wire.BagsRead] = []
    with ExitStack() as stack:
        for i in closed:
            with named(i):
                body = stack.enter_context(bags[i].request(child, model, progress))
            if not (bodies and isinstance(body, wire.ReadBagFile) and body == bodies[-1]):
                bodies.append(body)
                first.append(i)
            of.append(len(bodies) - 1)
        try:
            for answer in child.answers(
                bodies, lambda _: event_of(progress), lambda n: named(first[n])
            ):
                assert isinstance(answer, wire.BagsRead)
                read.append(answer)
        except BaseException:
            for files in read:
                release(child, files.handle)
            raise
    wanted = [(read[n], bags[i].index, bags[i].labels) for n, i in zip(of, closed, strict=True)]
    opened = open_read(child, wanted, lambda n: named(closed[n]))
    for i, held in zip(closed, opened, strict=True):
        if bags[i].path is None:
            held.notes = [*notes_of(bags[i].data), *held.notes]
        bags[i].hold(child, layout, held)
        out[i] = held
    return [held for held in out if held is not None]


def open_read(
    child: Child,
    wanted: Sequence[tuple[wire.BagsRead, int, list[int] | None]],
    named: Named = unnamed,
) -> list[OpenBag]:
    """Return bags of files that were read, by their index and labels, and close the files."""
    out: list[OpenBag] = []
    try:
        bodies = [wire.OpenBag(files.handle, index, labels) for files, index, labels in wanted]
        for (files, _, _), opened in zip(wanted, child.answers(bodies, named=named), strict=True):
            assert isinstance(opened, wire.BagOpened)
            out.append(OpenBag(child, opened, files.notes))
    finally:
        for handle in {files.handle for files, _, _ in wanted}:
            release(child, handle)
    return out


def release(child: Child, handle: int) -> None:
    """Close a handle without waiting."""
    if child.alive:
        child.send(wire.Release(handle))


def bag_of(
    data: BagLike, encoder: str | os.PathLike[str] | None = None, index: int | None = None
) -> Bag:
    """Return data as a bag. An encoder and an index belong to a path; a Bag has its own."""
    given = {k: v for k, v in {"encoder": encoder, "index": index}.items() if v is not None}
    if not isinstance(data, Bag):
        return Bag(data, **given)  # type: ignore[arg-type]
    for name in given:
        raise BagError(f"the bag is a Bag already; pass {name}= to Bag")
    return data


def several(data: Any) -> bool:
    """Return whether data are several bags: a list with a ``Bag`` in it."""
    return isinstance(data, (list, tuple)) and any(isinstance(b, Bag) for b in data)


def bags_of(
    data: Any,
    model: Model,
    encoder: str | os.PathLike[str] | None = None,
) -> list[Bag]:
    """Return a sequence of bags, or the bags of a file, as a list."""
    if isinstance(data, (str, os.PathLike)):
        first = Bag(data, encoder=encoder)
        rest = range(1, first.count(model))
        return [first, *(Bag(data, index=i, encoder=encoder) for i in rest)]
    if isinstance(data, Sequence):
        return [bag_of(b, encoder) for b in data]
    return [bag_of(data, encoder)]
