"""DICOM files about a series, read again by their bytes."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from conftest import ROOT, TINY, TINY_BAGS

import bagscope

DIGITS = ROOT / "examples/digits/model.onnx"


def element(tag: int, vr: str, value: bytes) -> bytes:
    """Return an attribute in explicit VR, little endian."""
    value += b"\0" * (len(value) % 2)
    head = struct.pack("<HH", tag >> 16, tag & 0xFFFF) + vr.encode()
    length = struct.pack("<HI", 0, len(value)) if vr == "OW" else struct.pack("<H", len(value))
    return head + length + value


def series(folder: Path) -> Path:
    """Write three slices of 28 x 28 pixels, and return their folder."""
    for i in range(3):
        pixels = bytes((p * (i + 3) // 7) % 256 if i % 2 == 0 else 0 for p in range(28 * 28))
        attributes = (
            (0x00080016, "UI", b"1.2.840.10008.5.1.4.1.1.2"),
            (0x00080018, "UI", b"2.25.80%d" % i),
            (0x00080060, "CS", b"CT"),
            (0x00100010, "PN", b"DOE^JANE"),
            (0x0020000D, "UI", b"2.25.70"),
            (0x0020000E, "UI", b"2.25.71"),
            (0x00280002, "US", struct.pack("<H", 1)),
            (0x00280004, "CS", b"MONOCHROME2 "),
            (0x00280010, "US", struct.pack("<H", 28)),
            (0x00280011, "US", struct.pack("<H", 28)),
            (0x00280100, "US", struct.pack("<H", 8)),
            (0x7FE00010, "OW", pixels),
        )
        meta = element(0x00020010, "UI", b"1.2.840.10008.1.2.1")
        data = b"".join(element(*a) for a in attributes)
        (folder / f"{i}.dcm").write_bytes(b"\0" * 128 + b"DICM" + meta + data)
    return folder


def test_files_refer_to_the_slices(tmp_path: Path) -> None:
    """A map and a report have the UIDs of the series, and the patient's name only if asked for."""
    folder = tmp_path / "series"
    folder.mkdir()
    e = bagscope.explain(DIGITS, bagscope.Bag(series(folder)), method="single")
    e.save(tmp_path / "map.dcm")
    e.save(tmp_path / "report.sr.dcm")
    for name, uid in (
        ("map.dcm", b"1.2.840.10008.5.1.4.1.1.66.4"),
        ("report.sr.dcm", b"1.2.840.10008.5.1.4.1.1.88.33"),
    ):
        file = (tmp_path / name).read_bytes()
        assert file[128:132] == b"DICM"
        assert uid in file
        assert b"2.25.70" in file
        assert b"2.25.800" in file
        assert bagscope.__version__.encode() in file
        assert b"DOE^JANE" not in file
    assert b"DOE^JANE" in e.dicom("sr", identifiers=folder / "0.dcm")
    one = e.dicom("sr", top=1)
    assert one.count(b"Measurement Group") == 1 < e.dicom("sr").count(b"Measurement Group")
    assert e.dicom(colours="green-red") != e.dicom(colours="blue-orange")
    with pytest.raises(bagscope.SettingError, match="rtss"):
        e.dicom("rtss")


def test_a_bag_of_another_format_is_refused() -> None:
    """A table has no pictures to refer to."""
    e = bagscope.explain(TINY, bagscope.Bag(TINY_BAGS), method="single")
    with pytest.raises(bagscope.BagError, match="not slices or patches of DICOM files"):
        e.dicom()
