"""Random messages: the program's decoder accepts and rejects what the package's does."""

import random
import subprocess
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from conftest import BINARY

from bagscope import _codec as c
from bagscope import _wire as wire
from bagscope._message import decode, encode

# Messages that are no requests: the program decodes them and does nothing.
ANSWERS = [
    wire.ModelOpened,
    wire.BagOpened,
    wire.Values,
    wire.Predicted,
    wire.Document,
    wire.Judged,
    wire.PNG,
    wire.EvaluateBags,
    wire.Failure,
]
CODECS: dict[Any, Any] = dict(wire.KINDS.values())


def value(draw: random.Random, codec: Any) -> Any:
    """Return a random value of a codec."""
    if isinstance(codec, c.Struct):
        return codec.cls(*[value(draw, part) for _, part in codec.fields])
    if isinstance(codec, c.Optional):
        return value(draw, codec.codec) if draw.random() < 0.5 else None
    if isinstance(codec, c.List):
        return [value(draw, codec.codec) for _ in range(draw.choice((0, 1, 1, 3)))]
    if isinstance(codec, c.Record):
        return {value(draw, c.TEXT): value(draw, codec.codec) for _ in range(draw.randrange(3))}
    if codec is c.BOOL:
        return draw.random() < 0.5
    if codec is c.INT:
        return draw.choice((0, 1, -1, c.MAX_INT, -c.MAX_INT, draw.randrange(-999, 999)))
    if codec is c.UINT64:
        return draw.randrange(2**64)
    if codec is c.FLOAT64:
        return draw.choice((0.0, -0.0, 1e-300, float("inf"), float("nan"), draw.random()))
    if codec is c.TEXT:
        return "".join(draw.choices("ab\0ẞ日🔬", k=draw.randrange(5)))
    if codec is c.BYTES:
        return draw.randbytes(draw.randrange(9))
    if codec is c.ANY:
        return value(draw, draw.choice((c.TEXT, c.BOOL, c.INT, c.FLOAT64)))
    return np.array([draw.random() for _ in range(draw.randrange(5))])


class Program:
    """The engine with raw frames."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [BINARY, "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def answer(self, message: bytes) -> tuple[int, Any]:
        """Return the answer to a message."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(len(message).to_bytes(4, "little") + message)
        self.process.stdin.flush()
        size = int.from_bytes(self.process.stdout.read(4), "little")
        assert size > 0, "the program has ended"
        return decode(self.process.stdout.read(size))


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    p = Program()
    yield p
    assert p.process.stdin is not None
    assert p.process.stdout is not None
    p.process.stdin.close()
    assert p.process.wait(10) == 0
    p.process.stdout.close()


@pytest.mark.parametrize("seed", range(8))
def test_both_decoders_agree(program: Program, seed: int) -> None:
    """A whole message is read by both; a damaged one fails at the same byte, or is read by both."""
    draw = random.Random(seed)
    rejected = 0
    for _ in range(250):
        body = value(draw, CODECS[draw.choice(ANSWERS)])
        data = bytearray(b"".join(encode(draw.randrange(2**32), body)))
        for _ in range(draw.randrange(3)):
            at = draw.randrange(6, len(data)) if len(data) > 6 else 1
            data[at] = draw.choice((0, 1, 2, 4, 127, 128, 255))
        if draw.random() < 0.2:
            data = data[: draw.randrange(6, len(data) + 1)]
        request, answer = program.answer(bytes(data))
        assert request == int.from_bytes(data[2:6], "little")
        assert isinstance(answer, wire.Failure)
        fault = None
        try:
            _, again = decode(data)
        except c.WireError as e:
            fault = e.offset
        if fault is None:
            assert "is not a request" in answer.message
            assert b"".join(encode(request, again)) == data
        else:
            rejected += 1
            assert answer.message.startswith(f"the message cannot be read at byte {fault}: ")
    assert rejected > 20


@pytest.mark.parametrize(
    ("stream", "says"),
    [
        (b"\0\0\0\0", b"is the other side a bagscope client?"),
        (b"\xff\xff\xff\xff", b"is the other side a bagscope client?"),
        (b"GET / HTTP/1.1\r\n", b"the input ends inside a message"),
    ],
)
def test_other_streams_end_the_program(stream: bytes, says: bytes) -> None:
    done = subprocess.run([BINARY, "engine"], input=stream, capture_output=True, timeout=20)
    assert done.returncode == 1
    assert says in done.stderr
    assert done.stdout == b""


@pytest.mark.parametrize("stream", [b"", b"\1", b"\5\0\0\0ab"], ids=repr)
def test_a_closed_stream_ends_the_program(stream: bytes) -> None:
    done = subprocess.run([BINARY, "engine"], input=stream, capture_output=True, timeout=20)
    assert (done.returncode, done.stdout) == (0 if not stream else 1, b"")
