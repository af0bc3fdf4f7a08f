"""The error of exports."""

from __future__ import annotations

from .._errors import BagscopeError


class ExportError(BagscopeError):
    """A module could not be exported, or its file does not compute what the module computes.

    The message says which layer is the cause, as far as it was found, and what to write instead.
    ``attempts`` maps the exporters that were tried to what each said.
    """

    kind = "export"

    def __init__(self, message: str, attempts: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.attempts = attempts or {}
