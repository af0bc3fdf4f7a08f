"""Writes dicom/: level_0.png and level_1.png as a whole slide of DICOM, with a label.

    pip install pydicom==3.0.2 numpy pillow
    python dicom.py
"""

import pathlib

import numpy
import PIL.Image
import pydicom
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import RLELossless, VLWholeSlideMicroscopyImageStorage

HERE = pathlib.Path(__file__).parent
TILE = 64


def write(name, kind, pixels, microns, sparse):
    high, wide, _ = pixels.shape
    across, down = -(-wide // TILE), -(-high // TILE)
    padded = numpy.zeros((down * TILE, across * TILE, 3), "u1")
    padded[:high, :wide] = pixels
    tiles = padded.reshape(down, TILE, across, TILE, 3).swapaxes(1, 2).reshape(-1, TILE, TILE, 3)
    d = Dataset()
    d.file_meta = FileMetaDataset()
    d.file_meta.MediaStorageSOPClassUID = d.SOPClassUID = VLWholeSlideMicroscopyImageStorage
    d.file_meta.MediaStorageSOPInstanceUID = d.SOPInstanceUID = f"1.2.3.{len(name)}{high}"
    d.file_meta.TransferSyntaxUID = RLELossless
    d.SeriesInstanceUID, d.Modality = "1.2.3", "SM"
    d.PatientName = "MARKED^NAME"
    d.ImageType = ["DERIVED", "PRIMARY", kind, "NONE"]
    d.Rows = d.Columns = TILE
    d.TotalPixelMatrixColumns, d.TotalPixelMatrixRows = wide, high
    d.SamplesPerPixel, d.PhotometricInterpretation, d.PlanarConfiguration = 3, "RGB", 0
    d.BitsAllocated = d.BitsStored = 8
    d.HighBit, d.PixelRepresentation = 7, 0
    d.DimensionOrganizationType = "TILED_SPARSE" if sparse else "TILED_FULL"
    measures, shared = Dataset(), Dataset()
    measures.PixelSpacing = [microns / 1000, microns / 1000]
    shared.PixelMeasuresSequence = [measures]
    d.SharedFunctionalGroupsSequence = [shared]
    order = numpy.arange(len(tiles))
    if sparse:
        order = order[::-1]
        d.PerFrameFunctionalGroupsSequence = []
        for i in order:
            place, frame = Dataset(), Dataset()
            place.ColumnPositionInTotalImagePixelMatrix = int(i % across) * TILE + 1
            place.RowPositionInTotalImagePixelMatrix = int(i // across) * TILE + 1
            frame.PlanePositionSlideSequence = [place]
            d.PerFrameFunctionalGroupsSequence.append(frame)
    d.NumberOfFrames = len(tiles)
    frames = tiles[order] if len(tiles) > 1 else tiles[0]
    d.compress(RLELossless, arr=frames, generate_instance_uid=False)
    d.save_as(HERE / "dicom" / name, enforce_file_format=True)


(HERE / "dicom").mkdir(exist_ok=True)
for level in range(2):
    picture = numpy.asarray(PIL.Image.open(HERE / f"level_{level}.png").convert("RGB"))
    write(f"{level}.dcm", "VOLUME", picture, 0.5 * 2**level, level == 1)
write("label.dcm", "LABEL", picture[:20, :30], 25, False)
