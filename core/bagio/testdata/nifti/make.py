"""Writes DICOM series and the NIfTI volumes that dcm2niix makes of them, and nibabel.json.

    pip install dcm2niix==1.0.20260724 pydicom==3.0.2 nibabel==5.4.2 && python make.py

A bag of a volume must be the bag of its series. nibabel.json has what nibabel reads of its own test
files: the canonical (RAS) values, turned as in DICOM files.
"""

import hashlib
import json
import pathlib
import subprocess
import tempfile
import zipfile

import nibabel
import numpy
import pydicom
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian

HERE = pathlib.Path(__file__).parent
SERIES = {
    "axial": ([1, 0, 0], [0, 1, 0]),
    "coronal": ([1, 0, 0], [0, 0, -1]),
    "sagittal": ([0, 1, 0], [0, 0, -1]),
    "oblique": ([0.96, 0.28, 0], [-0.224, 0.768, 0.6]),
}


def write_slice(path, number, rows, across, pixels, rescale):
    d = Dataset()
    d.file_meta = FileMetaDataset()
    d.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    d.file_meta.MediaStorageSOPClassUID = d.SOPClassUID = CTImageStorage
    d.file_meta.MediaStorageSOPInstanceUID = d.SOPInstanceUID = f"1.2.826.0.1.3680043.8.498.1.{number}"
    d.StudyInstanceUID = d.SeriesInstanceUID = d.FrameOfReferenceUID = "1.2.826.0.1.3680043.8.498.1"
    d.Modality, d.SeriesNumber, d.InstanceNumber = "CT", 1, number
    d.PatientID = d.PatientName = "phantom"
    d.Manufacturer = "none"
    normal = numpy.cross(rows, across)
    d.ImagePositionPatient = [round(float(v), 4) for v in numpy.array([-7.0, 3, 11]) + 2.5 * number * normal]
    d.ImageOrientationPatient = [float(v) for v in [*rows, *across]]
    d.PixelSpacing, d.SliceThickness = [1.25, 0.75], 2.5
    d.SamplesPerPixel, d.PhotometricInterpretation = 1, "MONOCHROME2"
    d.Rows, d.Columns = pixels.shape
    d.BitsAllocated = d.BitsStored = 16
    d.HighBit, d.PixelRepresentation = 15, 1
    d.RescaleSlope, d.RescaleIntercept = rescale
    d.PixelData = pixels.astype("<i2").tobytes()
    d.save_as(path, enforce_file_format=True)


def write_series(name, rows, across):
    random = numpy.random.default_rng(sum(name.encode()))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "in").mkdir()
        for number in range(4):
            pixels = random.integers(-1000, 2000, (5, 3))
            write_slice(folder / "in" / f"{number}.dcm", number, rows, across, pixels, (2, -5))
        subprocess.run(["dcm2niix", "-b", "n", "-z", "n", "-f", name, "-o", folder, folder / "in"], check=True,
                       stdout=subprocess.DEVNULL)
        with zipfile.ZipFile(HERE / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted((folder / "in").iterdir()):
                archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)
        (HERE / f"{name}.nii").write_bytes((folder / f"{name}.nii").read_bytes())


def canonical(image, volume):
    """Slices across the third stored axis, turned as in DICOM files."""
    codes = nibabel.aff2axcodes(image.affine)
    order = {"SI": "SPL", "AP": "PIL", "LR": "RIP"}
    want = next(v for k, v in order.items() if codes[2] in k)
    to = nibabel.orientations.ornt_transform(nibabel.io_orientation(image.affine),
                                             nibabel.orientations.axcodes2ornt(want))
    values = numpy.asarray(image.dataobj[..., volume] if image.ndim > 3 else image.dataobj, "f8")
    return nibabel.apply_orientation(values, to)


def main():
    for name, (rows, across) in SERIES.items():
        write_series(name, rows, across)
    data = pathlib.Path(nibabel.__file__).parent / "tests" / "data"
    table = {}
    for path in sorted(data.glob("*.nii*")):
        image = nibabel.load(path)
        if image.ndim not in (3, 4):
            table[path.name] = {"refused": True}
            continue
        values = canonical(image, 1 if image.ndim > 3 else 0)
        if not numpy.isfinite(values).all():
            table[path.name] = {"refused": True}
            continue
        table[path.name] = {"shape": values.shape, "volumes": image.shape[3] if image.ndim > 3 else 1,
                            "hash": hashlib.sha256(values.astype("<f4").tobytes()).hexdigest()[:16]}
    (HERE / "nibabel.json").write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
