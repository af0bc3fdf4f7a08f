"""Encodes and decodes the values in messages.

The Go package wasm/wire documents their format. ``_wire.py``, which is generated from its types,
combines these codecs.
"""

from __future__ import annotations

import struct
import typing as t
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

Any = str | bool | int | float
"""The value of a setting."""

Bytes = bytes | bytearray | memoryview
Float32s = NDArray[np.float32]
Float64s = NDArray[np.float64]

MAX_INT = 2**53 - 1
"""The largest whole number in a message, which JavaScript represents exactly."""


class WireError(ValueError):
    """A message that does not match its type.

    Parameters
    ----------
    offset : int
        Index of the first byte that is invalid.
    reason : str
        What is invalid.
    """

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(f"the message cannot be read at byte {offset}: {reason}")
        self.offset = offset


class FieldError(ValueError):
    """A field with a value that messages cannot contain.

    Parameters
    ----------
    field : str
        Name of the innermost field.
    reason : str
        Why its value cannot be sent.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field


class Reader:
    """Reads values one after another and raises a WireError for an invalid value."""

    def __init__(self, data: Bytes) -> None:
        self.data = memoryview(data)
        self.at = 0

    def fail(self, reason: str, back: int = 0) -> t.NoReturn:
        raise WireError(self.at - back, reason)

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, n: int) -> memoryview:
        """Return the next n bytes, which share the memory of the message."""
        if n > self.left:
            self.fail(f"{n} bytes are needed, but only {self.left} are left")
        self.at += n
        return self.data[self.at - n : self.at]

    def uint8(self) -> int:
        return self.take(1)[0]

    def uint32(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def count(self, size: int) -> int:
        """Read the length of a list with elements of at least size bytes each."""
        n = self.uint32()
        if n > self.left // size:
            self.fail(f"a list has {n} elements, but only {self.left} bytes are left", 4)
        return n


class Writer:
    """Collects the parts of a message. Long byte strings are not copied."""

    def __init__(self) -> None:
        self.parts: list[Bytes] = []

    def raw(self, part: Bytes) -> None:
        self.parts.append(part)

    def uint8(self, n: int) -> None:
        self.parts.append(bytes((n,)))

    def length(self, n: int) -> None:
        if n >= 2**32:
            raise ValueError(f"a list of {n} elements is too long for a message")
        self.parts.append(n.to_bytes(4, "little"))


class Codec(t.Protocol):
    """Encodes and decodes values of one type."""

    min: int
    """The smallest number of bytes of a value."""

    def write(self, w: Writer, value: t.Any) -> None: ...

    def read(self, r: Reader) -> t.Any: ...


class _Bool:
    min = 1

    def write(self, w: Writer, value: bool) -> None:
        w.uint8(1 if value else 0)

    def read(self, r: Reader) -> bool:
        b = r.uint8()
        if b > 1:
            r.fail(f"a flag is {b}, but must be 0 or 1", 1)
        return b == 1


class _Int:
    min = 8

    def write(self, w: Writer, value: int) -> None:
        n = int(value)
        if n != value or abs(n) > MAX_INT:
            raise ValueError(f"{value} is not a whole number within ±(2^53 - 1)")
        w.raw(n.to_bytes(8, "little", signed=True))

    def read(self, r: Reader) -> int:
        n = int.from_bytes(r.take(8), "little", signed=True)
        if abs(n) > MAX_INT:
            r.fail(f"{n} is outside ±(2^53 - 1)", 8)
        return n


class _Uint64:
    min = 8

    def write(self, w: Writer, value: int) -> None:
        if not 0 <= value < 2**64:
            raise ValueError(f"{value} is not within 0 and 2^64 - 1")
        w.raw(int(value).to_bytes(8, "little"))

    def read(self, r: Reader) -> int:
        return int.from_bytes(r.take(8), "little")


class _Float64:
    min = 8

    def write(self, w: Writer, value: float) -> None:
        w.raw(struct.pack("<d", value))

    def read(self, r: Reader) -> float:
        return t.cast(float, struct.unpack("<d", r.take(8))[0])


class _Text:
    min = 4

    def write(self, w: Writer, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(f"{value!r} is not a string")
        try:
            data = value.encode()
        except UnicodeEncodeError as e:
            raise ValueError(f"{value!r} is not valid Unicode and cannot be sent") from e
        w.length(len(data))
        w.raw(data)

    def read(self, r: Reader) -> str:
        n = r.count(1)
        try:
            return str(r.take(n), "utf-8")
        except UnicodeDecodeError:
            r.fail("a string is not UTF-8", n)


class _Bytes:
    min = 4

    def write(self, w: Writer, value: Bytes) -> None:
        view = memoryview(value).cast("B")
        w.length(len(view))
        w.raw(view)

    def read(self, r: Reader) -> bytes:
        return bytes(r.take(r.count(1)))


class _Array:
    """A list of numbers as a NumPy array, which is a copy."""

    min = 4

    def __init__(self, kind: str) -> None:
        self.dtype = np.dtype(kind)

    def write(self, w: Writer, value: NDArray[t.Any]) -> None:
        a = np.ascontiguousarray(value, self.dtype).reshape(-1)
        w.length(a.size)
        w.raw(a.tobytes())

    def read(self, r: Reader) -> NDArray[t.Any]:
        size = self.dtype.itemsize
        return np.frombuffer(r.take(size * r.count(size)), self.dtype).astype(
            self.dtype.newbyteorder("=")
        )


class _Any:
    min = 2

    def write(self, w: Writer, value: Any) -> None:
        if isinstance(value, str):
            w.uint8(0)
            TEXT.write(w, value)
        elif isinstance(value, (bool, np.bool_)):
            w.uint8(1)
            BOOL.write(w, bool(value))
        elif isinstance(value, Integral):
            w.uint8(2)
            INT.write(w, int(value))
        elif isinstance(value, Real):
            w.uint8(3)
            FLOAT64.write(w, float(value))
        else:
            raise TypeError(
                f"a value of type {type(value).__name__} cannot be sent; "
                "str, bool, int and float can"
            )

    def read(self, r: Reader) -> Any:
        tag = r.uint8()
        if tag > 3:
            r.fail(f"a value has the unknown type {tag}", 1)
        return (TEXT, BOOL, INT, FLOAT64)[tag].read(r)


BOOL = _Bool()
INT = _Int()
UINT64 = _Uint64()
FLOAT64 = _Float64()
TEXT = _Text()
BYTES = _Bytes()
FLOAT32S = _Array("<f4")
FLOAT64S = _Array("<f8")
ANY = _Any()


class Optional:
    """A value or None."""

    min = 1

    def __init__(self, codec: Codec) -> None:
        self.codec = codec

    def write(self, w: Writer, value: t.Any) -> None:
        BOOL.write(w, value is not None)
        if value is not None:
            self.codec.write(w, value)

    def read(self, r: Reader) -> t.Any:
        return self.codec.read(r) if BOOL.read(r) else None


class List:
    """A list of values of one type."""

    min = 4

    def __init__(self, codec: Codec) -> None:
        self.codec = codec

    def write(self, w: Writer, value: t.Sequence[t.Any]) -> None:
        w.length(len(value))
        for element in value:
            self.codec.write(w, element)

    def read(self, r: Reader) -> list[t.Any]:
        n = r.count(self.codec.min)
        # Bags have many instances. A call for each number would take longer than the request.
        if self.codec is INT:
            start = r.at
            numbers = np.frombuffer(r.take(8 * n), "<i8")
            wrong = np.flatnonzero((numbers > MAX_INT) | (numbers < -MAX_INT))
            if wrong.size:
                r.at = start + 8 * int(wrong[0])
                r.fail(f"{numbers[wrong[0]]} is outside ±(2^53 - 1)")
            return t.cast("list[t.Any]", numbers.tolist())
        if self.codec is BOOL:
            start = r.at
            flags = np.frombuffer(r.take(n), "u1")
            wrong = np.flatnonzero(flags > 1)
            if wrong.size:
                r.at = start + int(wrong[0])
                r.fail(f"a flag is {flags[wrong[0]]}, but must be 0 or 1")
            return t.cast("list[t.Any]", flags.astype(bool).tolist())
        return [self.codec.read(r) for _ in range(n)]


class Record:
    """A dict of values of one type by text."""

    min = 4

    def __init__(self, codec: Codec) -> None:
        self.codec = codec

    def write(self, w: Writer, value: t.Mapping[str, t.Any]) -> None:
        w.length(len(value))
        for key, element in value.items():
            TEXT.write(w, key)
            self.codec.write(w, element)

    def read(self, r: Reader) -> dict[str, t.Any]:
        out: dict[str, t.Any] = {}
        for _ in range(r.count(4 + self.codec.min)):
            start = r.at
            key = TEXT.read(r)
            if key in out:
                r.at = start
                r.fail("a key is there twice")
            out[key] = self.codec.read(r)
        return out


class Struct:
    """The fields of a class, in order."""

    def __init__(self, cls: type, fields: tuple[tuple[str, Codec], ...]) -> None:
        self.cls = cls
        self.fields = fields
        self.min = max(1, sum(codec.min for _, codec in fields))

    def write(self, w: Writer, value: t.Any) -> None:
        for name, codec in self.fields:
            field = getattr(value, name)
            try:
                codec.write(w, field)
            except FieldError:
                raise
            except (TypeError, ValueError, AttributeError) as e:
                raise FieldError(name, str(e)) from e

    def read(self, r: Reader) -> t.Any:
        return self.cls(*[codec.read(r) for _, codec in self.fields])


def no_float32s() -> Float32s:
    """Return an empty array."""
    return np.empty(0, np.float32)


def no_float64s() -> Float64s:
    """Return an empty array."""
    return np.empty(0, np.float64)
