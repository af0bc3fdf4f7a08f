package main

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"io"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/query"
)

// tilesCommand holds the flags of tiles.
type tilesCommand struct {
	slides  cli.SlideFlags
	size    int
	workers int
	out     string
	mask    string // path of a file, or ""
	memory  cli.MemoryFlag
	form    cli.OutputFlags
}

// newTiles returns the command that writes the patches of a slide to a file.
func newTiles() *cobra.Command {
	t := &tilesCommand{}
	var path string
	c := cli.Command("tiles SLIDE", "Write the patches of a whole slide to an .h5 file: their places, "+
		"and with --encoder their features", func(c *cobra.Command) error { return t.run(c, path) })
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return cli.Usagef("tiles takes one slide, but %d are given: bagscope tiles SLIDE "+
				"--out bag.h5", len(args))
		}
		path = args[0]
		return nil
	}
	flags := c.Flags()
	flags.StringVar(&t.out, "out", "", "the file to write, in TRIDENT's form; an interrupted one is "+
		"FILE.partial")
	flags.IntVar(&t.size, "patch-size", 0, "side of a patch in pixels (default that of the encoder)")
	t.slides.Register(c)
	flags.StringVar(&t.mask, "mask", "", "write a picture of the slide to a PNG file, in which "+
		"everything that is not tissue is dark; without --out, nothing else is written")
	flags.IntVar(&t.workers, "workers", 0, "goroutines that encode (default: one per processor)")
	t.memory.Register(c)
	t.form.Register(c, "")
	return c
}

// run lays the patches, then writes the mask and the file.
func (t *tilesCommand) run(c *cobra.Command, path string) error {
	if t.out == "" && t.mask == "" {
		return cli.Usagef("--out is missing: the file to write")
	}
	if err := cli.NotNegative(c, "omit it for the default", "workers", "patch-size"); err != nil {
		return err
	}
	if err := t.memory.Bound(c); err != nil {
		return err
	}
	ctx := c.Context()
	e, err := t.slides.OpenEncoder(ctx, onnxbackend.Options{Workers: t.workers,
		Limits: onnxbackend.LimitsIn(core.MemoryOf(ctx))})
	if err != nil {
		return err
	}
	s, err := t.slides.Open(ctx, path, &t.size, e, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	if t.mask != "" {
		err := cli.WriteFile(t.mask, func(w io.Writer) error { return png.Encode(w, s.MaskPicture()) })
		if err != nil {
			return err
		}
	}
	out := newTiled(s)
	if t.out != "" {
		if out.Features, err = t.write(ctx, c, s, e); err != nil {
			return err
		}
		out.Out = t.out
	}
	return t.form.Write(c, cli.Result{JSON: out, Text: out.text})
}

// write writes the file and returns how many features a patch has.
func (t *tilesCommand) write(
	ctx context.Context, c *cobra.Command, s *cli.OpenSlide, e *onnxbackend.Encoder,
) (int, error) {
	if e == nil {
		return 0, cli.WriteFeatures(ctx, t.out, s.File(0), nil)
	}
	// The first patch shows how many features there are.
	first, err := s.Bag(ctx, 0, 1)
	if err != nil {
		return 0, err
	}
	features, err := e.Encode(ctx, first)
	if err != nil {
		return 0, err
	}
	d, info := features.Stride(), e.Info()
	bar := cli.NewProgress(c.ErrOrStderr(), "patches")
	err = cli.WriteFeatures(ctx, t.out, s.File(d, core.Setting{Name: "encoder", Value: info.Name},
		core.Setting{Name: "encoder_sha256", Value: info.SHA256}),
		func(from int, sink func(*core.Bag) error) error {
			return s.Encode(ctx, e, from, sink,
				func(done, total int) { bar.UpdateStored(done, from, total) })
		})
	bar.End()
	return d, err
}

// tiled is the JSON of tiles. Scripts depend on it.
type tiled struct {
	Slide struct {
		Name          string       `json:"name"`
		Format        string       `json:"format"`
		Width         int          `json:"width"`
		Height        int          `json:"height"`
		MPP           query.Number `json:"mpp"` // 0 is unknown, as for magnification
		Magnification query.Number `json:"magnification"`
	} `json:"slide"`
	Patches   int          `json:"patches"`
	PatchSize int          `json:"patch_size"`
	MPP       query.Number `json:"mpp"` // microns that a pixel of a patch covers
	Overlap   int          `json:"overlap"`
	Level0    int          `json:"patch_size_level0"`
	Level     int          `json:"level"` // level that pixels are read from
	Tissue    struct {
		Method    string       `json:"method"`
		Threshold int          `json:"threshold"`
		Part      query.Number `json:"part"` // part of the slide
	} `json:"tissue"`
	Features int    `json:"features"` // features of a patch; 0 for places alone
	Out      string `json:"out,omitempty"`
}

// newTiled describes the patches of a slide.
func newTiled(s *cli.OpenSlide) *tiled {
	t := &tiled{Patches: s.Len(), PatchSize: s.Grid.PatchSize, MPP: query.Number(s.Microns()),
		Overlap: s.Overlap(), Level0: s.Grid.Side, Level: s.Grid.Level}
	about := s.About()
	t.Slide.Name, t.Slide.Format = s.Name, s.Slide.Format
	t.Slide.Width, t.Slide.Height = about.Width, about.Height
	t.Slide.MPP, t.Slide.Magnification = query.Number(about.MPP), query.Number(about.Magnification)
	t.Tissue.Method, t.Tissue.Part = s.Method(), 1
	if m := s.Mask; m != nil {
		n := 0
		for _, tissue := range m.Tissue {
			if tissue {
				n++
			}
		}
		t.Tissue.Threshold = m.Threshold
		t.Tissue.Part = query.Number(float64(n) / float64(len(m.Tissue)))
	}
	return t
}

// text appends the description in sentences.
func (t *tiled) text(to *bytes.Buffer) {
	fmt.Fprintf(to, "%s, %s, %d x %d pixels", query.VisibleLine(t.Slide.Name), t.Slide.Format,
		t.Slide.Width, t.Slide.Height)
	if t.Slide.MPP > 0 {
		fmt.Fprintf(to, " of %s µm", cli.Short(float64(t.Slide.MPP)))
	}
	fmt.Fprintf(to, "\ntissue: %.1f %% of the slide (%s", 100*float64(t.Tissue.Part), t.Tissue.Method)
	if t.Tissue.Threshold > 0 {
		fmt.Fprintf(to, ", %d", t.Tissue.Threshold)
	}
	fmt.Fprintf(to, ")\n%d patches of %d pixels", t.Patches, t.PatchSize)
	if t.MPP > 0 {
		fmt.Fprintf(to, " of %s µm", cli.Short(float64(t.MPP)))
	}
	fmt.Fprintf(to, ", %d pixels of the full resolution, from level %d\n", t.Level0, t.Level)
	if t.Out == "" {
		return
	}
	what := "their places"
	if t.Features > 0 {
		what = fmt.Sprintf("their places and %d features of each", t.Features)
	}
	fmt.Fprintf(to, "%s: %s\n", query.VisibleLine(t.Out), what)
}
