"""Reads the golden files of core/dicomout by highdicom and pydicom, and writes highdicom.json.

python read.py, with highdicom 0.28 and pydicom 3.0.
"""

import json
from pathlib import Path

import highdicom as hd
import numpy as np
import pydicom

here = Path(__file__).parent
bags = ("volume", "glass", "radiograph")


def segmentation(name):
    """Return what each frame of a map shows, and the picture of each segment."""
    file = hd.seg.segread(here / f"{name}.seg.dcm")
    frames = []
    for groups, pixels in zip(file.PerFrameFunctionalGroupsSequence, file.pixel_array, strict=True):
        source = groups.DerivationImageSequence[0].SourceImageSequence[0]
        number = groups.SegmentIdentificationSequence[0].ReferencedSegmentNumber
        frame = {
            "source": source.ReferencedSOPInstanceUID,
            "segment": file.get_segment_description(number).SegmentLabel,
            "values": np.unique(pixels).tolist(),
        }
        if "PlanePositionSequence" in groups:
            position = groups.PlanePositionSequence[0].ImagePositionPatient
            frame["position"] = [float(v) for v in position]
        frames.append(frame)
    out = {"frames": frames}
    if name == "volume":
        uids = [f"2.25.10{i}" for i in range(5)]
        pixels = file.get_pixels_by_source_instance(
            uids, assert_missing_frames_are_empty=True, rescale_fractional=False
        )
        assert (pixels == pixels[:, :1, :1]).all()
        out["volume"] = pixels[:, 0, 0].tolist()
    elif name == "glass":
        pixels = file.get_total_pixel_matrix(rescale_fractional=False)
        out["size"] = list(pixels.shape)
        boxes = []
        for row, column, segment in np.argwhere(pixels):
            corner = pixels[max(row - 1, 0) : row + 1, max(column - 1, 0) : column + 1, segment]
            level = pixels[row, column, segment]
            if (corner == level).sum() == 1:  # the upper left corner of a patch
                boxes.append([int(row), int(column), int(segment), int(level)])
        out["corners"] = boxes
        out["pixels"] = int((pixels > 0).sum())
    else:
        out["picture"] = file.pixel_array.tolist()
    return out


def report(name):
    """Return the measurement groups of a report."""
    file = hd.sr.srread(here / f"{name}.sr.dcm")
    evidence = [
        item.ReferencedSOPInstanceUID
        for study in file.CurrentRequestedProcedureEvidenceSequence
        for series in study.ReferencedSeriesSequence
        for item in series.ReferencedSOPSequence
    ]
    slices = file.content.get_image_measurement_groups()
    regions = file.content.get_planar_roi_measurement_groups()
    groups = []
    for g in slices + regions:
        group = {
            "instance": g.tracking_identifier,
            "finding": g.finding_type.meaning,
            "measurements": [[m.name.meaning, m.value, m.unit.value] for m in g.get_measurements()],
        }
        if g in slices:
            group["sources"] = [s.referenced_sop_instance_uid for s in g.source_images]
        else:
            group["region"] = g.roi.value.tolist()
        groups.append(group)
    return {"evidence": evidence, "groups": groups}


def empty(name, kind):
    """Return the identifying attributes of a file that are not empty."""
    file = pydicom.dcmread(here / f"{name}.{kind}.dcm")
    words = ("Patient", "Study", "Accession", "Physician")
    return [e.keyword for e in file if e.keyword.startswith(words) and e.value]


found = {
    name: {
        "seg": segmentation(name),
        "sr": report(name),
        "identifiers": sorted({*empty(name, "seg"), *empty(name, "sr")}),
    }
    for name in bags
}
(here / "highdicom.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
