"""The messages: the vectors of wasm/wire, and random messages against the program's decoder."""

import dataclasses
import json
import math
import random
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

from bagscope import _codec as c
from bagscope import _wire as wire
from bagscope._message import decode, encode

VECTORS = json.loads((ROOT / "wasm/wire/testdata/vectors.json").read_text())
VECTORS["Messages"] = [  # those that this package uses
    v for v in VECTORS["Messages"] if bytes.fromhex(v["Hex"])[1] in wire.KINDS
]


def plain(value: Any) -> Any:
    """Return a value as vectors.json has it, with names that ignore case and underscores."""
    if dataclasses.is_dataclass(value):
        return {
            f.name.rstrip("_").replace("_", ""): plain(getattr(value, f.name))
            for f in dataclasses.fields(value)
        }
    if isinstance(value, dict):
        return {k.lower(): plain(v) for k, v in value.items()}
    if isinstance(value, (list, np.ndarray)):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, (float, np.floating)) and not math.isfinite(value):
        return {math.inf: "+Inf", -math.inf: "-Inf"}.get(float(value), "NaN")
    return value.item() if isinstance(value, np.generic) else value


def lowered(value: Any) -> Any:
    """Return a value of vectors.json with names in lower case."""
    if isinstance(value, dict):
        return {k.lower(): lowered(v) for k, v in value.items()}
    return [lowered(v) for v in value] if isinstance(value, list) else value


def joined(request: int, body: Any) -> bytes:
    return b"".join(encode(request, body))


@pytest.mark.parametrize("n", range(len(VECTORS["Messages"])))
def test_vector(n: int) -> None:
    vector = VECTORS["Messages"][n]
    data = bytes.fromhex(vector["Hex"])
    request, body = decode(data)
    assert request == vector["ID"]
    assert type(body).__name__.lower() == vector["Kind"].lower()
    assert joined(request, body) == data
    got, want = plain(body), lowered(vector["Body"])
    assert set(got) == set(want)
    for name, value in want.items():
        assert same(got[name], value), name


def same(got: Any, want: Any) -> bool:
    """Compare values; JSON has uint64 as text, and float32 with fewer digits."""
    if isinstance(want, str) and isinstance(got, int):
        return str(got) == want
    if isinstance(want, list):
        return len(got) == len(want) and all(same(g, w) for g, w in zip(got, want, strict=True))
    if isinstance(want, dict):
        return set(got) == set(want) and all(same(got[k], want[k]) for k in want)
    if isinstance(want, float) and isinstance(got, float):
        return got == want or np.float32(got) == np.float32(want)
    return bool(got == want)


@pytest.mark.parametrize("vector", VECTORS["Refused"], ids=lambda v: v["Name"])
def test_refused(vector: dict[str, str]) -> None:
    with pytest.raises(c.WireError, match=vector["Reason"].replace("^", r"\^")):
        decode(bytes.fromhex(vector["Hex"]))


def test_unknown_kind_is_at_the_second_byte() -> None:
    head = bytes.fromhex(VECTORS["Messages"][0]["Hex"])[:1]
    with pytest.raises(c.WireError, match="at byte 1: the kind of message 255 is unknown"):
        decode(head + bytes((255, 0, 0, 0, 0)))


def test_prefixes_are_errors() -> None:
    for vector in VECTORS["Messages"]:
        data = bytes.fromhex(vector["Hex"])
        for n in range(0, len(data), 1 + len(data) // 50):
            with pytest.raises(c.WireError):
                decode(data[:n])


def test_damaged_messages_never_crash() -> None:
    """Whatever the bytes: an error, or a message that is written again as the same bytes."""
    draw = random.Random(7)
    messages = [bytes.fromhex(v["Hex"]) for v in VECTORS["Messages"]]
    for _ in range(4000):
        data = bytearray(draw.choice(messages))
        for _ in range(draw.randint(1, 3)):
            data[draw.randrange(2, len(data))] = draw.choice((0, 1, 2, 7, 127, 128, 255))
        try:
            request, body = decode(data)
        except c.WireError:
            continue
        assert joined(request, body) == data


def test_announced_sizes_allocate_nothing() -> None:
    head = bytes.fromhex(VECTORS["Messages"][0]["Hex"])[:1]
    kind = next(n for n, (cls, _) in wire.KINDS.items() if cls is wire.Predicted)
    with pytest.raises(c.WireError, match="a list has 268435455 elements"):
        decode(head + bytes((kind,)) + bytes(4) + b"\xff\xff\xff\x0f")


@pytest.mark.parametrize(
    "body",
    [
        wire.Release(2**53),
        wire.Release(-(2**53)),
        wire.Judge(judging=wire.Judging(seed=-1)),
        wire.Judge(judging=wire.Judging(seed=2**64)),
        wire.OpenModelFile(path="\udc80"),
    ],
    ids=repr,
)
def test_rejects_values(body: wire.Body) -> None:
    with pytest.raises(ValueError):
        encode(1, body)


def test_rejects_setting_of_unknown_type() -> None:
    with pytest.raises(ValueError, match=r"value: .*str, bool, int and float"):
        encode(1, wire.Failure(details=[wire.Setting("x", None)]))  # type: ignore[arg-type]
