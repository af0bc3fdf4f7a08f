"""Tables of results in notebooks."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return a table as HTML. Numbers have four digits; texts are escaped."""
    title = f"<caption>{_escaped(caption)}</caption>" if caption else ""
    columns = "".join(f"<th>{_escaped(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f"<table>{title}<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"


def visible(text: str) -> str:
    """Return a text in one line of visible characters.

    Newlines, control characters and characters that change the direction of the text or have no
    width are escaped: names of classes and files come from files that others wrote.
    """
    return "".join(repr(c)[1:-1] if _is_hidden(c) else c for c in text)


SHOWN_NOTES = 3
"""Number of notes that are shown. They begin with the most important."""


def note_lines(notes: Sequence[str]) -> list[str]:
    """Return a line for each of the first notes, and one for the number of others."""
    lines = [f"note: {visible(note)}" for note in notes[:SHOWN_NOTES]]
    more = len(notes) - len(lines)
    return [*lines, f"note: {more} more in notes"] if more > 0 else lines


def _is_hidden(c: str) -> bool:
    # Persian, Indic scripts and emoji need the two joiners.
    joiners = "\u200c\u200d"
    return unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and c not in joiners


def _escaped(value: object) -> str:
    return html.escape(visible(str(value)))


def _cell(value: object) -> str:
    if isinstance(value, (float, np.floating)):
        return f"<td>{value:.4g}</td>"
    if isinstance(value, (list, tuple, np.ndarray)):
        return f"<td>{', '.join(_escaped(v) for v in value) or 'none'}</td>"
    return f"<td>{_escaped(value)}</td>"
