"""Tables of results in notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

import numpy as np


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return a table as HTML. Numbers have four digits; texts are escaped."""
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    columns = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f"<table>{title}<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, (float, np.floating)):
        return f"<td>{value:.4g}</td>"
    if isinstance(value, (list, tuple, np.ndarray)):
        return f"<td>{', '.join(html.escape(str(v)) for v in value) or 'none'}</td>"
    return f"<td>{html.escape(str(value))}</td>"
