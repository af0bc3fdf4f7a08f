"""Writes slides in the formats of Hamamatsu, Philips, Leica and Ventana, and what OpenSlide reads of them.

Run in this folder: python scanners.py
Made with numpy 2.4.6, Pillow 13.0.0, tifffile 2026.3.3, imagecodecs 2026.3.6 and openslide-bin 4.0.1.2. NAME_N.png is
level N as OpenSlide reads it. far.ndpi has its places 5 GB behind its first 12 bytes, and the bytes between are left
out: OpenSlide reads the same pixels from the whole file.
"""
import io
import os
import struct
import tempfile

import numpy as np
import openslide
import tifffile
from PIL import Image

FAR = 5 << 30
base = np.asarray(Image.open("level_0.png"))
base = np.pad(base, ((0, 10), (0, 10), (0, 0)), mode="edge")  # 160 x 120, whole intervals


def jpeg(picture, interval):
    out = io.BytesIO()
    Image.fromarray(picture).save(out, "JPEG", quality=90, subsampling=1, **({"restart_marker_blocks": interval} if interval
                                                                            else {}))
    return out.getvalue()


def starts(stream):
    """Places of the restart intervals."""
    at = stream.index(b"\xff\xda")
    at += 2 + struct.unpack(">H", stream[at + 2:at + 4])[0]
    places = [at]
    while at + 1 < len(stream):
        if stream[at] == 0xFF and 0xD0 <= stream[at + 1] <= 0xD7:
            places.append(at + 2)
        at += 1
    return places


def ndpi(name, first):
    """Writes a slide whose first directory is at a place. Upper halves of places stand behind each directory."""
    rest = bytearray()

    def put(data):
        rest.extend(b"\0" * (len(rest) % 2))
        rest.extend(data)
        return first + len(rest) - len(data)

    down4, macro = base[::4, ::4], base[::2, :60]
    other = np.roll(base, 40, 1)
    pictures = [(base, 20.0, 0, 5), (other, 20.0, 1500, 5), (down4, 5.0, 0, 0), (macro, -1.0, 0, 0)]
    header = put(b"\0" * 8)
    links = []
    for picture, lens, plane, interval in pictures:
        stream = jpeg(picture, interval)
        strip = put(stream)
        kinds = {"H": 3, "I": 4, "R": 5, "f": 11, "i": 9}
        high, wide = picture.shape[:2]
        tags = [(256, "I", [wide]), (257, "I", [high]), (258, "H", [8, 8, 8]), (259, "H", [7]), (262, "H", [6]),
                (273, "I", [strip]), (277, "H", [3]), (278, "I", [high]), (279, "I", [len(stream)]),
                (282, "R", [(20000, 1)]), (283, "R", [(20000, 1)]), (296, "H", [3]), (65420, "I", [1]),
                (65421, "f", [lens]), (65422, "i", [0]), (65423, "i", [0]), (65424, "i", [plane])]
        if interval:
            places = starts(stream)
            tags.append((65426, "I", places))
        lower, upper = b"", b""
        for tag, kind, values in tags:
            data = b"".join(struct.pack("<II", *v) if kind == "R" else struct.pack("<" + kind, v & 0xFFFFFFFF if kind == "I"
                                                                                  else v) for v in values)
            place = values[0] if kind == "I" and len(values) == 1 else 0
            if len(data) > 4:
                place = put(data)
                data = struct.pack("<I", place & 0xFFFFFFFF)
            lower += struct.pack("<HHI", tag, kinds[kind], len(values)) + data.ljust(4, b"\0")
            upper += struct.pack("<I", place >> 32)
        links.append((put(struct.pack("<H", len(tags)) + lower + b"\0" * 8 + upper), len(tags)))
    for (place, n), (following, _) in zip(links, links[1:]):
        at = place - first + 2 + 12 * n
        rest[at:at + 8] = struct.pack("<Q", following)
    head = b"II*\0" + struct.pack("<Q", links[0][0])
    assert header == first
    with open(name, "wb") as f:
        f.write(head)
        f.seek(first)
        f.write(rest)
    return head + bytes(rest)


def philips(name):
    levels = [np.pad(base, ((0, 8), (0, 0), (0, 0)), constant_values=255), base[::2, ::2], base[::4, ::4]]
    attribute = '<Attribute Name="{}" Group="0x301D" Element="0x1003" PMSVR="IString">{}</Attribute>'.format
    sizes = "".join('<DataObject ObjectType="PixelDataRepresentation">' + attribute(
        "DICOM_PIXEL_SPACING", f'"{.0004 * 2 ** i:.6f}" "{.0004 * 2 ** i:.6f}"') + attribute(
        "PIIM_PIXEL_DATA_REPRESENTATION_NUMBER", i) + "</DataObject>" for i in range(3))
    text = ('<?xml version="1.0" encoding="UTF-8" ?><DataObject ObjectType="DPUfsImport">'
            + '<Attribute Name="PIM_DP_SCANNED_IMAGES" Group="0x301D" Element="0x1003" PMSVR="IDataObjectArray"><Array>'
            + '<DataObject ObjectType="DPScannedImage">' + attribute("PIM_DP_IMAGE_TYPE", "WSI")
            + attribute("DICOM_PIXEL_SPACING", '"0.000400" "0.000400"')
            + '<Attribute Name="PIIM_PIXEL_DATA_REPRESENTATION_SEQUENCE" Group="0x1001" Element="0x8B01"'
            + ' PMSVR="IDataObjectArray"><Array>' + sizes + "</Array></Attribute></DataObject></Array></Attribute>"
            + "</DataObject>")
    with tifffile.TiffWriter(name) as f:
        for i, level in enumerate(levels):
            high, wide = -level.shape[0] % 32, -level.shape[1] % 32
            padded = level if i == 0 else np.pad(level, ((0, high), (0, wide), (0, 0)), constant_values=255)
            f.write(padded, tile=(32, 32), photometric="ycbcr", subsampling=(1, 1), compression="jpeg",
                    compressionargs={"level": 90}, metadata=None, software="Philips DP v1.0" if i == 0 else False,
                    description=text if i == 0 else f"level={i}", subfiletype=int(i > 0))
        f.write(base[:60, :60], photometric="ycbcr", subsampling=(1, 1), compression="jpeg", rowsperstrip=60,
                metadata=None, description="Macro", software=False, subfiletype=1)


def leica(name):
    # 500 nm a pixel. The glass has 260 x 220 pixels; one area is 160 x 120, another 40 x 60.
    areas = [(20, 40, base), (200, 100, np.roll(base, 30, 1)[:60, :40])]
    def image(k, view, dims, source="brightfield", objective=20):
        left, top, wide, high = (500 * v for v in view)
        sizes = "".join(f'<dimension sizeX="{w}" sizeY="{h}" r="{r}" ifd="{ifd}"/>' for r, (w, h, ifd) in enumerate(dims))
        return (f'<image name="image_{k}" uuid="urn:uuid:{k}"><device model="SCN400;1.0" version="1.5"/>'
                f'<pixels sizeX="{dims[0][0]}" sizeY="{dims[0][1]}">{sizes}</pixels>'
                f'<view sizeX="{wide}" sizeY="{high}" offsetX="{left}" offsetY="{top}" spacingZ="0"/>'
                f'<scanSettings><objectiveSettings><objective>{objective}</objective></objectiveSettings><illuminationSettings>'
                f'<numericalAperture>0.4</numericalAperture><illuminationSource>{source}</illuminationSource>'
                f'</illuminationSettings></scanSettings></image>')
    images = image(0, (0, 0, 260, 220), [(65, 55, 0)], objective=1)
    ifd = 1
    for k, (left, top, pixels) in enumerate(areas):
        high, wide = pixels.shape[:2]
        images += image(k + 1, (left, top, wide, high), [(wide, high, ifd), (wide // 4, high // 4, ifd + 1)])
        ifd += 2
    text = ('<?xml version="1.0"?><scn xmlns="http://www.leica-microsystems.com/scn/2010/10/01" uuid="urn:uuid:s">'
            f'<collection name="c" uuid="urn:uuid:c" sizeX="130000" sizeY="110000">{images}</collection></scn>')
    with tifffile.TiffWriter(name, bigtiff=True) as f:
        def write(pixels, **more):
            f.write(pixels, tile=(32, 32), photometric="ycbcr", subsampling=(1, 1), compression="jpeg",
                    compressionargs={"level": 90}, metadata=None, software=False, **more)
        write(np.full((55, 65, 3), 200, "u1"), description=text)
        for _, _, pixels in areas:
            write(pixels)
            write(pixels[::4, ::4])


def ventana(name, overlap=(8, 4), planes=1):
    # Tiles of 32 pixels, each of another brightness. Areas of 4 x 3 and 2 x 2 tiles; the third was not scanned. y grows
    # upward in the description, and tiles are numbered from the lower left, every second row from right to left.
    grid = np.full((4 * 32, 7 * 32, 3), 255, "u1")
    areas = [(0, 0, 4, 3, 12, 40), (5, 1, 2, 2, 132, 20)]
    infos = origins = ""
    for k, (column, row, across, down, x, y) in enumerate(areas + [(0, 3, 1, 1, 0, 0)]):
        numbers = {}
        for n in range(across * down):
            r, c = divmod(n, across)
            numbers[c if r % 2 == 0 else across - 1 - c, down - 1 - r] = n + 1
        joints = ""
        for (c, r), n in numbers.items():
            for way, other in (("RIGHT", (c + 1, r)), ("UP", (c, r - 1))):
                if other in numbers:
                    joints += (f'<TileJointInfo FlagJoined="1" Confidence="{90 + n}" Direction="{way}" Tile1="{n}" '
                               f'Tile2="{numbers[other]}" OverlapX="{overlap[0] if way == "RIGHT" else 0}" '
                               f'OverlapY="{overlap[1] if way == "UP" else 0}"/>')
            if k < len(areas):
                pixels = base[28 * r:28 * r + 32, 24 * c:24 * c + 32]
                lighter = np.clip(pixels.astype(int) + 9 * n - 50, 0, 255)
                grid[32 * (row + r):, 32 * (column + c):][:32, :32] = lighter
        infos += (f'<ImageInfo AOIScanned="{int(k < len(areas))}" AOIIndex="{k}" Width="32" Height="32" NumRows="{down}" '
                  f'NumCols="{across}" Pos-X="{x}" Pos-Y="{y}">{joints}</ImageInfo>')
        origins += f'<AOI{k} OriginX="{32 * column}" OriginY="{32 * row}"/>'
    scan = f'<iScan Magnification="20" ScanRes="0.465" Z-layers="{planes}" UnitNumber="1"/>'
    info = (f'<?xml version="1.0"?><EncodeInfo Ver="2"><SlideStitchInfo>{infos}</SlideStitchInfo>'
            f'<AoiOrigin>{origins}</AoiOrigin></EncodeInfo>')
    with tifffile.TiffWriter(name, bigtiff=True) as f:
        def write(pixels, description, xml=None, **more):
            more = {"tile": (32, 32), **more}
            f.write(pixels, photometric="ycbcr", subsampling=(1, 1), compression="jpeg", compressionargs={"level": 90},
                    metadata=None, software=False, description=description,
                    extratags=[(700, 1, len(xml), xml.encode(), True)] if xml else [], **more)
        write(np.full((40, 64, 3), 200, "u1"), "Label_Image", scan, tile=None, rowsperstrip=40)
        write(grid, "level=0 mag=20 quality=90", info)
        write(grid[::4, ::4], "level=1 mag=5 quality=90")


def save(name, wanted):
    slide = openslide.OpenSlide(name)
    assert slide.properties["openslide.vendor"] == wanted, slide.properties
    for level, (wide, high) in enumerate(slide.level_dimensions):
        yield level, (wide, high), slide.read_region((0, 0), level, (wide, high)).convert("RGB"), slide


ndpi("hamamatsu.ndpi", 12)
with tempfile.TemporaryDirectory() as folder:
    whole = os.path.join(folder, "far.ndpi")
    short = ndpi(whole, FAR)
    open("far.ndpi", "wb").write(short)
    far = openslide.OpenSlide(whole)
    near = openslide.OpenSlide("hamamatsu.ndpi")
    assert far.read_region((0, 0), 0, far.dimensions).tobytes() == near.read_region((0, 0), 0, near.dimensions).tobytes()
for level, size, picture, slide in save("hamamatsu.ndpi", "hamamatsu"):
    print(size, slide.properties.get("openslide.mpp-x"), slide.properties.get("openslide.objective-power"),
          list(slide.associated_images))
    if size in ((160, 120), (40, 30)):
        picture.save(f"hamamatsu_{int(size[0] == 40)}.png")
philips("philips.tif")
for level, size, picture, slide in save("philips.tif", "philips"):
    print(size, slide.properties.get("openslide.mpp-x"), list(slide.associated_images))
    picture.save(f"philips_{level}.png")
leica("leica.scn")
for level, size, picture, slide in save("leica.scn", "leica"):
    print(size, slide.properties.get("openslide.bounds-x"), list(slide.associated_images))
    glass = slide.read_region((0, 0), level, size)
    white = Image.new("RGBA", size, "white")
    Image.alpha_composite(white, glass).convert("RGB").save(f"leica_{level}.png")
ventana("ventana.bif")
for level, size, picture, slide in save("ventana.bif", "ventana"):
    print(size, slide.properties.get("openslide.mpp-x"), list(slide.associated_images))
    tiles = slide.read_region((0, 0), level, size)
    white = Image.new("RGBA", size, "white")
    Image.alpha_composite(white, tiles).convert("RGB").save(f"ventana_{level}.png")
