package host

import (
	"bytes"
	"context"
	"io/fs"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/heatmap"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/wasm/wire"
)

// mostFile bounds the bytes of a file that is written in memory.
const mostFile = 1 << 30

// writeHeatmap writes an explanation as a pyramid over a slide.
func (h *Host) writeHeatmap(ctx context.Context, id uint32, r wire.WriteHeatmap) (any, error) {
	b, report, drawn, err := h.drawing(r.Draw, h.bag)
	if err != nil {
		return nil, err
	}
	m, err := heatmap.New(b.bag, report,
		heatmap.Options{Options: drawn, Progress: h.progress(id, r.Watch)})
	if err != nil {
		return nil, err
	}
	var file boundedFile
	switch r.Form {
	case "ome.tif":
		err = m.WriteOME(ctx, &file)
	case "zip":
		if len(m.Classes) == 0 {
			return nil, &core.SettingError{Setting: "classes", Reason: "a heat map needs a class"}
		}
		if !fs.ValidPath(r.Name) || strings.ContainsAny(r.Name, `/\`) {
			return nil, &core.SettingError{Setting: "name",
				Reason: msg.Sprintf("%q is not the name of a file", r.Name)}
		}
		err = m.WriteZIP(ctx, 0, r.Name, &file)
	default:
		err = &core.SettingError{Setting: "form",
			Reason: msg.Sprintf("%q is not one of ome.tif, zip", r.Form)}
	}
	if err != nil {
		return nil, err
	}
	return wire.Heatmap{Bytes: file.Bytes()}, nil
}

// A boundedFile is a file in memory of at most mostFile bytes.
type boundedFile struct{ bytes.Buffer }

func (f *boundedFile) Write(p []byte) (int, error) {
	if n := f.Len() + len(p); n > mostFile {
		return 0, &draw.LimitError{What: "the heat map's bytes", Requested: n, Limit: mostFile}
	}
	return f.Buffer.Write(p)
}
