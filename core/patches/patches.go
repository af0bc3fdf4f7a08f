package patches

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/annotation"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
)

// overviewSide is the longer side of the picture that the tissue is found in. On a slide of 100,000
// pixels, a patch of 256 pixels at 20x has ten of its pixels across.
const overviewSide = 2048

// Options say how the patches of a slide are laid.
type Options struct {
	slide.GridOptions
	slide.TissueOptions
	WholeSlide bool // patches without tissue are kept, too
	// 3 for red, green, blue, or 1 for luma; default 3. Of a slide of bands it is their number.
	Channels int
	// Bands is what Slide was opened with, see slide.Options; nil for colours.
	Bands *core.Bands
	// Missing has what a missing number of each band becomes; nil stands for 0.
	Missing []float32
	// Drawn is the tissue, which is then not searched for; nil finds it. Excluded areas are no
	// tissue.
	Drawn    *annotation.Area
	Excluded []*annotation.Area
	// Places are where patches lie that something else has laid, instead of a grid on tissue; nil
	// lays the grid. PlacesFile is the name of their file. If they do not state the size of a
	// patch, it follows from PatchSize and Microns.
	Places     *bagio.Places
	PlacesFile string
	// Origin is what places in files of the slide count from, see core.Slide.StateOrigin. Places
	// count from the canvas unless it states bounds.
	Origin string
	// Microns that a pixel of the slide covers at level 0: SlideMicrons replaces what the slide
	// states, UsualMicrons holds if it states none. 0 is what the slide states.
	SlideMicrons, UsualMicrons float64
}

// state sets the microns of the slide that the caller states.
func (o Options) state(s *slide.Slide) {
	if o.SlideMicrons > 0 {
		s.MicronsX, s.MicronsY = o.SlideMicrons, o.SlideMicrons
	} else if s.MicronsX == 0 && o.UsualMicrons > 0 {
		s.MicronsX, s.MicronsY = o.UsualMicrons, o.UsualMicrons
	}
}

// Patches are the patches of a slide, by number.
type Patches struct {
	Name     string // name of the slide, for bags and messages
	Slide    *slide.Slide
	Grid     *slide.Grid
	Overview *image.RGBA // the whole slide, made small
	Mask     *slide.Mask // over Overview; nil with Options.WholeSlide

	options Options
	left    left
	tiles   bool     // patches are the tiles that the slide consists of
	notes   []string // what is doubtful about the tiles
}

// left counts the patches that are left out.
type left struct{ tissue, excluded int }

// Open finds the tissue of a slide and lays its patches. It returns a *slide.OptionError for
// settings that cannot hold, a *core.BagError if no patch has enough tissue, and errors of
// slide.Open. ctx ends it.
func Open(ctx context.Context, name string, s *slide.Slide, o Options) (*Patches, error) {
	if err := o.check(name, s); err != nil { // before the overview is read
		return nil, err
	}
	v, err := ReadOverview(ctx, name, s)
	if err != nil {
		return nil, err
	}
	return Lay(name, s, v, o)
}

// Lay is [Open] for an overview that is read already, with its errors for settings and tissue.
func Lay(name string, s *slide.Slide, v *Overview, o Options) (*Patches, error) {
	if err := o.check(name, s); err != nil {
		return nil, err
	}
	o.Channels = cmp.Or(o.Channels, len(s.Bands()), 3)
	tiles := o.onTiles(s)
	if tiles {
		o.Places = &bagio.Places{Boxes: s.Tiles().Boxes}
		o.PlacesFile = "the names of its tiles"
	}
	p := &Patches{tiles: tiles, Name: name, Slide: s, Overview: v.Picture, options: o}
	if err := p.lay(v); err != nil {
		return nil, err
	}
	if p.Len() == 0 {
		return nil, &core.BagError{Bag: name, Reason: p.noTissue(v)}
	}
	return p, nil
}

// lay finds the tissue and lays the grid on it.
func (p *Patches) lay(v *Overview) error {
	o, s := p.options, p.Slide
	if o.Places != nil {
		return p.layAt(o.Places)
	}
	on, err := o.ground(p.Name, s)
	if err != nil {
		return err
	}
	wide, high := v.Picture.Rect.Dx(), v.Picture.Rect.Dy()
	switch {
	case o.Drawn != nil:
		p.Mask, err = o.Drawn.Mask(on, wide)
	case !o.WholeSlide:
		p.Mask = v.Tissue(o.TissueOptions)
	case len(o.Excluded) > 0:
		p.Mask = slide.WholeMask(wide, high, v.Scale)
	}
	if err != nil {
		return err
	}
	if p.Grid, err = s.Grid(p.Mask, o.GridOptions); err != nil {
		return err
	}
	if o.Drawn == nil && len(o.Excluded) == 0 {
		return nil
	}
	whole, err := s.Grid(nil, o.GridOptions)
	if err != nil {
		return err
	}
	p.left.tissue = len(whole.Boxes) - p.Len()
	if len(o.Excluded) == 0 {
		return nil
	}
	for _, area := range o.Excluded {
		if p.Mask, err = area.TakeFrom(p.Mask, on, wide); err != nil {
			return err
		}
	}
	before := p.Len()
	p.Grid, err = s.Grid(p.Mask, o.GridOptions)
	if err == nil {
		p.left.excluded = before - p.Len()
	}
	return err
}

// layAt lays patches at given places. Their size says how many microns a pixel covers.
func (p *Patches) layAt(at *bagio.Places) error {
	boxes, o := at.Boxes, &p.options
	if at.Guessed {
		g, err := p.Slide.Grid(&slide.Mask{Width: 1, Height: 1, Scale: 1, Tissue: []bool{false}},
			o.GridOptions)
		if err != nil {
			return err
		}
		boxes = make([]image.Rectangle, len(at.Boxes))
		for i, b := range at.Boxes {
			boxes[i] = image.Rectangle{Min: b.Min, Max: b.Min.Add(image.Pt(g.Side, g.Side))}
		}
	}
	on, err := o.ground(p.Name, p.Slide)
	if err != nil {
		return err
	}
	if _, from := on.CountsFrom(core.Canvas); !p.tiles && from != (image.Point{}) {
		boxes = slices.Clone(boxes)
		for i := range boxes {
			boxes[i] = boxes[i].Add(from)
		}
	}
	side := 0
	if len(boxes) > 0 {
		side = boxes[0].Dx()
	}
	p.Grid, err = p.Slide.GridAt(boxes, side-at.Slide.Overlap, o.GridOptions)
	if err != nil {
		return err
	}
	scale := float64(side) / float64(o.PatchSize)
	o.Overlap = int(math.RoundToEven(float64(max(0, at.Slide.Overlap)) / scale))
	if p.tiles {
		p.tileNotes(scale)
	}
	o.Microns = scale * p.Slide.MicronsX
	return nil
}

// noTissue returns which settings would keep a patch of a slide of which none is kept.
func (p *Patches) noTissue(v *Overview) string {
	if p.options.Drawn != nil || len(p.options.Excluded) > 0 {
		return msg.Sprintf("no patch of the slide is left: %s; use files that belong to this "+
			"slide, or lower min-tissue, which is %v", msg.Text(p.leftOut()), p.options.MinTissue)
	}
	keeps := func(m *slide.Mask, o slide.GridOptions) bool {
		g, err := p.Slide.Grid(m, o)
		return err == nil && len(g.Boxes) > 0
	}
	ways, grid, tissue := "", p.options.GridOptions, p.options.TissueOptions
	if tissue.Threshold = 1; keeps(v.Tissue(tissue), grid) {
		ways += fmt.Sprintf(", or lower tissue-threshold, which is %d", p.Mask.Threshold)
	}
	least := grid.MinTissue
	if grid.MinTissue = 0; least > 0 && keeps(p.Mask, grid) {
		ways += msg.Sprintf(", or lower min-tissue, which is %v", least)
	}
	return msg.Sprintf("no patch of the slide has enough tissue, which is found by its %s; "+
		"keep the whole slide (whole-slide)%s", msg.Text(p.Mask.By), msg.Text(ways))
}

// check returns a *slide.OptionError for settings that cannot hold, and errors of checkBands. It
// sets the slide's microns if the caller states them.
func (o Options) check(name string, s *slide.Slide) error {
	if err := o.checkBands(name, s); err != nil {
		return err
	}
	for _, microns := range []float64{o.SlideMicrons, o.UsualMicrons} {
		if !(microns >= 0) || math.IsInf(microns, 1) {
			return &slide.OptionError{Option: "slide mpp", Reason: msg.Sprintf("it is %v "+
				"micrometres, but must not be negative; 0 is what the slide states", microns)}
		}
	}
	o.state(s)
	if o.Threshold < 0 || o.Threshold > 255 {
		return &slide.OptionError{Option: "tissue threshold",
			Reason: "it must be a saturation (of grey pictures a brightness) from 1 to 255, or 0 " +
				"to find it"}
	}
	if o.Drawn != nil && (o.WholeSlide || o.Threshold != 0) {
		return &slide.OptionError{Option: "tissue", Reason: msg.Sprintf("%s states the tissue; "+
			"omit whole-slide and tissue-threshold, or the file", o.Drawn.Name)}
	}
	if o.onTiles(s) {
		o.Microns = 0
	}
	if _, err := o.ground(name, s); err != nil {
		return err
	}
	_, err := s.Grid(&slide.Mask{Width: 1, Height: 1, Scale: 1, Tissue: []bool{false}},
		o.GridOptions)
	return err
}

// An Overview is a whole slide in a small picture. It is safe for concurrent use.
type Overview struct {
	Picture *image.RGBA
	Scale   float64 // pixels of level 0 across that a pixel covers

	ground func() *slide.Ground
}

// ReadOverview reads the overview that tissue is found in. It reserves the memory of the overview
// and of the mask in the Memory of ctx, where it stays. Errors are those of slide.Open.
func ReadOverview(ctx context.Context, name string, s *slide.Slide) (*Overview, error) {
	err := quota.MemoryOf(ctx).Reserve(overviewBytes(s.Levels[0]), "the overview of "+name)
	if err != nil {
		return nil, err
	}
	return ReadOverviewOf(ctx, s, sideOf(s))
}

// ReadOverviewOf reads an overview whose longer side has at most side pixels.
func ReadOverviewOf(ctx context.Context, s *slide.Slide, side int) (*Overview, error) {
	picture, scale, err := s.Overview(ctx, side)
	if err != nil {
		return nil, err
	}
	ground := slide.GroundOf
	if s.Bands() != nil {
		ground = slide.DataOf
	}
	return &Overview{picture, scale, sync.OnceValue(func() *slide.Ground {
		return ground(picture, scale)
	})}, nil
}

// Tissue returns the tissue of the overview. Another threshold takes a fraction of the first one's
// time.
func (v *Overview) Tissue(o slide.TissueOptions) *slide.Mask { return v.ground().Tissue(o) }

// sideOf returns the longer side of the overview: that of a level which has more than half of the
// pixels across, because the next larger level of a slide takes up to 16 times as long to read.
func sideOf(s *slide.Slide) int {
	for _, l := range s.Levels {
		if side := max(l.Width, l.Height); side <= overviewSide && side > overviewSide/2 {
			return side
		}
	}
	return overviewSide
}

// overviewBytes bounds what the overview and the mask of a slide take: pixels of four bytes, and
// the values of the ground, their median and the mask, with its table of sums.
func overviewBytes(base slide.Level) int64 {
	wide, high := int64(base.Width), int64(base.Height)
	if longer := max(wide, high); longer > overviewSide {
		wide, high = max(1, wide*overviewSide/longer), max(1, high*overviewSide/longer)
	}
	return wide * high * (4 + 1 + 1 + 1 + 4)
}

// Len returns the number of patches.
func (p *Patches) Len() int { return len(p.Grid.Boxes) }

// About returns what bags and files state of the slide.
func (p *Patches) About() core.Slide {
	about, _ := p.options.ground(p.Name, p.Slide) // check has found no error
	about.PatchSize, about.Overlap = p.Grid.Side, p.Grid.Side-p.Grid.Step
	return *about
}

// ground returns what is known of a slide, and a *core.SettingError for an origin that cannot hold.
func (o Options) ground(name string, s *slide.Slide) (*core.Slide, error) {
	base, bounds := s.Levels[0], s.Bounds
	if bounds.Empty() {
		bounds = image.Rect(0, 0, base.Width, base.Height)
	}
	about := &core.Slide{Name: name, Width: base.Width, Height: base.Height, MPP: s.MicronsX,
		Magnification: s.Magnification, BoundsX: bounds.Min.X, BoundsY: bounds.Min.Y,
		BoundsWidth: bounds.Dx(), BoundsHeight: bounds.Dy()}
	return about, about.StateOrigin(o.Origin)
}

// Bag returns patches lo up to hi as a bag of raw pixels, (patch, channel, row, column), with their
// boxes in pixels of level 0. Errors are those of slide.Grid.Patch.
func (p *Patches) Bag(ctx context.Context, lo, hi int) (*core.Bag, error) {
	return p.bagOf(ctx, between(lo, hi))
}

// bagOf is Bag for the patches of a list.
func (p *Patches) bagOf(ctx context.Context, list []int) (*core.Bag, error) {
	about := p.About()
	bag := &core.Bag{Name: p.Name, Raw: true, Slide: &about, Shape: p.PictureShape(),
		Origin: p.Slide.Origin}
	bag.Values = make([]float32, len(list)*bag.Stride())
	for _, i := range list {
		bag.Boxes = append(bag.Boxes, p.Grid.Boxes[i])
		if labels := p.Labels(); labels != nil {
			bag.Labels = append(bag.Labels, labels[i])
		}
	}
	// Neighbours share tiles of the slide, so that each goroutine reads a run of the list.
	parts := max(1, min(runtime.GOMAXPROCS(0), len(list)/leastRead))
	errs := make([]error, parts)
	var all sync.WaitGroup
	for part := range parts {
		lo, hi := len(list)*part/parts, len(list)*(part+1)/parts
		read := func() { errs[part] = p.readInto(ctx, bag, list[lo:hi], lo) }
		if parts == 1 {
			read()
			break
		}
		all.Go(read)
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return bag, nil
}

// leastRead is the number of patches that pay for a goroutine: for fewer, most tiles of the slide
// would be decoded twice.
const leastRead = 4

// readInto reads patches into a bag, from an instance on.
func (p *Patches) readInto(ctx context.Context, bag *core.Bag, list []int, at int) error {
	for n, i := range list {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if p.Slide.Bands() != nil {
			if err := p.readBands(bag.Instance(at+n), i); err != nil {
				return err
			}
			continue
		}
		m, err := p.Grid.Patch(i)
		if err != nil {
			return err
		}
		one, err := bagio.CutPicture(p.Name, m,
			bagio.PatchOptions{Size: p.Grid.PatchSize, Channels: p.options.Channels})
		if err != nil {
			return err
		}
		copy(bag.Instance(at+n), one.Values)
	}
	return nil
}

// PictureShape returns the shape of the pixels of a patch, (channel, row, column).
func (p *Patches) PictureShape() []int {
	return []int{p.options.Channels, p.Grid.PatchSize, p.Grid.PatchSize}
}

// Microns returns the microns that a pixel of a patch covers, 0 if the slide does not state those
// of its own.
func (p *Patches) Microns() float64 { return cmp.Or(p.options.Microns, p.Slide.MicronsX) }

// mostEnlarged is how many times patches may be enlarged: an encoder then gets pixels that the
// slide does not have.
const mostEnlarged = 1.5

// Notes says, in sentences, what is doubtful about the pixels of patches.
func (p *Patches) Notes() []string {
	notes := slices.Concat(p.Slide.PageNotes(), p.Slide.BandNotes(), p.notes)
	if at := p.options.Places; at != nil {
		notes = append(notes, at.Notes...)
	}
	if times := p.Slide.MicronsX / p.Microns(); times > mostEnlarged {
		notes = append(notes, msg.Sprintf("%s: patches are enlarged %.2g times, because "+
			"mpp is %v and the slide's pixels cover %.4g µm; its own pixels are those of mpp %.4g.",
			p.Name, times, p.options.Microns, p.Slide.MicronsX, p.Slide.MicronsX))
	}
	for _, area := range append(slices.Clone(p.options.Excluded), p.options.Drawn) {
		if area != nil && area.Note() != "" {
			notes = append(notes, area.Note())
		}
	}
	if p.left != (left{}) {
		notes = append(notes, msg.Sprintf("%s: %s.", p.Name, msg.Text(p.leftOut())))
	}
	if odd := bagio.OddMicrons(p.Slide.MicronsX); odd != "" {
		notes = append(notes, msg.Sprintf("%s: %s.", p.Name, msg.Text(odd)))
	}
	return notes
}

// leftOut says how many patches are left out of the grid, and why.
func (p *Patches) leftOut() string {
	o, out := p.options, p.left.tissue+p.left.excluded
	text := msg.Sprintf("%d of %d patches are left out, because ", out, p.Len()+out)
	tissue := "the tissue that is found"
	if o.Drawn != nil {
		tissue = msg.Sprintf("the tissue of %s", o.Drawn.Name)
	}
	switch {
	case len(o.Excluded) == 0:
		return text + msg.Sprintf("they lie outside of %s", msg.Text(tissue))
	case o.WholeSlide:
		return text + msg.Sprintf("they lie %s", o.excluded((*annotation.Area).Taken))
	}
	return text + msg.Sprintf("%d lie outside of %s and %d lie %s", p.left.tissue,
		msg.Text(tissue), p.left.excluded, o.excluded((*annotation.Area).Taken))
}

// excluded lists what is said of each file of what is no tissue.
func (o Options) excluded(said func(*annotation.Area) string) msg.Text {
	list := make([]string, len(o.Excluded))
	for i, area := range o.Excluded {
		list[i] = said(area)
	}
	return msg.List(list)
}

// MaskPicture returns the overview in which everything that is not tissue is dark.
func (p *Patches) MaskPicture() *image.RGBA {
	out := image.NewRGBA(p.Overview.Rect)
	copy(out.Pix, p.Overview.Pix)
	if p.Mask == nil {
		return out
	}
	scale := float64(p.Slide.Levels[0].Width) / float64(out.Rect.Dx())
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			if p.Mask.At((float64(x)+.5)*scale, (float64(y)+.5)*scale) {
				continue
			}
			c := p.Overview.RGBAAt(x, y)
			out.SetRGBA(x, y, color.RGBA{c.R / 4, c.G / 4, c.B / 4, 255})
		}
	}
	return out
}

// Overlap returns how many pixels of a patch the next one repeats.
func (p *Patches) Overlap() int { return p.options.Overlap }
