"""Progress of calls: bars of tqdm, and functions of the user."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from . import _wire as wire
from ._optional import needed
from ._process import Child, Event

ProgressLike = bool | Callable[[int, int], None]
"""True shows a bar of tqdm, a function gets the number of finished steps and of all."""

Update = Callable[[wire.Progress], None]
"""Called for each message of the engine about progress."""


@contextmanager
def watched(progress: ProgressLike, unit: str = "instances") -> Iterator[Update | None]:
    """Return what shows the messages about progress, or None if nothing shows it.

    ``unit`` names what messages about the bag count; the others count evaluations.
    """
    if not progress:
        yield None
        return
    if not callable(progress):
        _bars()  # A missing package is an error before the engine works.
    with ExitStack() as stack:
        shows: dict[bool, Callable[[int, int], None]] = {}

        def update(p: wire.Progress) -> None:
            if p.instances not in shows:
                what = unit if p.instances else "evaluations"
                shows[p.instances] = stack.enter_context(progress_bar(progress, p.total, what))
            shows[p.instances](p.completed, p.total)

        yield update


def event_of(update: Update | None) -> Event | None:
    """Return what passes the progress of a request on."""
    if update is None:
        return None

    def on_event(_: Child, __: int, message: wire.Body) -> None:
        if isinstance(message, wire.Progress):
            update(message)

    return on_event


@contextmanager
def progress_bar(
    progress: ProgressLike, total: int, unit: str
) -> Iterator[Callable[[int, int], None]]:
    """Return a function that shows progress: nothing, the user's function, or a bar of tqdm."""
    if not progress:
        yield lambda done, total: None
    elif callable(progress):
        yield progress
    else:
        with _bars()(total=total or None, unit=f" {unit}") as bar:

            def show(done: int, total: int) -> None:
                bar.total = total or None
                bar.update(done - bar.n)

            yield show


def _bars() -> Any:
    """Return the class of bars."""
    with needed("tqdm"):
        from tqdm.auto import tqdm
    return tqdm
