package engine

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/tiling"
	"github.com/bagscope/bagscope/tools/service/jsontext"
	"github.com/bagscope/bagscope/wasm/wire"
)

// ReadSlide reads bags as the commands do with --encoder.
func (files) ReadSlide(ctx context.Context, r wire.ReadBagFile, m ask.Engine,
	o bagio.Options, progress func(done, total int),
) (*bagio.Set, error) {
	e := *r.Encoding
	given := e.Encoder != ""
	if name := m.Card().Encoder; !given && name != "" {
		e.Encoder = filepath.Join(e.Folder, name)
	}
	lay := layOf(e)
	lay.SlideMPP = r.Read.SlideMpp
	if e.Encoder == "" && !lay.Streams(m) {
		return cli.ReadBags(ctx, r.Path, o)
	}
	set, isSlide, err := cli.SlideBags{
		Encoder: func() (*onnxbackend.Encoder, error) {
			if e.Encoder == "" {
				return nil, nil
			}
			return openEncoder(ctx, e)
		},
		Lay:      lay,
		Progress: progress,
	}.Read(ctx, r.Path, m, o)
	if err == nil && !isSlide && given {
		return nil, wrong("encoder", "it encodes whole slides, but %s is none; omit it to use the "+
			"file as it is", filepath.Base(r.Path))
	}
	if isSlide {
		err = slideError(err)
	}
	return set, err
}

// WriteTiles writes patches as the command tiles does. It writes one slide at a time: a cancelled
// request may not have left the file yet that the next one continues.
func (f files) WriteTiles(
	ctx context.Context, r wire.WriteTiles, noted func(notes []string),
	progress func(done, total int),
) (out wire.TilesWritten, err error) {
	select {
	case f.writing <- struct{}{}:
		defer func() { <-f.writing }()
	case <-ctx.Done():
		return out, context.Cause(ctx)
	}
	var e *onnxbackend.Encoder
	if r.Encoding.Encoder != "" {
		if e, err = openEncoder(ctx, r.Encoding); err != nil {
			return out, err
		}
	}
	lay := layOf(r.Encoding)
	lay.SlideMPP = r.SlideMpp
	s, err := cli.OpenSlideFile(ctx, r.Path, lay, e, nil)
	if err != nil {
		return out, slideError(err)
	}
	defer s.Close()
	job := tiling.Job{Slide: s, Encoder: e, Out: r.Out, Mask: r.Mask, Noted: noted}
	if progress != nil {
		job.Progress = func(done, _, total int) { progress(done, total) }
	}
	tiled, err := job.Run(ctx)
	if err != nil {
		return out, slideError(err)
	}
	for _, b := range s.Grid.Boxes {
		out.X, out.Y = append(out.X, b.Min.X), append(out.Y, b.Min.Y)
	}
	var report bytes.Buffer
	err = jsontext.Write(&report, tiled)
	out.Report = report.Bytes()
	return out, err
}

// openEncoder opens the encoder of a message, in the Memory of ctx.
func openEncoder(ctx context.Context, e wire.Encoding) (*onnxbackend.Encoder, error) {
	o := onnxbackend.Options{Limits: onnxbackend.LimitsIn(quota.MemoryOf(ctx))}
	if e.Card != "" {
		o.Card = []byte(e.Card)
	}
	return cli.OpenEncoder(ctx, e.Encoder, o)
}

// layOf returns how patches lie on a slide.
func layOf(e wire.Encoding) ask.Lay {
	return ask.Lay{PatchSize: &e.PatchSize, Microns: e.Microns, Overlap: e.Overlap,
		Threshold: e.Threshold, MinTissue: e.MinTissue, WholeSlide: e.WholeSlide,
		Tissue: cli.DrawnFile(e.Tissue), Exclude: cli.DrawnFile(e.Exclude),
		Places: cli.DrawnFile(e.Places)}
}

// arguments has the arguments of Python for the settings of package slide.
var arguments = map[string]string{"patch size": "patch_size", "microns a pixel": "mpp",
	"slide mpp": "slide_mpp", "smallest part of tissue": "min_tissue",
	"tissue threshold": "tissue_threshold"}

// slideError names the argument of an invalid setting of slides; it returns other errors unchanged.
func slideError(err error) error {
	if setting, reason, ok := cli.SlideSetting(err); ok {
		return wrong(cmp.Or(arguments[setting], setting), "%s", msg.Text(reason))
	}
	return err
}
