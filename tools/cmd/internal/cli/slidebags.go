package cli

import (
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/service/query"
)

// besides returns the path of the encoder: --encoder, or the file beside the model that its card
// names, or "". A model on a server has no file beside it.
func (f *SlideFlags) besides(flags *ModelFlags, m query.Engine) (string, error) {
	name := m.Card().Encoder
	switch _, local := m.(*onnxbackend.Model); {
	case f.Encoder != "" || name == "":
		return f.Encoder, nil
	case !local:
		return "", nil
	}
	return filepath.Join(filepath.Dir(flags.Path), name), nil
}

// readSlide reads bags and encodes the patches of a slide. The encoder is opened only for a slide.
func (f *BagFlags) readSlide(c *cobra.Command, flags *ModelFlags, encoder string, m query.Engine,
	o bagio.Options,
) (*bagio.Set, error) {
	ctx, isSlide := c.Context(), false
	o.Slide = func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
		isSlide = true
		if err := f.cut.ForSlides(); err != nil {
			return nil, slideFlagError(err)
		}
		run, err := flags.options(ctx)
		if err != nil {
			return nil, err
		}
		slides := f.slides
		slides.Encoder = encoder
		e, err := slides.OpenEncoder(ctx, run)
		if err != nil {
			return nil, err
		}
		lay := slides.lay
		lay.PatchSize = f.cut.PatchSize
		bar := NewProgress(c.ErrOrStderr(), "patches")
		defer bar.End()
		set, err := query.Slides{Encoder: e, Lay: lay, Progress: bar.Update}.Reader(ctx, m)(name, r,
			size)
		return set, slideFlagError(err)
	}
	set, err := ReadBags(ctx, f.Path, o)
	if err == nil && !isSlide && f.slides.Encoder != "" {
		return nil, Usagef("--encoder encodes whole slides, but %s is none; omit it to use the file "+
			"as it is", filepath.Base(f.Path))
	}
	return set, err
}
