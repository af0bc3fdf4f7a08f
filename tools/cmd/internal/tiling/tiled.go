package tiling

import (
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// Tiled is the JSON of tiles. Scripts depend on it.
type Tiled struct {
	Slide     Slide      `json:"slide"`
	Patches   int        `json:"patches"`
	PatchSize int        `json:"patch_size"`
	MPP       ask.Number `json:"mpp"` // microns that a pixel of a patch covers
	Overlap   int        `json:"overlap"`
	Level0    int        `json:"patch_size_level0"`
	Level     int        `json:"level"` // level that pixels are read from
	Tissue    Tissue     `json:"tissue"`
	Features  int        `json:"features"` // features of a patch; 0 for places alone
	Out       string     `json:"out,omitempty"`
	Notes     []string   `json:"notes,omitempty"` // the encoder's
}

// The parts of Tiled.
type (
	// Slide describes a slide. An MPP or magnification of 0 is unknown.
	Slide struct {
		Name          string     `json:"name"`
		Format        string     `json:"format"`
		Width         int        `json:"width"`
		Height        int        `json:"height"`
		MPP           ask.Number `json:"mpp"`
		Magnification ask.Number `json:"magnification"`
	}
	// Tissue says how the tissue was found.
	Tissue struct {
		Method    string     `json:"method"`
		Threshold int        `json:"threshold"`
		Part      ask.Number `json:"part"` // part of the slide
	}
)

// describe describes the patches of a slide.
func describe(s *cli.OpenSlide) *Tiled {
	about := s.About()
	t := &Tiled{Patches: s.Len(), PatchSize: s.Grid.PatchSize, MPP: ask.Number(s.Microns()),
		Overlap: s.Overlap(), Level0: s.Grid.Side, Level: s.Grid.Level,
		Slide: Slide{s.Name, s.Slide.Format, about.Width, about.Height, ask.Number(about.MPP),
			ask.Number(about.Magnification)},
		Tissue: Tissue{Method: s.Method(), Part: 1}}
	if m := s.Mask; m != nil {
		t.Tissue.Threshold = m.Threshold
		t.Tissue.Part = ask.Number(m.Share())
	}
	return t
}
