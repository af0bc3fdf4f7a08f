"""The exceptions of bagscope."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from . import _wire as wire


class BagscopeError(Exception):
    """The base of all exceptions of bagscope.

    Attributes
    ----------
    kind : str
        One word, the same as the ``kind`` in errors of the HTTP server.
    details : dict
        What the engine states beside the message, such as ``setting`` or ``method``.
    """

    kind = "internal"

    def __init__(self, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = details or {}


class SettingError(BagscopeError, ValueError):
    """A setting is invalid. ``details["setting"]`` is its name."""

    kind = "setting"


class BagError(BagscopeError, ValueError):
    """The bag cannot be used with the model."""

    kind = "bag"


class FormatError(BagscopeError, ValueError):
    """A model file, a file of bags or an array is invalid.

    If the array must be chosen, ``details["arrays"]`` has a line ``uni/features (3512, 1024)`` for
    each array that can be.
    """

    kind = "format"


class UnsupportedError(BagscopeError):
    """The engine cannot run the model. ``details["operators"]`` lists the reasons."""

    kind = "unsupported"


class MissingError(BagscopeError, FileNotFoundError):
    """A file does not exist: the model, the bag, or weights beside the model.

    ``details["files"]`` lists missing weights.
    """

    kind = "missing"


class RunError(BagscopeError):
    """A node of the model fails on the values of the bag."""

    kind = "run"


class LimitError(BagscopeError):
    """A limit of a file, a model or a drawing is exceeded."""

    kind = "limit"


class BagscopeMemoryError(BagscopeError):
    """The memory limit is exceeded."""

    kind = "memory"


class MemoryBusyError(BagscopeMemoryError):
    """Other computations hold the memory."""

    kind = "memory-busy"


class UnavailableError(BagscopeError):
    """The model does not support what was requested, such as a method."""

    kind = "unavailable"


class BudgetError(BagscopeError):
    """The methods need more evaluations than ``budget``."""

    kind = "budget"


class NonFiniteError(BagscopeError):
    """The model returns NaN or an infinity."""

    kind = "non-finite"


class CallableError(BagscopeError):
    """A function that is explained returned scores of a wrong shape."""

    kind = "callable"


class CancelledError(BagscopeError):
    """The request was cancelled."""

    kind = "cancelled"


class EngineError(BagscopeError):
    """The engine's process could not start, or ended. The next call starts a new one."""

    kind = "engine"


_CLASSES = {
    cls.kind: cls
    for cls in (
        SettingError,
        BagError,
        FormatError,
        UnsupportedError,
        MissingError,
        RunError,
        LimitError,
        BagscopeMemoryError,
        MemoryBusyError,
        UnavailableError,
        BudgetError,
        NonFiniteError,
        CallableError,
        CancelledError,
    )
}


def error_of(failure: wire.Failure) -> BagscopeError:
    """Return the exception for a failure of the engine."""
    details = {s.name: s.value for s in failure.details}
    return _CLASSES.get(failure.kind, BagscopeError)(failure.message, details)


Named = Callable[[int], AbstractContextManager[None]]
"""Names the bag of a list in errors, by its position among those that are computed together."""


def unnamed(_: int) -> AbstractContextManager[None]:
    """Name nothing: there is one bag."""
    return nullcontext()


@contextmanager
def naming(index: int) -> Iterator[None]:
    """Add the index of a bag to errors, also as ``details["index"]``; a note to a function's."""
    try:
        yield
    except BagscopeError as e:
        raise type(e)(f"bag {index}: {e}", {**e.details, "index": index}) from e
    except Exception as e:
        if hasattr(e, "add_note"):  # from Python 3.11 on
            e.add_note(f"bag {index}")
        raise


def _reduce(e: BagscopeError) -> tuple[Any, ...]:
    # Process pools pass exceptions to their parents.
    return type(e), (str(e), e.details)


for _cls in (BagscopeError, EngineError, *_CLASSES.values()):
    copyreg.pickle(_cls, _reduce)
