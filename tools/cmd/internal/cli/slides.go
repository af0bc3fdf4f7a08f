package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// SlideFlags hold the flags that make bags of whole slides.
type SlideFlags struct {
	Encoder string // path of the encoder, or ""
	card    string
	lay     ask.Lay
}

// Register adds the flags to a command.
func (f *SlideFlags) Register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.Encoder, "encoder", "", "an .onnx file that encodes the patches of a whole "+
		"slide: pictures (n, channels, height, width) to features (n, d)")
	flags.StringVar(&f.card, "encoder-card", "", "model card of the encoder "+
		"(default NAME.bagscope.json beside it)")
	flags.Var(&optional[float64]{&f.lay.Microns, parseFloat, "float"}, "mpp", "slides: microns "+
		"that a pixel of a patch covers; 0 takes the pixels of the full resolution "+
		"(default that of the model card)")
	flags.Var(&optional[int]{&f.lay.Overlap, strconv.Atoi, "int"}, "overlap",
		"slides: pixels of a patch that the next one repeats (default 0)")
	flags.IntVar(&f.lay.Threshold, "tissue-threshold", 0, "slides: saturation 1 to 255, of grey "+
		"slides brightness, from which on a pixel is tissue (default: found by Otsu's method)")
	flags.Float64Var(&f.lay.MinTissue, "min-tissue", 0,
		"slides: smallest part of a patch, 0 to 1, that must be tissue (default: some tissue)")
	flags.Var(drawnFile{&f.lay.Tissue}, "tissue", "slides: file that marks the tissue, which is "+
		"then not searched for: a mask in PNG or TIFF, GeoJSON, or XML of ASAP, Aperio or HALO; "+
		"or a folder with one for each slide, such as that of HistoQC")
	flags.Var(drawnFile{&f.lay.Exclude}, "exclude", "slides: file, or folder of files, that marks "+
		"what is no tissue, such as pen; the forms are those of --tissue")
	flags.Var(drawnFile{&f.lay.Places}, "places", "slides: file with the places of the patches, "+
		"of CLAM, TRIDENT, STAMP (.h5) or a table (.csv), or a folder with one for each slide; "+
		"exactly these patches are cut")
	flags.BoolVar(&f.lay.WholeSlide, "whole-slide", false, "slides: keep patches without tissue")
}

// RegisterMPP adds the flag of what a slide does not state of itself. Commands that read bags have
// it among the options of reading.
func (f *SlideFlags) RegisterMPP(c *cobra.Command) {
	c.Flags().Var(&optional[float64]{&f.lay.SlideMPP, parseFloat, "float"}, "slide-mpp",
		"microns that a pixel of the slide covers at full resolution "+
			"(default what the slide states, else from the model card)")
	c.Flags().StringVar(&f.lay.Origin, "origin", "", "what places in the files of --tissue, "+
		"--exclude and --places count from: canvas, the corner of level 0, as for OpenSlide, or "+
		"bounds, the corner of the scanned part, as for QuPath (default bounds in GeoJSON, else "+
		"canvas)")
	c.Flags().StringVar(&f.lay.TileNames, "tile-names", "", "which number in the names of tiles "+
		"is x: xy or yx (default what words in names, the sides of tiles or their edges say)")
}

// OpenEncoder opens the encoder, in the Memory of ctx. It returns nil if none is given.
func (f *SlideFlags) OpenEncoder(
	ctx context.Context, o onnxbackend.Options,
) (*onnxbackend.Encoder, error) {
	if f.Encoder == "" {
		return nil, nil
	}
	var err error
	if o.Card = nil; f.card != "" {
		if o.Card, err = ReadFile(ctx, f.card); err != nil {
			return nil, err
		}
	}
	return OpenEncoder(ctx, f.Encoder, o)
}

// OpenEncoder opens the file of an encoder as OpenModel opens that of a model.
func OpenEncoder(
	ctx context.Context, path string, o onnxbackend.Options,
) (*onnxbackend.Encoder, error) {
	return openFile(ctx, path, o, onnxbackend.OpenEncoder)
}

// An OpenSlide is the file of a slide with its patches.
type OpenSlide struct {
	*patches.Patches
	io.Closer
}

// Open opens a slide and lays its patches. e and m may be nil. The caller must close it.
func (f *SlideFlags) Open(ctx context.Context, path string, size *int,
	e *onnxbackend.Encoder, m ask.Engine,
) (*OpenSlide, error) {
	lay := f.lay
	lay.PatchSize = size
	s, err := OpenSlideFile(ctx, path, lay, e, m)
	return s, slideFlagError(err)
}

// OpenSlideFile opens a slide and lays its patches. e and m may be nil. The caller must close it.
// Errors are those of ask.Lay.Options and of packages slide and patches.
func OpenSlideFile(ctx context.Context, path string, lay ask.Lay,
	e *onnxbackend.Encoder, m ask.Engine,
) (*OpenSlide, error) {
	called := filepath.Base(path)
	path, err := slidefiles.File(path, lay.TileNames)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, msg.Errorf("%s cannot be read: %w", path, err)
	}
	p, err := openPatches(ctx, file, path, called, lay, e, m)
	if err != nil {
		file.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	return &OpenSlide{p, file}, nil
}

// openPatches lays the patches of a slide. called is the file or folder that the user named.
func openPatches(
	ctx context.Context, file *os.File, path, called string, lay ask.Lay,
	e *onnxbackend.Encoder, m ask.Engine,
) (*patches.Patches, error) {
	base, size, err := slidefiles.Regular(file, path)
	if err != nil {
		return nil, err
	}
	o, err := lay.Options(e, m)
	if err != nil {
		return nil, err
	}
	return lay.Open(ctx, called, base, slidefiles.Until{Context: ctx, File: file}, size,
		slidefiles.Beside(path, called), o)
}

// DrawnFile returns the file or folder with a path, "" for none.
func DrawnFile(path string) ask.DrawnFile {
	if path == "" {
		return ask.DrawnFile{}
	}
	return ask.DrawnFile{Path: filepath.Base(path), Files: os.DirFS(filepath.Dir(path))}
}

// drawnFile is the value of a flag: the path of a file or folder.
type drawnFile struct{ *ask.DrawnFile }

func (d drawnFile) String() string {
	if d.DrawnFile == nil {
		return ""
	}
	return d.Path
}

func (d drawnFile) Set(path string) error {
	*d.DrawnFile = DrawnFile(path)
	return nil
}

func (d drawnFile) Type() string { return "string" }

// slideFlags has the flags of the settings of package slide.
var slideFlags = map[string]string{"slide mpp": "slide-mpp", "coords unit": "coords-unit",
	"patch size": "patch-size", "tile names": "tile-names", "microns a pixel": "mpp",
	"smallest part of tissue": "min-tissue", "tissue threshold": "tissue-threshold"}

// slideFlagError names the flag of an invalid setting of slides; it returns other errors unchanged.
func slideFlagError(err error) error {
	if setting, reason, ok := SlideSetting(err); ok {
		return Usagef("--%s: %s", cmp.Or(slideFlags[setting], setting), reason)
	}
	return err
}

// SlideSetting returns the setting that an error is about, and what is wrong with it. ok is false
// for other errors.
func SlideSetting(err error) (setting, reason string, ok bool) {
	var general *core.SettingError
	var option *slide.OptionError
	switch {
	case errors.As(err, &general):
		return general.Setting, general.Reason, true
	case errors.As(err, &option):
		return option.Option, option.Reason, true
	}
	return "", "", false
}
