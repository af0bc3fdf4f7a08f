package host

import (
	"context"
	"fmt"
	"image"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

const (
	// mostRegion bounds the pixels of one answer. A screen shows about as many.
	mostRegion = 1 << 22
	// longestOverview bounds the sides of an overview.
	longestOverview = 1 << 12
	// mostPatches bounds the patches of a grid; one takes 16 bytes of its message.
	mostPatches = 1 << 20
)

// A heldSlide is an open slide with the overview that its patches are laid on, and the last other
// one, because a tissue mask is adjusted several times on the same overview.
type heldSlide struct {
	*slide.Slide
	name string
	// bands opens the slide again to read bands, or with nil its colours.
	bands func(*core.Bands) (*slide.Slide, error)

	mu    sync.Mutex
	own   *patches.Overview // nil until it is read
	side  int               // side of other, 0 if there is none
	other *patches.Overview
}

// openSlide opens a slide, whose files are read by ranges for as long as it is open.
func (h *Host) openSlide(r wire.OpenSlide) (any, error) {
	if h.config.Part == nil {
		return nil, &core.SettingError{Setting: "part",
			Reason: "this program reads slides only from files that its client keeps"}
	}
	if len(r.Files) == 0 {
		return nil, &core.SettingError{Setting: "files", Reason: "a slide is a file, or several"}
	}
	files := h.folderOf(r.Files)
	o := slide.Options{TileNames: r.TileNames}
	if len(files) > 1 {
		o.Beside = files
	}
	if h.config.Room != nil {
		o.Memory = quota.NewMemory(h.config.Room())
	}
	first := files[max(0, slices.IndexFunc(files, func(f keptFile) bool {
		return slide.IsDICOM(f.Name(), f, f.Size())
	}))]
	s, err := slide.OpenShown(first.Name(), first, first.Size(), o)
	if err != nil {
		return nil, err
	}
	info := wire.SlideInfo{Name: r.Name, Format: s.Format, MicronsX: s.MicronsX,
		MicronsY: s.MicronsY, Magnification: s.Magnification,
		Levels: ask.ListOf(s.Levels, func(l slide.Level) wire.SlideLevel {
			return wire.SlideLevel{Width: l.Width, Height: l.Height, TileWidth: l.TileWidth,
				TileHeight: l.TileHeight, Downsample: l.Downsample}
		})}
	for _, a := range s.Associated {
		info.Private = info.Private || a.Private()
	}
	held := &heldSlide{Slide: s, name: bagName(r.Name)}
	held.bands = func(b *core.Bands) (*slide.Slide, error) {
		o.Bands = b
		return slide.OpenWith(first.Name(), first, first.Size(), o)
	}
	return wire.SlideOpened{Handle: h.handles.add(held), Info: info}, nil
}

// slide returns the open slide with a handle.
func (h *Host) slide(handle int) (*heldSlide, error) {
	return find[*heldSlide](&h.handles, handle, "slide")
}

// readRegion reads pixels of a level.
func (h *Host) readRegion(r wire.ReadRegion) (any, error) {
	s, err := h.slide(r.Slide)
	if err != nil {
		return nil, err
	}
	// Sides are compared before they are multiplied, and places before they are added.
	if r.Width < 1 || r.Height < 1 || r.Width > mostRegion || r.Height > mostRegion/r.Width {
		return nil, &core.SettingError{Setting: "region", Reason: fmt.Sprintf("it has %d x %d "+
			"pixels, but must have from 1 to %d", r.Width, r.Height, mostRegion)}
	}
	const furthest = 1 << 31
	if r.X < -furthest || r.Y < -furthest || r.X > furthest || r.Y > furthest {
		return nil, &core.SettingError{Setting: "region",
			Reason: fmt.Sprintf("it begins at %d, %d, outside of every slide", r.X, r.Y)}
	}
	at := image.Pt(r.X, r.Y)
	m, err := s.Region(r.Level, image.Rectangle{at, at.Add(image.Pt(r.Width, r.Height))})
	if err != nil {
		return nil, err
	}
	return wire.Region{Width: r.Width, Height: r.Height, RGBA: m.Pix}, nil
}

// readOverview returns the whole slide in one picture.
func (h *Host) readOverview(ctx context.Context, r wire.ReadOverview) (any, error) {
	s, err := h.slide(r.Slide)
	if err != nil {
		return nil, err
	}
	if r.Side == 0 {
		return nil, sideError(0)
	}
	v, err := s.small(ctx, r.Side)
	if err != nil {
		return nil, err
	}
	m := v.Picture
	return wire.Overview{Width: m.Rect.Dx(), Height: m.Rect.Dy(), Scale: v.Scale, RGBA: m.Pix}, nil
}

// sideError reports a side that no overview has.
func sideError(side int) error {
	return &core.SettingError{Setting: "side",
		Reason: fmt.Sprintf("it is %d pixels, but must be from 1 to %d", side, longestOverview)}
}

// small returns the overview with a side, or for 0 the one that patches are laid on. It must not be
// changed.
func (s *heldSlide) small(ctx context.Context, side int) (*patches.Overview, error) {
	if side < 0 || side > longestOverview {
		return nil, sideError(side)
	}
	s.mu.Lock()
	known := s.own
	if side > 0 {
		known = s.other
		if s.side != side {
			known = nil
		}
	}
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	var v *patches.Overview
	var err error
	if side == 0 {
		v, err = patches.ReadOverview(ctx, s.name, s.Slide)
	} else {
		v, err = patches.ReadOverviewOf(ctx, s.Slide, side)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if side == 0 {
		s.own = v
	} else {
		s.side, s.other = side, v
	}
	return v, nil
}

// findTissue returns the tissue mask of a slide.
func (h *Host) findTissue(ctx context.Context, r wire.FindTissue) (any, error) {
	s, err := h.slide(r.Slide)
	if err != nil {
		return nil, err
	}
	mask, err := s.tissue(ctx, r)
	if err != nil {
		return nil, err
	}
	out := wire.Tissue{Width: mask.Width, Height: mask.Height, Scale: mask.Scale,
		Threshold: mask.Threshold, Mask: make([]byte, len(mask.Tissue))}
	for i, tissue := range mask.Tissue {
		if tissue {
			out.Mask[i] = 1
		}
	}
	return out, nil
}

// tissue checks the settings of a mask and computes it.
func (s *heldSlide) tissue(ctx context.Context, r wire.FindTissue) (*slide.Mask, error) {
	if r.Threshold < 0 || r.Threshold > 255 || r.Smallest < 0 {
		return nil, &core.SettingError{Setting: "threshold", Reason: fmt.Sprintf("it is %d, but "+
			"must be from 0 to 255, and the smallest part of %d pixels must not be negative",
			r.Threshold, r.Smallest)}
	}
	v, err := s.small(ctx, r.Side)
	if err != nil {
		return nil, err
	}
	return v.Tissue(slide.TissueOptions{Threshold: r.Threshold, Smallest: r.Smallest}), nil
}

// placeGrid places patches over a slide.
func (h *Host) placeGrid(ctx context.Context, r wire.PlaceGrid) (any, error) {
	s, err := h.slide(r.Slide)
	if err != nil {
		return nil, err
	}
	var mask *slide.Mask
	if r.Tissue != nil {
		if mask, err = s.tissue(ctx, *r.Tissue); err != nil {
			return nil, err
		}
	}
	g, err := s.Grid(mask, gridOptions(r))
	if err != nil {
		return nil, err
	}
	return gridOf(g), nil
}

// gridOptions returns the options of a grid.
func gridOptions(r wire.PlaceGrid) slide.GridOptions {
	return slide.GridOptions{PatchSize: r.PatchSize, Microns: r.Microns, Overlap: r.Overlap,
		MinTissue: r.MinTissue, Most: mostPatches}
}

// gridOf returns a grid for the client.
func gridOf(g *slide.Grid) wire.Grid {
	out := wire.Grid{PatchSize: g.PatchSize, Side: g.Side, Step: g.Step, Level: g.Level}
	for _, b := range g.Boxes {
		out.X, out.Y = append(out.X, b.Min.X), append(out.Y, b.Min.Y)
	}
	return out
}
