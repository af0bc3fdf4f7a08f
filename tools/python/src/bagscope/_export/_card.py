"""The model card inside of an ONNX file."""

from __future__ import annotations

import json
from typing import Any


def append_card(model: bytes, card: dict[str, Any]) -> bytes:
    """Add a card to the metadata of an ONNX file.

    Messages of protocol buffers are merged if their bytes are joined, so that an entry of
    ``ModelProto.metadata_props`` (field 14) can be appended without decoding the file.
    """
    if not card:
        return model
    text = json.dumps(card, ensure_ascii=False, sort_keys=True).encode()
    entry = _field(1, b"bagscope") + _field(2, text)
    return model + _field(14, entry)


def _field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(n: int) -> bytes:
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)
