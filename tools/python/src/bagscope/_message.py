"""Encodes and decodes whole messages."""

from __future__ import annotations

from . import _codec as c
from . import _wire as wire

_NUMBERS = {cls: (n, codec) for n, (cls, codec) in wire.KINDS.items()}
_HEADER = 6


def encode(request: int, body: wire.Body) -> list[c.Bytes]:
    """Return the parts of a message, in order.

    Parameters
    ----------
    request : int
        The ID of the request, also in its answer; 0 to 2^32 - 1.
    body : Body
        A message of ``_wire``.

    Raises
    ------
    FieldError
        If a field has a value that messages cannot contain.
    """
    number, codec = _NUMBERS[type(body)]
    w = c.Writer()
    w.raw(bytes((wire.VERSION, number)) + request.to_bytes(4, "little"))
    codec.write(w, body)
    return w.parts


def decode(data: c.Bytes) -> tuple[int, wire.Body]:
    """Return the ID and the body of a message, which must fill data to the last byte.

    Raises
    ------
    WireError
        If the message does not match its type.
    """
    r = c.Reader(data)
    head = r.take(_HEADER)
    if head[0] != wire.VERSION:
        r.fail(
            f"it has version {head[0]}, but this package uses version {wire.VERSION}; the package "
            "and the program come from different releases",
            _HEADER,
        )
    if head[1] not in wire.KINDS:
        r.fail(f"the kind of message {head[1]} is unknown", _HEADER - 1)
    body = wire.KINDS[head[1]][1].read(r)
    if r.left:
        r.fail(f"{r.left} bytes follow the message")
    return int.from_bytes(head[2:], "little"), body
