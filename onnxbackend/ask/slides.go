package ask

import (
	"cmp"
	"fmt"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/onnxbackend"
)

// A Lay says how patches lie on a slide. Nil was not given: the value of a model card holds.
type Lay struct {
	PatchSize  *int
	Microns    *float64 // microns that a pixel of a patch covers; 0 takes the pixels of level 0
	SlideMPP   *float64 // microns that a pixel of level 0 covers; nil or 0 is what the slide states
	Overlap    *int
	Threshold  int // see slide.TissueOptions
	MinTissue  float64
	WholeSlide bool
	// Tissue replaces the tissue that is found, Exclude is taken away from it: annotations or
	// masks, see annotation.ReadArea.
	Tissue, Exclude DrawnFile
	// TileNames is bagio.Options.TileNames, for slides of tiles: their patches are the tiles,
	// unless something else lays them.
	TileNames string
	// Places replaces the grid on tissue: exactly these patches are cut, see bagio.ReadPlaces.
	Places DrawnFile
	// Origin is bagio.Options.Origin.
	Origin string
}

// Tiling holds the keys of a request that lay patches on a slide, beside ReadOptions.PatchSize. Nil
// was not given: the value of a model card holds.
type Tiling struct {
	Microns *float64 `json:"mpp"`
	Overlap *int     `json:"overlap"`
	// Path of the file beside the slide that marks its tissue, a mask or annotations, or of a
	// folder with one for each slide.
	Tissue *string `json:"tissue"`
	// Path of the file beside the slide that marks what is no tissue, or of a folder with some.
	Exclude *string `json:"exclude"`
	// Path of the file beside the slide with the places of its patches, or of a folder with one for
	// each slide. Exactly these patches are cut.
	Places *string `json:"places"`
}

// Lay returns how a request lays patches.
func (t Tiling) Lay(c ReadOptions) Lay {
	return Lay{PatchSize: c.PatchSize, Microns: t.Microns, Overlap: t.Overlap,
		SlideMPP: c.SlideMpp, TileNames: given(c.TileNames), Origin: given(c.Origin),
		Tissue:  DrawnFile{Path: given(t.Tissue)},
		Exclude: DrawnFile{Path: given(t.Exclude)}, Places: DrawnFile{Path: given(t.Places)}}
}

// Options returns the options of patches for an encoder whose features a model takes. Either may be
// nil. The model's card counts more than the encoder's, and that more than the shape of the
// encoder's input. A size that none of them states is a *core.SettingError.
func (l Lay) Options(e *onnxbackend.Encoder, m Engine) (patches.Options, error) {
	o := patches.Options{WholeSlide: l.WholeSlide, Channels: 3,
		TissueOptions: slide.TissueOptions{Threshold: l.Threshold}}
	o.MinTissue, o.SlideMicrons, o.Origin = l.MinTissue, given(l.SlideMPP), l.Origin
	o.Microns = -1
	var shape []int // shape of the pictures that are encoded
	switch {
	case e != nil:
		shape = e.Shape()
	case m != nil:
		shape = m.Info().InstanceShape()
	}
	if len(shape) == 3 {
		o.PatchSize = max(0, shape[1])
		if shape[0] > 0 {
			o.Channels = shape[0]
		}
		if shape[1] != shape[2] {
			return o, &core.SettingError{Setting: "encoder", Reason: fmt.Sprintf("it takes "+
				"pictures of %d x %d pixels, but patches are square", shape[2], shape[1])}
		}
	}
	if e != nil {
		apply(&o, e.Card())
	}
	if m != nil {
		apply(&o, m.Card())
	}
	if l.PatchSize != nil && *l.PatchSize != 0 {
		o.PatchSize, o.Overlap = *l.PatchSize, 0
	}
	if l.Microns != nil {
		o.Microns = *l.Microns
	}
	if l.Overlap != nil {
		o.Overlap = *l.Overlap
	}
	if o.PatchSize == 0 {
		return o, &core.SettingError{Setting: "patch size", Reason: "neither the options nor the " +
			"encoder give the side of a patch in pixels"}
	}
	if err := SetBands(&o, e, m); err != nil {
		return o, err
	}
	if o.Microns < 0 && o.Bands != nil && l.Places.Path == "" {
		o.Microns = 0 // scenes are read at their full resolution
	}
	return o, nil
}

// Streams reports whether a model encodes the patches of slides itself: it takes pictures, and the
// options or its card state the microns of a pixel, the options the places, or its card bands.
// Without them, a TIFF file is a picture.
func (l Lay) Streams(m Engine) bool {
	_, local := m.(*onnxbackend.Model)
	p := m.Card().Patch
	microns := l.Microns != nil || l.Places.Path != "" || p != nil && p.Microns > 0 ||
		m.Card().Bands != nil
	return local && microns && len(m.Info().InstanceShape()) == 3
}

// ForSlides returns a *core.SettingError for an option that cuts pictures alone.
func (c ReadOptions) ForSlides() error {
	switch {
	case c.Stride != nil:
		return &core.SettingError{Setting: "stride", Reason: "it is for pictures; the patches of " +
			"a slide have an overlap"}
	case c.CoordsUnit != nil:
		return &core.SettingError{Setting: "coords unit", Reason: "it is for files of " +
			"coordinates; the patches of a slide are laid in its pixels"}
	case c.Dtype != nil:
		return &core.SettingError{Setting: "dtype", Reason: "it is for files of features; the " +
			"pixels of a slide have a type of their own"}
	case c.Columns != nil || c.BagBy != nil:
		return &core.SettingError{Setting: "columns", Reason: "it and bag-by are for tables; the " +
			"instances of a slide are its patches"}
	case c.Background != nil:
		return &core.SettingError{Setting: "background", Reason: "it is for pictures; on a " +
			"slide, a patch stays by its part of tissue"}
	}
	return nil
}

// apply sets the options that a card states.
func apply(o *patches.Options, c onnxbackend.Card) {
	o.UsualMicrons = cmp.Or(c.SlideMPP, o.UsualMicrons)
	p := c.Patch
	if p == nil {
		return
	}
	if p.Size > 0 {
		o.PatchSize, o.Overlap = p.Size, max(0, p.Size-p.Stride)
	}
	if p.Microns > 0 {
		o.Microns = p.Microns
	}
}

// SetBands sets which bands of a file are read, and what missing numbers become: the mean of their
// band, which preprocessing maps to 0. Pictures of 1 and 3 channels have colours unless a card
// states bands. e and m are those of Lay.Options. It returns a *core.SettingError for a card that
// states another number of bands.
func SetBands(o *patches.Options, e *onnxbackend.Encoder, m Engine) error {
	var cards []onnxbackend.Card // the first counts most
	if m != nil {
		cards = append(cards, m.Card())
	}
	if e != nil {
		cards = append(cards, e.Card())
	}
	for _, c := range cards {
		if o.Bands == nil {
			o.Bands = c.Bands
		}
	}
	if o.Bands == nil && (o.Channels <= 1 || o.Channels == 3) || len(cards) == 0 {
		return nil
	}
	bands := cmp.Or(o.Bands, &core.Bands{})
	if n := len(bands.Use); n > 0 && n != o.Channels {
		return &core.SettingError{Setting: "bands", Reason: fmt.Sprintf("the model card states %d "+
			"bands, but the pictures that are encoded have %d channels", n, o.Channels)}
	}
	o.Bands = bands
	p := cards[len(cards)-1].Preprocess // that model takes the pictures
	if p == nil || p.Scale == 0 {
		return nil
	}
	for c := range o.Channels {
		o.Missing = append(o.Missing, float32(p.Mean[min(c, len(p.Mean)-1)]/p.Scale))
	}
	return nil
}
