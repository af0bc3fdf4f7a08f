package cli

import (
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/oip"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// besides returns the path of the encoder: --encoder, or the file beside the model that its card
// names, or "". A model on a server has no file beside it.
func (f *SlideFlags) besides(flags *ModelFlags, m ask.Engine) string {
	name := m.Card().Encoder
	switch {
	case f.Encoder != "" || name == "":
		return f.Encoder
	case oip.Is(flags.Path):
		return ""
	}
	return filepath.Join(filepath.Dir(flags.Path), name)
}

// readSlide reads bags and encodes the patches of a slide. The encoder is opened only for a slide.
func (f *BagFlags) readSlide(c *cobra.Command, flags *ModelFlags, encoder string, m ask.Engine,
	o bagio.Options,
) (*bagio.Set, error) {
	ctx := c.Context()
	bar := NewProgress(c.ErrOrStderr(), "patches")
	defer bar.End()
	lay := f.slides.lay
	lay.PatchSize, lay.SlideMPP = f.cut.PatchSize, f.cut.SlideMpp
	lay.TileNames, lay.Origin = f.TileNames(), f.Origin()
	set, isSlide, err := SlideBags{
		Encoder: func() (*onnxbackend.Encoder, error) {
			if f.NoSlides != nil {
				return nil, f.NoSlides
			}
			run, err := flags.options(ctx)
			if err != nil {
				return nil, err
			}
			slides := f.slides
			slides.Encoder = encoder
			return slides.OpenEncoder(ctx, run)
		},
		Cut: f.cut, Lay: lay, Noted: EarlyNotes(c), Progress: bar.Update,
	}.Read(ctx, f.Path, m, o)
	if err == nil && !isSlide && f.slides.Encoder != "" {
		return nil, Usagef("--encoder encodes whole slides, but %s is none; omit it to use the "+
			"file as it is", filepath.Base(f.Path))
	}
	if isSlide {
		err = slideFlagError(err)
		// Blocks of pixels leave memory in pieces that are too small for tables of all patches.
		debug.FreeOSMemory()
	}
	return set, err
}

// slidePace is the garbage beside the bag of a slide, in percent of live memory. Go's default
// doubles the memory of 0.4 GB of features. More collections cost little, because features hold no
// pointers.
const slidePace = 25

// SlideBags reads files of bags, and encodes the patches of whole slides.
type SlideBags struct {
	Encoder  func() (*onnxbackend.Encoder, error) // opens ask.Slides.Encoder
	Cut      ask.ReadOptions
	Lay      ask.Lay
	Noted    func(notes []string)  // see ask.Slides
	Progress func(done, total int) // counts encoded patches; nil reports nothing
}

// Read reads a file or a folder for a model, and reports whether it is a slide. Errors are those of
// ReadBags and of ask.Slides.Reader; Cut must not have options that cut pictures alone.
func (s SlideBags) Read(
	ctx context.Context, file string, m ask.Engine, o bagio.Options,
) (set *bagio.Set, isSlide bool, err error) {
	o.Slide = func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
		isSlide = true
		debug.SetGCPercent(slidePace)
		if err := s.Cut.ForSlides(); err != nil {
			return nil, err
		}
		e, err := s.Encoder()
		if err != nil {
			return nil, err
		}
		folder := filepath.Dir(file)
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			folder = filepath.Join(file, filepath.Dir(filepath.FromSlash(name)))
		}
		again := func(ctx context.Context) (io.ReaderAt, func(), error) {
			f, err := os.Open(filepath.Join(folder, path.Base(name)))
			return slidefiles.Until{Context: ctx, File: f}, func() { f.Close() }, err
		}
		return ask.Slides{Encoder: e, Lay: s.Lay, Beside: os.DirFS(folder), Again: again,
			Noted: s.Noted, Progress: s.Progress}.Reader(ctx, m)(name, r, size)
	}
	set, err = ReadBags(ctx, file, o)
	return set, isSlide, err
}
