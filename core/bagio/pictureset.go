package bagio

import (
	"image"

	"github.com/bagscope/bagscope/core"
)

// setFromPicture cuts the picture of a file into patches.
func setFromPicture(s *source, o Options) (*Set, error) {
	return setFromOpened(s.name, o, func() (*pictureFile, error) {
		return openPicture(s, o.Limits)
	})
}

// setFromOpened cuts the picture that open returns into patches.
func setFromOpened(
	name string, o Options, open func() (*pictureFile, error),
) (s *Set, err error) {
	var p *pictureFile
	r, img, err := o.open(name, func() (_ *pictureFile, err error) {
		p, err = open()
		return p, err
	})
	if err != nil {
		return nil, err
	}
	if s, err = patchSet(name, r, o); err != nil {
		return nil, err
	}
	s.notes, s.origin, s.kind = append(s.notes, p.notes...), p.origin, p.kind
	if img == nil {
		return s, nil
	}
	s.pictures = []image.Image{img}
	if img.Bounds() != r.bounds { // it shows the picture made small
		s.slide = &core.Slide{Width: r.bounds.Dx(), Height: r.bounds.Dy(), PatchSize: o.Patch.Size}
	}
	return s, nil
}

// open sets all options of patches and returns the picture that open returns, with a picture for
// drawings or nil. A picture that cannot be cut is not decoded.
func (o *Options) open(
	name string, open func() (*pictureFile, error),
) (r raster, img image.Image, err error) {
	if o.Patch, err = o.Patch.resolve(name, o.InstanceShape); err != nil {
		return r, nil, err
	}
	file, err := open()
	if err != nil {
		return r, nil, err
	}
	if _, err := lay(name, file.width, file.height, o.Patch, o.Limits); err != nil {
		return r, nil, err
	}
	return file.open(name, o.Limits)
}

// patchSet returns a set of one bag, the patches of a picture with their boxes. o.Patch must be
// resolved.
func patchSet(name string, r raster, o Options) (*Set, error) {
	if r.values != nil && !r.values.bytes {
		windows, err := o.takeWindows()
		if err != nil {
			return nil, err
		}
		_, err = channelsUnder(name, []int{o.Patch.Channels, 0, 0}, windows, 0)
		if err != nil {
			return nil, err
		}
		r.values.windows = windows
	}
	array, boxes, c, err := cut(name, r, o)
	if err != nil {
		return nil, err
	}
	s, err := oneBag(name, array, o)
	if err != nil {
		return nil, err
	}
	s.boxes, s.cut = boxes, c
	if r.values != nil && len(r.values.windows) > 0 {
		s.notes = append(s.notes, windowNote(r.values.windows))
	}
	return s, nil
}

// mostSurveyed is the most patches of a grid that is measured, because a survey is for a person who
// looks at the grid.
const mostSurveyed = 1 << 18

// Survey measures how bright the patches of a picture are, of which [Options].Patch states the
// grid. The result has Means; its Background is that of the options and decides nothing. Errors
// are those of [ReadFiles], and a *[StrideError] for a grid of more than 2^18 patches.
func Survey(f File, o Options) (*Cut, error) {
	o.Limits = o.Limits.withDefaults()
	o.Limits.Instances = min(o.Limits.Instances, mostSurveyed)
	background := o.Patch.Background
	o.Patch.Background = brightest // the number of patches that are kept is not limited
	r, _, err := o.open(f.Name, func() (*pictureFile, error) { return f.picture(o.Limits) })
	if err != nil {
		return nil, err
	}
	c, err := lay(f.Name, r.bounds.Dx(), r.bounds.Dy(), o.Patch, o.Limits)
	if err != nil {
		return nil, err
	}
	if err := o.Limits.reserve(f.Name, c.partBytes()+8*c.count(c.Stride)); err != nil {
		return nil, err
	}
	c.Background = background
	return c, c.measure(r, o.step(0, 1))
}

// CutPicture returns a bag of the patches of a picture, row by row, within the default Limits.
// Values are raw pixels 0..255, shaped (patch, channel, row, column); Boxes are in the picture's
// coordinates. It returns a *core.SettingError for invalid options, a *LimitError for a picture
// that is too large, and a *core.BagError if no patch remains.
func CutPicture(name string, img image.Image, o PatchOptions) (*core.Bag, error) {
	p, err := o.resolve(name, nil)
	if err != nil {
		return nil, err
	}
	l := Limits{}.withDefaults()
	if err := l.pixels(name, img.Bounds().Dx(), img.Bounds().Dy()); err != nil {
		return nil, err
	}
	s, err := patchSet(name, rasterOf(img), Options{Name: name, Patch: p, Limits: l})
	if err != nil {
		return nil, err
	}
	return s.Bag(0)
}
