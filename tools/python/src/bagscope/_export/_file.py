"""A file that an exporter wrote."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class File:
    """The bytes of a file and of the weights beside it, and Python lines that were warned about."""

    data: bytes
    external: dict[str, bytes] = field(default_factory=dict)
    warned: list[tuple[str, int]] = field(default_factory=list)
