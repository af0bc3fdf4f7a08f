"""Writes boxes.ttf: a font in which every letter is the same box, so that pictures of pages do not depend on a machine's fonts.

Needs fontTools. Prints nothing; the file is the same whenever it is made.
"""

from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable

EM = 1000
BLANK = {0x20, 0xA0, *range(0x2000, 0x2010), 0x202F, 0x205F, 0x3000, 0xFEFF}


def glyph(box):
    pen = TTGlyphPen(None)
    if box:
        left, bottom, right, top = box
        pen.moveTo((left, bottom))
        for point in ((left, top), (right, top), (right, bottom)):
            pen.lineTo(point)
        pen.closePath()
    return pen.glyph()


builder = FontBuilder(EM, isTTF=True)
names = [".notdef", "box", "blank"]
builder.setupGlyphOrder(names)
# Every character is one of two glyphs: a table of ranges says so in a few bytes.
table = CmapSubtable.newSubtable(13)
table.platformID, table.platEncID, table.language, table.format = 3, 10, 0, 13
table.cmap = {c: "blank" if c in BLANK else "box" for c in range(0x20, 0x20000)}
builder.setupCharacterMap({})
builder.font["cmap"].tables = [table]
box = glyph((40, 0, 480, 520))
builder.setupGlyf({".notdef": box, "box": box, "blank": glyph(None)})
builder.setupHorizontalMetrics({".notdef": (520, 40), "box": (520, 40), "blank": (260, 0)})
builder.setupHorizontalHeader(ascent=900, descent=-250)
builder.setupNameTable({"familyName": "Boxes", "styleName": "Regular"})
builder.setupOS2(sTypoAscender=900, sTypoDescender=-250, usWinAscent=900, usWinDescent=250, sxHeight=520)
builder.setupPost(keepGlyphNames=False)
builder.font["head"].created = builder.font["head"].modified = 0
builder.font.recalcTimestamp = False
builder.save(Path(__file__).parent / "boxes.ttf")
