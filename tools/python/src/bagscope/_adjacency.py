"""Relations of instances: matrices, sparse matrices and edges."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _wire as wire
from ._array import as_array, block_of
from ._errors import BagError

Adjacency = Any
"""A matrix (k, k), a matrix of ``scipy.sparse``, or edges with their weights."""


@dataclass(frozen=True)
class Edges:
    """Edges (2, edges) with their weights (edges,)."""

    ends: NDArray[np.int64]
    weights: NDArray[np.float64]


def read_adjacency(value: Any) -> NDArray[np.float32] | Edges | str:
    """Return an adjacency as a matrix, as edges, or as the text of a rule; "" for None.

    Raises
    ------
    BagError
        If the shape is neither that of a matrix nor that of edges.
    """
    if value is None or isinstance(value, str):
        return value or ""
    if hasattr(value, "tocoo"):
        sparse = value.tocoo()
        return _edges(np.stack([sparse.row, sparse.col]), sparse.data)
    if isinstance(value, tuple):
        if len(value) != 2:
            raise BagError(
                f"an adjacency of {len(value)} arrays cannot be read; pass (edge_index, "
                "edge_weight), or (edge_index, None)"
            )
        return _edges(*value)
    matrix = as_array(value)
    if matrix.ndim == 3 and matrix.shape[0] == 1:
        matrix = matrix[0]
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise BagError(
            f"an adjacency of shape {matrix.shape} is not square; pass a matrix (k, k), or edges "
            "as (edge_index, edge_weight)"
        )
    return matrix.astype("<f4")


def _edges(ends: Any, weights: Any) -> Edges:
    ends = as_array(ends)
    if ends.ndim != 2 or ends.shape[0] != 2:
        raise BagError(f"edges of shape {ends.shape} cannot be read; they need shape (2, edges)")
    if ends.dtype.kind not in "iu":
        raise BagError(f"edges of type {ends.dtype} cannot be read; they need whole numbers")
    given = np.ones(ends.shape[1]) if weights is None else as_array(weights).reshape(-1)
    if len(given) != ends.shape[1]:
        raise BagError(f"there are {len(given)} weights for {ends.shape[1]} edges")
    return Edges(ends.astype(np.int64), given.astype(np.float64))


@contextmanager
def relations_of(adjacency: NDArray[np.float32] | Edges | str) -> Iterator[wire.Relations | None]:
    """Keep the relations in memory for a request; None for a text."""
    if isinstance(adjacency, str):
        yield None
    elif isinstance(adjacency, Edges):
        source, target = adjacency.ends.tolist()
        yield wire.Relations(from_=source, to=target, weights=adjacency.weights)
    else:
        with block_of(adjacency) as block:
            yield wire.Relations(matrix=block)


def arrays_of(adjacency: NDArray[np.float32] | Edges | str) -> dict[str, Any]:
    """Return the relations as arrays by the names that they have in a file; {} for a text."""
    if isinstance(adjacency, str):
        return {}
    if isinstance(adjacency, Edges):
        return {"edge_index": adjacency.ends, "edge_weight": adjacency.weights}
    return {"adj": adjacency}
