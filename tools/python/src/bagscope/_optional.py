"""Packages that bagscope uses if they are installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(package: str) -> Iterator[None]:
    """Name the package to install if an import fails because it is missing.

    Parameters
    ----------
    package : str
        The name of the package, for Python and for pip.

    Raises
    ------
    ImportError
        If the package, or one that it needs, is missing.
    """
    try:
        yield
    except ModuleNotFoundError as e:
        raise ImportError(
            f"this needs {package}, and {e.name} is not installed: pip install {package}",
            name=e.name,
        ) from e
