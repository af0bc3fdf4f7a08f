// Package tiling writes the patches of whole slides to files, and describes them, as bagscope tiles
// does.
package tiling

import (
	"context"
	"image/png"
	"io"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// A Job is a slide whose patches are written.
type Job struct {
	Slide   *cli.OpenSlide
	Encoder *onnxbackend.Encoder // nil writes places alone
	Out     string               // path of the .h5 file, or ""
	Mask    string               // path of a picture of the tissue, or ""
	// Noted gets what may be wrong with the features, before patches are encoded; nil gets nothing.
	Noted func(notes []string)
	// Progress gets the number of patches that are encoded, and how many of them an earlier run
	// has encoded; nil reports nothing.
	Progress func(done, stored, total int)
}

// Run writes the files. An interrupted Out is continued, see cli.WriteFeatures, whose errors it
// returns.
func (j Job) Run(ctx context.Context) (*Tiled, error) {
	if j.Mask != "" {
		err := cli.WriteFile(j.Mask, func(w io.Writer) error {
			return png.Encode(w, j.Slide.MaskPicture())
		})
		if err != nil {
			return nil, err
		}
	}
	out := describe(j.Slide)
	out.Notes = j.Slide.Notes()
	if j.Encoder != nil {
		out.Notes = append(out.Notes, j.Encoder.PixelNotes(j.Slide.PictureShape())...)
		if j.Noted != nil && len(out.Notes) > 0 {
			j.Noted(out.Notes)
		}
	}
	if j.Out == "" {
		return out, nil
	}
	var err error
	out.Out = j.Out
	out.Features, err = j.write(ctx)
	if j.Encoder != nil {
		out.Notes = append(out.Notes, j.Encoder.Notes()...)
	}
	return out, err
}

// write writes Out and returns how many features a patch has.
func (j Job) write(ctx context.Context) (int, error) {
	s, e := j.Slide, j.Encoder
	if e == nil {
		return 0, cli.WriteFeatures(ctx, j.Out, s.File(0), nil)
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
	file := s.File(d, core.Setting{Name: "encoder", Value: info.Name},
		core.Setting{Name: "encoder_sha256", Value: info.SHA256})
	return d, cli.WriteFeatures(ctx, j.Out, file,
		func(from int, sink func(*core.Bag) error) error {
			return s.Encode(ctx, e, from, sink, func(done, total int) {
				if j.Progress != nil {
					j.Progress(done, from, total)
				}
			})
		})
}
