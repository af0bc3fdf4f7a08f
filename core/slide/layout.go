package slide

import (
	"fmt"
	"image"
	"slices"
	"sync/atomic"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A compression of TIFF.
const (
	uncompressed    = 1
	byFax3          = 3
	byFax4          = 4
	byLZW           = 5
	byOldJPEG       = 6
	byJPEG          = 7
	byDeflate       = 8
	byAperioYCC     = 33003 // JPEG 2000
	byAperioRGB     = 33005 // JPEG 2000
	byOtherJPEG2000 = 33004
	byLERC          = 34887
	byLZMA          = 34925
	byPackBits      = 32773
	byOldDeflate    = 32946
	byJPEG2000      = 34712
	byZstandard     = 50000
	byWebP          = 50001
	byJPEGXL        = 50002
)

// compressions names the compressions that are not read.
var compressions = map[uint64]string{2: "fax compression of TIFF's own",
	byOldJPEG: "compression by the JPEG of TIFF 6.0", byOtherJPEG2000: "compression by JPEG 2000",
	byJPEG2000: "compression by JPEG 2000", byLERC: "compression by LERC",
	byJPEGXL: "compression by JPEG XL"}

// Colours of a picture (TIFF 6.0, PhotometricInterpretation).
const (
	whiteIsZero = 0
	blackIsZero = 1
	isRGB       = 2
	isPalette   = 3
	isCMYK      = 5
	isYCbCr     = 6
)

// What samples are (TIFF 6.0, SampleFormat).
const (
	whole  = 1 // unsigned
	signed = 2
	real   = 3
)

// A layout says how the pixels of a directory are stored.
type layout struct {
	*directory
	what          string // "level 0", for messages
	width, height int
	block         image.Point // size of a block: a tile, or a strip as wide as the picture
	tiled         bool
	oneStrip      bool // one strip holds all rows as they are; a block is a part of it
	samples, bits int  // values of a pixel, bits of each
	planes        bool // each sample has blocks of its own
	alpha         bool // the last sample is the opacity
	multiplied    bool // colours are multiplied with their opacity
	reversed      bool // the first pixel of a byte is in its lowest bit
	compression   uint64
	photometric   uint64
	predictor     uint64
	tables        []byte        // JPEG tables that all blocks share, or nil
	colours       []byte        // the palette: all reds, then all greens, then all blues
	largest       atomic.Uint32 // sample of 16 bits in the blocks that were decoded
	format        uint64        // the samples of bands are whole, signed or real
	pages         []*layout     // one for each band, if each is a picture of its own, or nil
	// tile decodes a block that is a file of its own; nil for blocks of a TIFF file.
	tile func(column, row int) (*image.RGBA, error)
}

// layoutOf reads the layout of a picture. what names it in messages.
func layoutOf(d *directory, what string) (*layout, error) {
	l := &layout{directory: d, what: what, tiled: d.has(tagTileWidth)}
	for _, f := range []struct {
		tag       uint16
		otherwise uint64
		most      uint64
		set       func(uint64)
	}{
		{tagWidth, 0, 1<<31 - 1, func(v uint64) { l.width = int(v) }},
		{tagHeight, 0, 1<<31 - 1, func(v uint64) { l.height = int(v) }},
		{tagSamples, 1, d.mostSamples(), func(v uint64) { l.samples = int(v) }},
		{tagBits, 1, 64, func(v uint64) { l.bits = int(v) }},
		{tagCompression, uncompressed, 1 << 16,
			func(v uint64) { l.compression = max(v, uncompressed) }},
		{tagPhotometric, blackIsZero, 1 << 16, func(v uint64) { l.photometric = v }},
		{tagPredictor, 1, 3, func(v uint64) { l.predictor = v }},
		{tagPlanes, 1, 2, func(v uint64) { l.planes = v == 2 }},
		{tagFillOrder, 1, 2, func(v uint64) { l.reversed = v == 2 }},
	} {
		v, err := d.number(f.tag, f.otherwise)
		if err != nil {
			return nil, err
		}
		if v > f.most {
			what, way := fmt.Sprintf("the value %d of tag %d", v, f.tag), byVips+convert
			if f.tag == tagSamples {
				what, way = fmt.Sprintf("%d channels", v), d.fewerChannels(int(v))
			}
			return nil, unsupported(d.name, what, way)
		}
		f.set(v)
	}
	if l.width == 0 || l.height == 0 {
		return nil, bad(d.name, "%s has no pixels", what)
	}
	if err := l.readBlockSize(); err != nil {
		return nil, err
	}
	check := l.checkSamples
	if d.bands {
		check = l.checkBands
	}
	if err := check(); err != nil {
		return nil, err
	}
	l.planes = l.planes && l.samples > 1
	if l.photometric == isPalette && !d.bands {
		if err := l.readColours(); err != nil {
			return nil, err
		}
	}
	if l.compression == byJPEG && d.has(tagJPEGTables) {
		var err error
		if l.tables, err = d.raw(tagJPEGTables, mostTables); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// mostSamples returns the most samples of a pixel that are read: of a colour, or bands.
func (d *directory) mostSamples() uint64 {
	if d.bands {
		return core.MostBands
	}
	return 4
}

// partPixels are the pixels of a part of a strip that holds the whole picture.
const partPixels = 1 << 20

// readBlockSize reads the size of tiles or strips and checks their number.
func (l *layout) readBlockSize() error {
	wide, high := uint64(l.width), uint64(l.height)
	offsets, counts := uint16(tagStripOffsets), uint16(tagStripBytes)
	if l.tiled {
		var err error
		if wide, err = l.number(tagTileWidth, 0); err != nil {
			return err
		}
		if high, err = l.number(tagTileHeight, 0); err != nil {
			return err
		}
		offsets, counts = tagTileOffsets, tagTileBytes
	} else if rows, err := l.number(tagStripRows, high); err != nil {
		return err
	} else {
		high = min(high, rows)
	}
	if wide == 0 || high == 0 {
		return bad(l.name, "a block of %s has no pixels", l.what)
	}
	if l.compression == uncompressed && !l.tiled && high == uint64(l.height) {
		l.oneStrip = true
		high = min(high, max(1, partPixels/wide))
	}
	if most := uint64(l.most); wide > most || high > most/wide {
		return tooLarge(l.name, "a block of "+l.what, int64(min(wide, 1<<62)),
			int64(min(high, 1<<62)), l.most)
	}
	l.block = image.Pt(int(wide), int(high))
	across, down := l.grid()
	need := uint64(across) * uint64(down)
	if l.oneStrip {
		need = 1
	}
	if l.planes {
		need *= uint64(l.samples)
	}
	if l.count(offsets) < need || l.count(counts) < need {
		return bad(l.name, "%s needs %d blocks, but %d places and %d lengths are stored", l.what,
			need, l.count(offsets), l.count(counts))
	}
	return nil
}

// checkSamples returns an *UnsupportedError for pixels that are not read.
func (l *layout) checkSamples() error {
	unsupported := func(way, format string, args ...any) error {
		return unsupported(l.name, msg.Sprintf(format, args...), way)
	}
	no := func(format string, args ...any) error {
		return unsupported(byVips+convert, format, args...)
	}
	what, known := compressions[l.compression]
	switch {
	case l.compression == byLERC:
		return unsupported(unpacked, "%s", what)
	case known && l.compression != byOldJPEG && l.compression > 2:
		return unsupported(l.byCodecs(), "%s", what)
	case l.byAperio() && l.samples != 3:
		return no("%d channels of JPEG 2000", l.samples)
	case known:
		return no("%s", what)
	}
	switch l.compression {
	case uncompressed, byLZW, byJPEG, byDeflate, byOldDeflate, byPackBits, byZstandard, byLZMA,
		byWebP, byAperioYCC, byAperioRGB:
	case byFax3, byFax4:
		if options, err := l.number(tagFaxOptions, 0); err != nil ||
			l.bits != 1 || l.samples != 1 ||
			l.compression == byFax3 && options&1 != 0 || l.photometric > blackIsZero {
			return no("fax compression in two dimensions, or of other pixels than black and white")
		}
	default:
		return no("the compression %d of TIFF", l.compression)
	}
	if err := l.checkFormat(unsupported); err != nil {
		return err
	}
	each := make([]uint64, min(l.count(tagBits), uint64(l.samples)))
	if err := l.values(tagBits, 0, each); err != nil && len(each) > 0 {
		return err
	}
	packed := l.packsPixels()
	switch {
	case slices.ContainsFunc(each, func(bits uint64) bool { return bits != each[0] }):
		return no("samples of %d bits", each)
	case l.samples < 1:
		return no("pixels without samples")
	case l.bits < 8 && l.samples > 1, packed && l.bits != 8,
		!slices.Contains([]int{1, 2, 4, 8, 12, 16}, l.bits):
		return no("samples of %d bits", l.bits)
	case l.predictor == 2 && l.bits != 8 && l.bits != 16:
		return no("a predictor of samples of %d bits", l.bits)
	case l.photometric == isYCbCr && !packed:
		return no("YCbCr pixels without JPEG")
	case l.predictor == 3:
		return no("a predictor of real numbers")
	case l.planes && packed:
		return no("compressed channels in separate planes")
	}
	switch l.photometric {
	case whiteIsZero, blackIsZero:
		l.alpha = l.samples == 2
		if l.samples > 2 {
			return unsupported(l.fewerChannels(l.samples),
				"%d channels that are neither grey nor red, green, blue", l.samples)
		}
	case isPalette:
		if l.samples != 1 || l.bits > 8 || packed {
			return no("a palette for pixels of %d samples of %d bits", l.samples, l.bits)
		}
	case isRGB, isYCbCr:
		l.alpha = l.samples == 4
		if l.samples < 3 {
			return no("%d channels of colours", l.samples)
		}
	case isCMYK:
		if l.samples != 4 || packed {
			return unsupported(inColours, "%d colours of print", l.samples)
		}
	default:
		return unsupported(inColours, "the colours %d of TIFF (PhotometricInterpretation)",
			l.photometric)
	}
	if l.alpha { // a further sample is the opacity only if the file says so
		kind, err := l.number(tagExtraSamples, 0)
		if err != nil {
			return err
		}
		l.alpha, l.multiplied = kind == 1 || kind == 2, kind == 1
		if !l.alpha && l.samples == 2 {
			return unsupported(l.fewerChannels(2), "2 channels of which none is the opacity")
		}
	}
	return nil
}

// packsPixels reports whether a block is a picture of its own, whose bytes are not samples.
func (l *layout) packsPixels() bool {
	return l.compression == byJPEG || l.compression == byWebP || l.byAperio()
}

// checkFormat returns an *UnsupportedError for samples that are not whole numbers from 0 of at most
// 16 bits.
func (l *layout) checkFormat(unsupported func(way, format string, args ...any) error) error {
	format, err := l.number(tagSampleFormat, whole)
	switch {
	case err != nil:
		return err
	case format == real && l.bits == 32:
		return unsupported(from0To1, "samples that are not whole numbers")
	case format == real:
		return unsupported(anyFrom0To1, "samples of %d bits that are not whole numbers", l.bits)
	case format != whole && format != signed:
		return unsupported(byVips+convert, "samples of the format %d", format)
	case l.bits > 32:
		return unsupported(anyFrom0To255, "samples of %d bits", l.bits)
	case format == signed:
		return unsupported(from0To255, "samples that may be negative")
	case l.bits == 32:
		return unsupported(from0To255, "samples of 32 bits")
	}
	return nil
}

// readColours reads the upper eight bits of the palette's colours. Some programs write colours of
// eight bits in all, which libtiff tells by their size, too.
func (l *layout) readColours() error {
	values := make([]uint64, 3<<l.bits)
	if err := l.values(tagColours, 0, values); err != nil {
		return err
	}
	unused := 8
	if slices.Max(values) < 256 {
		unused = 0
	}
	l.colours = make([]byte, len(values))
	for i, v := range values {
		l.colours[i] = byte(v >> unused)
	}
	return nil
}

// grey reports whether the pixels have no colours.
func (l *layout) grey() bool {
	if l.photometric != isPalette {
		return l.photometric == whiteIsZero || l.photometric == blackIsZero
	}
	n := len(l.colours) / 3
	reds, greens, blues := l.colours[:n], l.colours[n:2*n], l.colours[2*n:]
	return slices.Equal(reds, greens) && slices.Equal(reds, blues)
}

// grid returns the number of blocks across and down.
func (l *layout) grid() (across, down int) {
	return (l.width-1)/l.block.X + 1, (l.height-1)/l.block.Y + 1
}

// rect returns where a block lies in the picture. It may reach over the right and lower side.
func (l *layout) rect(column, row int) image.Rectangle {
	at := image.Pt(column*l.block.X, row*l.block.Y)
	return image.Rectangle{at, at.Add(l.block)}
}

// isBlock reports whether a region is a block, without what lies outside of the picture.
func (l *layout) isBlock(r image.Rectangle) bool {
	if !r.In(image.Rect(0, 0, l.width, l.height)) {
		return false
	}
	block := l.rect(r.Min.X/l.block.X, r.Min.Y/l.block.Y)
	return r == block.Intersect(image.Rect(0, 0, l.width, l.height))
}
