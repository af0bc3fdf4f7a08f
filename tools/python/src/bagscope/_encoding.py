"""How the patches of whole slides are laid and encoded."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, TypedDict

from . import _wire as wire
from ._errors import MissingError, SettingError
from ._settings import path_of


class SlideOptions(TypedDict, total=False):
    """How patches lie on a slide, as keyword arguments of ``tiles`` and ``Bag``."""

    encoder_card: dict[str, Any] | str | os.PathLike[str] | None
    mpp: float | None
    overlap: int | None
    tissue_threshold: int
    min_tissue: float
    whole_slide: bool
    tissue: str | os.PathLike[str] | None
    exclude: str | os.PathLike[str] | None


_NAMES = set(SlideOptions.__annotations__)


def check_slide_options(options: SlideOptions) -> None:
    """Raise a SettingError for an option that does not exist."""
    for name in set(options) - _NAMES:
        raise SettingError(
            f"{name}: it is not an option; the options of slides are {sorted(_NAMES)}",
            {"setting": name},
        )


def encoding_of(
    encoder: str | os.PathLike[str] | None,
    patch_size: int,
    options: SlideOptions,
    folder: str = "",
    places: str | os.PathLike[str] | None = None,
) -> wire.Encoding:
    """Return the engine's form of the options of a slide.

    ``folder`` holds the encoder that the card of a model names.
    """
    check_slide_options(options)
    return wire.Encoding(
        encoder="" if encoder is None else path_of("encoder", encoder),
        folder=folder,
        card=card_text(options.get("encoder_card")),
        patch_size=patch_size,
        microns=options.get("mpp"),
        overlap=options.get("overlap"),
        threshold=options.get("tissue_threshold", 0),
        min_tissue=options.get("min_tissue", 0.0),
        whole_slide=options.get("whole_slide", False),
        tissue=_drawn("tissue", options.get("tissue")),
        exclude=_drawn("exclude", options.get("exclude")),
        places=_drawn("places", places),
    )


def _drawn(name: str, path: str | os.PathLike[str] | None) -> str:
    """Return the path of a file or folder beside slides, or "" for None."""
    return "" if path is None else path_of(name, path)


def card_text(card: dict[str, Any] | str | os.PathLike[str] | None) -> str:
    """Return a model card as JSON. A string or a path names a file."""
    if card is None:
        return ""
    if isinstance(card, dict):
        try:
            return json.dumps(card)
        except (TypeError, ValueError) as e:
            raise SettingError(
                f"card: it cannot become JSON: {e}; use strings, numbers, lists and dictionaries "
                "of Python",
                {"setting": "card"},
            ) from e
    if not isinstance(card, (str, os.PathLike)):
        raise SettingError(
            f"card: it is a {type(card).__name__}; pass a path or a dictionary", {"setting": "card"}
        )
    try:
        with open(card, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError as e:
        raise MissingError(f"the model card {card} does not exist; pass a path or a dict") from e


def card_with(
    card: dict[str, Any] | str | os.PathLike[str] | None, inputs: Mapping[str, Any] | None
) -> str:
    """Return a model card as JSON, in which ``inputs`` override what the card says of inputs."""
    text = card_text(card)
    if inputs is None:
        return text
    try:
        stated = json.loads(text or "{}")
        before = dict(stated.get("inputs") or {})
    except (ValueError, TypeError, AttributeError):
        return text  # the engine reports what is wrong with the card
    return card_text({**stated, "inputs": {**before, **inputs}})
