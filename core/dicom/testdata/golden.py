"""Writes pydicom.json: what pydicom 3.0.2 reads of each of its own test files.

    pip install pydicom==3.0.2 numpy pillow pylibjpeg==2.1.0 \\
        pylibjpeg-openjpeg==2.6.0 pylibjpeg-libjpeg==2.5.0 pyjpegls==1.5.1 imagecodecs==2026.3.6
    python golden.py > pydicom.json

Each file has a hash of the pixels as float32, row by row, colours last, and one of them after the
modality LUT. JPEG pictures, and those of JPEG 2000 with loss, have a sample of their pixels instead,
because decoders differ by a level. "refused" files have pixels that pydicom needs a further decoder
for, or none.
"""

import hashlib
import json
import pathlib
import warnings

import imagecodecs
import numpy
import pydicom
from pydicom.pixels import apply_color_lut, apply_modality_lut, apply_voi_lut

warnings.simplefilter("ignore")
FOLDER = pathlib.Path(pydicom.__file__).parent / "data" / "test_files"
SAMPLES = 64


def digest(values):
    return hashlib.sha256(numpy.asarray(values, "<f4").tobytes()).hexdigest()[:16]


def sample(values):
    """Values at places of equal distance."""
    flat = numpy.asarray(values, "f8").ravel()
    return [round(float(flat[i * flat.size // SAMPLES]), 4) for i in range(SAMPLES)]


def exact_stream(d):
    """Whether all decoders agree: lossless ones, and JPEG 2000 with the reversible transform."""
    if any(kind in d.file_meta.TransferSyntaxUID.keyword for kind in ("JPEGLS", "JPEGLossless")):
        return True
    style = d.PixelData.find(b"\xff\x52")
    keyword = d.file_meta.TransferSyntaxUID.keyword
    return "JPEG2000" in keyword and d.PixelData[style + 13] == 1


def describe(path):
    d = pydicom.dcmread(path, force=True)
    if not getattr(d, "file_meta", None) or "TransferSyntaxUID" not in d.file_meta:
        d.ensure_file_meta()
        little, implicit = d.original_encoding[1], d.original_encoding[0]
        d.file_meta.TransferSyntaxUID = (
            pydicom.uid.ImplicitVRLittleEndian if implicit
            else pydicom.uid.ExplicitVRLittleEndian if little
            else pydicom.uid.ExplicitVRBigEndian)
    if d.file_meta.TransferSyntaxUID == pydicom.uid.JPEGBaseline8Bit:
        d.pixel_array_options(decoding_plugin="pillow")
    if d.file_meta.TransferSyntaxUID == pydicom.uid.JPEGExtended12Bit:
        # pylibjpeg refuses JPEG-lossy.dcm, whose scan states another range of coefficients.
        stream = next(pydicom.encaps.generate_frames(d.PixelData, number_of_frames=1))
        pixels = imagecodecs.jpeg8_decode(stream)
    else:
        pixels = d.pixel_array
    out = {"shape": list(pixels.shape)}
    exact = "JPEG" not in d.file_meta.TransferSyntaxUID.keyword or exact_stream(d)
    key = "hash" if exact else "sample"
    write = sample if key == "sample" else digest
    out[key] = write(pixels)
    if d.SamplesPerPixel > 1:
        return out
    if d.PhotometricInterpretation == "PALETTE COLOR":
        colours = apply_color_lut(pixels, d)
        out["colours"] = write(colours >> (8 if colours.dtype.itemsize == 2 else 0))
        return out
    rescaled = apply_modality_lut(pixels, d)
    out["rescaled_" + key] = write(rescaled)
    if "WindowCenter" in d:
        shown = apply_voi_lut(rescaled, d).astype("f8")
        first = shown[0] if pixels.ndim == 3 else shown
        first = first - (d.get("RescaleIntercept", 0) if "ModalityLUTSequence" not in d else 0)
        scale = 2 ** d.BitsStored - 1
        if d.PixelRepresentation:
            first = first + 2 ** (d.BitsStored - 1)
        first = first / (scale * float(d.get("RescaleSlope", 1) or 1))
        inverted = d.PhotometricInterpretation == "MONOCHROME1"
        out["window"] = sample(1 - first if inverted else first)
    return out


def main():
    files = {}
    for path in sorted(FOLDER.rglob("*")):
        if not path.is_file() or path.suffix not in (".dcm", "") or "TINY" in str(path):
            continue
        name = path.relative_to(FOLDER).as_posix()
        try:
            files[name] = describe(path)
        except Exception as error:
            files[name] = {"refused": True, "why": type(error).__name__}
    print(json.dumps(files, indent=None, separators=(",", ":")))


main()
