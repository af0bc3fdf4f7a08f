package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/tiling"
)

// tilesCommand holds the flags of tiles.
type tilesCommand struct {
	slides  cli.SlideFlags
	device  cli.DeviceFlag
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
	c := cli.Command("tiles SLIDE", "Write the patches of a whole slide to an .h5 file: their "+
		"places, and with --encoder their features",
		func(c *cobra.Command) error { return t.run(c, path) })
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return cli.Usagef("tiles takes one slide, but %d are given: bagscope tiles SLIDE "+
				"--out bag.h5", len(args))
		}
		path = args[0]
		return nil
	}
	flags := c.Flags()
	cli.FileFlag(c, &t.out, "out", "the file to write, in TRIDENT's form; "+
		"an interrupted one is FILE.partial", ".h5", ".hdf5")
	flags.IntVar(&t.size, "patch-size", 0,
		"side of a patch in pixels (default that of the encoder)")
	t.slides.Register(c)
	t.slides.RegisterMPP(c)
	cli.FileFlag(c, &t.mask, "mask", "write a picture of the slide to a PNG file, in which "+
		"everything that is not tissue is dark; without --out, nothing else is written", ".png")
	flags.IntVar(&t.workers, "workers", 0, "goroutines that encode (default: one per processor)")
	t.device.Register(c)
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
	device, always, err := t.device.Open()
	if err != nil {
		return err
	}
	e, err := t.slides.OpenEncoder(ctx, onnxbackend.Options{Workers: t.workers, Device: device,
		DeviceAlways: always, Limits: onnxbackend.LimitsIn(quota.MemoryOf(ctx))})
	if err != nil {
		return err
	}
	s, err := t.slides.Open(ctx, path, &t.size, e, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	bar := cli.NewProgress(c.ErrOrStderr(), "patches")
	out, err := tiling.Job{Slide: s, Encoder: e, Out: t.out, Mask: t.mask,
		Noted: cli.EarlyNotes(c), Progress: bar.UpdateStored}.Run(ctx)
	bar.End()
	if err != nil {
		return err
	}
	return t.form.Write(c, cli.Result{JSON: out, Text: tiled{out}.text})
}

// tiled is written in sentences.
type tiled struct{ *tiling.Tiled }

// text appends the description in sentences.
func (t tiled) text(to *bytes.Buffer) {
	fmt.Fprintf(to, "%s, %s, %d x %d pixels", msg.Line(t.Slide.Name), t.Slide.Format,
		t.Slide.Width, t.Slide.Height)
	if t.Slide.MPP > 0 {
		fmt.Fprintf(to, " of %s µm", cli.Short(float64(t.Slide.MPP)))
	}
	fmt.Fprintf(to, "\ntissue: %.1f %% of the slide (%s",
		100*float64(t.Tissue.Part), t.Tissue.Method)
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
	fmt.Fprintf(to, "%s: %s\n", msg.Line(t.Out), what)
	cli.WriteNotes(to, t.Notes)
}
