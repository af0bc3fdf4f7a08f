"""Whole slides: the patches on their tissue, and the features of these."""

from __future__ import annotations

import json
import os
import warnings
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from . import _wire as wire
from ._bag import Bag, open_read
from ._encoding import SlideOptions, encoding_of
from ._errors import SettingError, UnavailableError
from ._optional import needed
from ._process import Child, Event, engine
from ._progress import ProgressLike, event_of, watched
from ._result import Result
from ._settings import limit_of, path_of
from ._table import html_table

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack


class Tissue(TypedDict):
    """How the tissue of a slide was found: ``part`` is the part of the slide that is tissue."""

    method: str
    threshold: int
    part: float


class SlideInfo(TypedDict):
    """A slide. ``mpp`` (microns of a pixel) and ``magnification`` are 0 if they are unknown."""

    name: str
    format: str
    width: int
    height: int
    mpp: float
    magnification: float


class Tiles(Result):
    """The patches of a slide. ``bagscope.tiles`` returns them.

    Attributes
    ----------
    slide : dict
        ``name``, ``format``, ``width`` and ``height`` in pixels, ``mpp`` and ``magnification``.
    places : ndarray of int, shape (k, 2)
        Upper left corners of the patches, in pixels of the full resolution.
    patch_size : int
        Side of a patch in pixels.
    mpp : float
        Microns that a pixel of a patch covers, 0 if the slide does not state its own.
    overlap : int
        Pixels of a patch that the next one repeats.
    patch_size_level0 : int
        Side of a patch in pixels of the full resolution.
    level : int
        Level of the slide that the pixels are read from.
    tissue : dict
        ``method``, ``threshold`` and ``part`` of the slide that is tissue.
    out : str or None
        Path of the written file.
    shape : tuple of int
        Numbers of patches and of features of each; (k, 0) for places alone.
    """

    def __init__(self, answer: wire.TilesWritten) -> None:
        self._json: dict[str, Any] = json.loads(bytes(answer.report))
        self.slide: SlideInfo = self._json["slide"]
        self.places: NDArray[np.int64] = np.array([answer.x, answer.y], np.int64).T
        self.patch_size: int = self._json["patch_size"]
        self.mpp: float = self._json["mpp"]
        self.overlap: int = self._json["overlap"]
        self.patch_size_level0: int = self._json["patch_size_level0"]
        self.level: int = self._json["level"]
        self.tissue: Tissue = self._json["tissue"]
        self.out: str | None = self._json.get("out")
        self.shape: tuple[int, int] = (self._json["patches"], self._json["features"])

    def __len__(self) -> int:
        """Return the number of patches."""
        return self.shape[0]

    def __repr__(self) -> str:
        return (
            f"<Tiles of {self.slide['name']!r}: {self.shape[0]} patches of {self.patch_size} "
            f"pixels, {self.shape[1]} features of each>"
        )

    def _repr_html_(self) -> str:
        rows = {**self.slide, **{f"tissue {k}": v for k, v in self.tissue.items()}}
        about = {k: v for k, v in self._json.items() if not isinstance(v, dict)}
        return html_table(["property", "value"], [[k, v] for k, v in {**rows, **about}.items()])

    @property
    def features(self) -> NDArray[np.float32]:
        """The features (k, d) of the patches, read from the file.

        Raises
        ------
        UnavailableError
            If the file has places alone.
        """
        if self.out is None or self.shape[1] == 0:
            raise UnavailableError("the patches have no features; pass encoder= and out=")
        child = engine()
        files = child.call(wire.ReadBagFile(path=self.out))
        assert isinstance(files, wire.BagsRead)
        (bag,) = open_read(child, [(files, 0, None)])
        answer = child.call(wire.GetValues(bag.handle))
        assert isinstance(answer, wire.Values)
        return answer.values.reshape(self.shape)

    @property
    def bag(self) -> Bag:
        """The file as a bag, for ``explain``.

        Raises
        ------
        UnavailableError
            If the file has places alone.
        """
        if self.out is None or self.shape[1] == 0:
            raise UnavailableError("the patches have no features; pass encoder= and out=")
        return Bag(self.out)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``bagscope tiles --json`` prints, as a dictionary."""
        return dict(self._json)

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a row for each patch: ``x``, ``y``, and its features ``f0``, ``f1`` and so on.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        with needed("pandas"):
            import pandas

        frame = pandas.DataFrame(self.places, columns=["x", "y"])
        if self.shape[1] == 0:
            return frame
        names = [f"f{i}" for i in range(self.shape[1])]
        return pandas.concat([frame, pandas.DataFrame(self.features, columns=names)], axis=1)


def tiles(
    slide: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    encoder: str | os.PathLike[str] | None = None,
    patch_size: int = 0,
    slide_mpp: float | None = None,
    places: str | os.PathLike[str] | None = None,
    mask: str | os.PathLike[str] | None = None,
    memory: int = 0,
    progress: ProgressLike = False,
    **options: Unpack[SlideOptions],
) -> Tiles:
    """Find the tissue of a slide, lay patches over it, and write their features to a file.

    An interrupted call keeps what is encoded in ``OUT.partial``; the same call continues it. A
    complete file is not computed again.

    Parameters
    ----------
    slide : path
        A whole slide: TIFF, SVS, OME-TIFF.
    out : path, optional
        The .h5 file to write, in TRIDENT's form. By default nothing is written.
    encoder : path, optional
        An ONNX file that encodes patches: pictures (n, 3, height, width) to features (n, d). By
        default the file holds places alone.
    patch_size : int, optional
        Side of a patch in pixels, by default that of the encoder.
    slide_mpp : float, optional
        Microns that a pixel of the full resolution covers, by default what the slide states, else
        from the encoder's card.
    places : path, optional
        A file with the places of the patches, of CLAM, TRIDENT or STAMP or a table with columns x
        and y, or a folder with one for each slide; exactly these patches are cut.
    mask : path, optional
        A PNG file to write, in which everything that is not tissue is dark.
    memory : int, default 0
        Most memory in MB, 0 for no limit.
    progress : bool or callable, default False
        True shows a bar of tqdm; a function gets (finished patches, all patches).
    **options
        ``encoder_card`` (dict or path) overrides the encoder's model card, ``mpp`` is the microns
        that a pixel of a patch covers (0 takes the pixels of the full resolution; by default that
        of the card), ``overlap`` the pixels of a patch that the next one repeats,
        ``tissue_threshold`` the saturation 1 to 255 from which on a pixel is tissue (by default
        found by Otsu's method), ``min_tissue`` the smallest part of a patch, 0 to 1, that must be
        tissue, and ``whole_slide`` keeps patches without tissue. ``tissue`` is a file that marks
        the tissue, which is then not searched for: a mask in PNG or TIFF, GeoJSON, or XML of ASAP,
        Aperio or HALO, or a folder with one for each slide. ``exclude`` marks what is no tissue.

    Returns
    -------
    Tiles

    Warns
    -----
    UserWarning
        Before patches are encoded, if the encoder's card states no preprocessing and its first
        layer is not seen to take pixels 0 to 255, and if ``tissue`` or ``exclude`` leave patches
        out.

    Raises
    ------
    BagscopeError
        If the slide or the encoder cannot be read, or no patch has enough tissue.
    """
    if encoder is not None and out is None:
        raise SettingError(
            "out: name the .h5 file that the features are written to", {"setting": "out"}
        )
    with watched(progress, "patches") as update:
        answer = engine().call(
            wire.WriteTiles(
                path=path_of("slide", slide),
                out="" if out is None else path_of("out", out),
                mask="" if mask is None else path_of("mask", mask),
                encoding=encoding_of(encoder, patch_size, options, places=places),
                slide_mpp=slide_mpp,
                watch=update is not None,
                memory=limit_of("memory", memory) * 1_000_000,
            ),
            _warning(event_of(update)),
        )
    assert isinstance(answer, wire.TilesWritten)
    return Tiles(answer)


def _warning(on_event: Event | None) -> Event:
    """Return what warns of the notes before long work, and passes other messages on."""

    def warn(child: Child, request: int, message: wire.Body) -> None:
        if isinstance(message, wire.Noted):
            for note in message.notes:
                warnings.warn(note, UserWarning, stacklevel=5)
        elif on_event is not None:
            on_event(child, request, message)

    return warn
