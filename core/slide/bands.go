package slide

import (
	"image"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/half"
	"github.com/bagscope/bagscope/internal/msg"
)

// bands reads the bands of a slide.
type bands struct {
	slide  *Slide
	stated bool // whether the caller has chosen the bands
	// use has the bands that are read, from 0: those that were chosen, then others that are drawn.
	use       []int
	chosen    int   // how many of use were chosen
	draw      []int // places in use
	count     int   // bands of the file
	noData    float64
	hasNoData bool
	blocks    *blockCache[bandBlock]

	mu      sync.Mutex
	stretch [][2]float32 // (draw) numbers that are drawn darkest and brightest; nil if unknown
}

// A bandBlock has the numbers of a block, (use, row, column), NaN for those that are missing.
type bandBlock struct {
	size   image.Point
	values []float32
}

// readBands reads the levels of a file of bands.
func (s *Slide) readBands(list []*directory, o core.Bands) error {
	s.Format = "TIFF of bands"
	main, err := s.mainOf(list)
	if err != nil {
		return err
	}
	pages := []*directory{main}
	if samples, err := main.number(tagSamples, 1); err != nil {
		return err
	} else if samples == 1 {
		pages = main.equals(list)
	} else if err := s.checkPages(list, main); err != nil {
		return err
	}
	if len(pages) > core.MostBands {
		return bad(s.name, "it has %d bands; at most %d are read", len(pages), core.MostBands)
	}
	s.readResolution(main)
	b := &bands{slide: s}
	if err := b.add(pages); err != nil {
		return err
	}
	if err := b.choose(o, main); err != nil {
		return err
	}
	if err := b.addBelow(list, pages); err != nil {
		return err
	}
	b.blocks = newBlockCache(main.memory, b.decode, func(m *bandBlock) int {
		return 4 * cap(m.values)
	})
	b.blocks.fit(s.Levels[0], 4*len(b.use))
	s.bands = b
	return nil
}

// equals returns the directories of a list that have the size of d and are no masks or small
// levels.
func (d *directory) equals(list []*directory) []*directory {
	about := func(d *directory) (v [3]uint64) {
		for i, tag := range []uint16{tagSubfileType, tagWidth, tagHeight} {
			v[i], _ = d.number(tag, 0)
		}
		v[0] &^= page
		return v
	}
	var out []*directory
	for _, other := range list {
		if about(other) == about(d) {
			out = append(out, other)
		}
	}
	return out
}

// add appends a level whose bands are the samples of one directory, or have one each.
func (b *bands) add(pages []*directory) error {
	level, err := layoutOf(pages[0], "a level")
	if err != nil {
		return err
	}
	if b.count > 0 && max(len(pages), level.samples) != b.count {
		return bad(b.slide.name, "a level has %d bands, and the largest one %d",
			max(len(pages), level.samples), b.count)
	}
	if len(pages) > 1 {
		for _, d := range pages {
			l, err := layoutOf(d, "a band")
			if err != nil {
				return err
			}
			if l.block != level.block || l.tiled != level.tiled || l.samples != 1 ||
				l.oneStrip != level.oneStrip || l.width != level.width ||
				l.height != level.height {
				return unsupported(b.slide.name, "bands of different tiles", byGDAL)
			}
			level.pages = append(level.pages, l)
		}
	}
	level.tile = func(column, row int) (*image.RGBA, error) {
		return b.paint(blockKey{level, column, row})
	}
	return b.slide.addLayout(level)
}

// addBelow appends the smaller levels: reduced pictures of the list or below the first band, or for
// bands that have a directory each those below each.
func (b *bands) addBelow(list, pages []*directory) error {
	below, err := pages[0].below()
	if err != nil {
		return err
	}
	if len(pages) == 1 {
		for _, d := range slices.Concat(list, below) {
			kind, err := d.number(tagSubfileType, 0)
			if err != nil {
				return err
			}
			if kind&^page == reduced && d.has(tagTileWidth) && b.slide.fits(d) {
				if err := b.add([]*directory{d}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	levels := make([][]*directory, len(below))
	for _, d := range pages {
		below, err := d.below()
		if err != nil {
			return err
		}
		if len(below) != len(levels) {
			return nil // the largest level is enough
		}
		for i, small := range below {
			levels[i] = append(levels[i], small)
		}
	}
	for _, level := range levels {
		if b.slide.fits(level[0]) {
			if err := b.add(level); err != nil {
				return err
			}
		}
	}
	return nil
}

// choose sets which bands are read and drawn, and what marks missing numbers.
func (b *bands) choose(o core.Bands, main *directory) error {
	level := b.slide.Levels[0].layout
	b.count = max(len(level.pages), level.samples)
	for _, n := range slices.Concat(o.Use, o.Draw) {
		if n < 1 || n > b.count {
			return &OptionError{"bands", msg.Sprintf("%s has bands 1 to %d and no band %d",
				b.slide.name, b.count, n)}
		}
	}
	b.stated = o.Use != nil
	for _, n := range o.Use {
		b.use = append(b.use, n-1)
	}
	for n := 0; !b.stated && n < b.count; n++ {
		b.use = append(b.use, n)
	}
	b.chosen = len(b.use)
	switch {
	case len(o.Draw) > 0:
		for _, n := range o.Draw {
			at := slices.Index(b.use, n-1)
			if at < 0 {
				at = len(b.use)
				b.use = append(b.use, n-1)
			}
			b.draw = append(b.draw, at)
		}
	case b.chosen >= 3:
		b.draw = []int{0, 1, 2}
	default:
		b.draw = []int{0}
	}
	if o.NoData != nil {
		b.noData, b.hasNoData = *o.NoData, true
		return nil
	}
	text, err := main.text(tagNoData)
	if err != nil {
		return err
	}
	b.noData, err = strconv.ParseFloat(strings.TrimSpace(text), 64)
	b.hasNoData = err == nil
	return nil
}

// Bands returns the bands that Values returns, from 1, or nil for a slide of colours.
func (s *Slide) Bands() []int {
	if s.bands == nil {
		return nil
	}
	out := make([]int, s.bands.chosen)
	for i := range out {
		out[i] = s.bands.use[i] + 1
	}
	return out
}

// checkBands returns an *UnsupportedError for numbers that are not read.
func (l *layout) checkBands() error {
	no := func(format string, args ...any) error {
		return unsupported(l.name, msg.Sprintf(format, args...), byGDAL)
	}
	switch l.compression {
	case uncompressed, byLZW, byDeflate, byOldDeflate, byPackBits, byZstandard, byLZMA:
	default:
		if what := compressions[l.compression]; what != "" {
			return no("bands with %s", msg.Text(what))
		}
		return no("bands with the compression %d", l.compression)
	}
	var err error
	if l.format, err = l.number(tagSampleFormat, whole); err != nil {
		return err
	}
	each := make([]uint64, min(l.count(tagBits), uint64(l.samples)))
	if err := l.values(tagBits, 0, each); err != nil && len(each) > 0 {
		return err
	}
	sizes := map[uint64][]int{whole: {8, 16, 32}, signed: {8, 16, 32}, real: {16, 32, 64}}
	switch {
	case l.samples < 1:
		return no("pixels without samples")
	case slices.ContainsFunc(each, func(bits uint64) bool { return bits != each[0] }):
		return no("bands of %d bits", each)
	case !slices.Contains(sizes[l.format], l.bits):
		return no("bands of %d bits of the sample format %d", l.bits, l.format)
	case l.predictor == 3 && l.format != real, l.predictor == 2 && l.bits > 32:
		return no("the predictor %d of bands of %d bits", l.predictor, l.bits)
	}
	samples := int64(l.samples)
	if l.planes {
		samples = 1
	}
	// Blocks are decoded whole.
	if high := int64(l.block.Y); high > 8*l.most/samples/int64(l.bits/8)/int64(l.block.X) {
		return tooLarge(l.name, msg.Sprintf("a block of %d bands", samples), int64(l.block.X), high,
			8*l.most/samples/int64(l.bits/8))
	}
	return nil
}

// decode decodes the block of a key.
func (b *bands) decode(key blockKey) (*bandBlock, error) {
	l := key.layout
	work := &workspace{container: l.container}
	defer work.end()
	across, down := l.grid()
	number := uint64(key.row)*uint64(across) + uint64(key.column)
	out := &bandBlock{size: l.sizeInRow(key.row)}
	pixels := out.size.X * out.size.Y
	if err := work.take(4 * int64(pixels) * int64(len(b.use))); err != nil {
		return nil, err
	}
	out.values = make([]float32, pixels*len(b.use))
	var together []byte // samples of all bands
	var err error
	if l.pages == nil && !l.planes {
		if together, err = l.raw(work, number, out.size, l.samples); err != nil {
			return nil, err
		}
	}
	for i, band := range b.use {
		dst := out.values[i*pixels : (i+1)*pixels]
		from, raw, step := l, together, l.samples
		if l.pages != nil {
			from = l.pages[band]
		}
		first := band
		if l.pages != nil || l.planes {
			first, step = 0, 1
			plane := &workspace{container: l.container}
			at := number
			if l.planes {
				at += uint64(band) * uint64(across) * uint64(down)
			}
			raw, err = from.raw(plane, at, out.size, 1)
			plane.end()
			if err != nil {
				return nil, err
			}
		}
		b.numbers(dst, from, raw, first, step)
	}
	return out, nil
}

// numbers reads one number of each pixel, from raw samples of which a pixel has step. Without
// samples all are missing.
func (b *bands) numbers(dst []float32, l *layout, raw []byte, first, step int) {
	missing := float32(math.NaN())
	if raw == nil {
		for i := range dst {
			dst[i] = missing
		}
		return
	}
	each := l.bits / 8
	for i := range dst {
		at := raw[(i*step+first)*each:]
		var v float64
		switch {
		case l.format == real && each == 8:
			v = math.Float64frombits(l.order.Uint64(at))
		case l.format == real && each == 2:
			v = half.Float64(l.order.Uint16(at))
		case l.format == real:
			v = float64(math.Float32frombits(l.order.Uint32(at)))
		case each == 1 && l.format == signed:
			v = float64(int8(at[0]))
		case each == 1:
			v = float64(at[0])
		case each == 2 && l.format == signed:
			v = float64(int16(l.order.Uint16(at)))
		case each == 2:
			v = float64(l.order.Uint16(at))
		case l.format == signed:
			v = float64(int32(l.order.Uint32(at)))
		default:
			v = float64(l.order.Uint32(at))
		}
		dst[i] = float32(v)
		if b.hasNoData && (v == b.noData ||
			l.format == real && each == 4 && float32(v) == float32(b.noData)) ||
			math.IsNaN(v) || math.IsInf(float64(dst[i]), 0) {
			dst[i] = missing
		}
	}
}

// Values returns the numbers of a rectangle of a level of a slide of bands, (band, row, column), in
// the order of Bands. Those that are missing, and those outside of the level, are NaN. Errors are
// those of Region.
func (s *Slide) Values(level int, r image.Rectangle) ([]float32, error) {
	b := s.bands
	if b == nil || level < 0 || level >= len(s.Levels) {
		return nil, bad(s.name, "it has no level %d of bands", level)
	}
	l := s.Levels[level].layout
	r = r.Canon()
	wide, high := int64(r.Dx()), int64(r.Dy())
	if wide <= 0 || high <= 0 || high > s.most/wide/int64(b.chosen) {
		return nil, tooLarge(s.name, msg.Sprintf("the region of %d bands of %s", b.chosen, l.what),
			wide, high, s.most/int64(b.chosen))
	}
	out := make([]float32, b.chosen*r.Dx()*r.Dy())
	for i := range out {
		out[i] = float32(math.NaN())
	}
	inside := r.Intersect(image.Rect(0, 0, l.width, l.height))
	if inside.Empty() {
		return out, nil
	}
	last := inside.Max.Sub(image.Pt(1, 1))
	for row := inside.Min.Y / l.block.Y; row <= last.Y/l.block.Y; row++ {
		for column := inside.Min.X / l.block.X; column <= last.X/l.block.X; column++ {
			block, err := b.blocks.get(blockKey{l, column, row})
			if err != nil {
				return nil, err
			}
			at := l.rect(column, row).Min
			where := image.Rectangle{at, at.Add(block.size)}.Intersect(inside)
			for c := range b.chosen {
				for y := where.Min.Y; y < where.Max.Y; y++ {
					from := (c*block.size.Y+y-at.Y)*block.size.X + where.Min.X - at.X
					to := (c*r.Dy()+y-r.Min.Y)*r.Dx() + where.Min.X - r.Min.X
					copy(out[to:to+where.Dx()], block.values[from:])
				}
			}
		}
	}
	return out, nil
}
