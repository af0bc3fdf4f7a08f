package export

import (
	"encoding/json"

	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// modelCard is the JSON of a model card, see the keys in onnxbackend's documentation of cards.
type modelCard struct {
	Classes    []string    `json:"classes"`
	Negative   int         `json:"negative"`
	Output     string      `json:"output"`
	OutputName string      `json:"output_name"`
	Inherent   string      `json:"inherent,omitempty"`
	Preprocess *preprocess `json:"preprocess,omitempty"`
	Patch      *patch      `json:"patch,omitempty"`
	Truth      []truth     `json:"truth,omitempty"`
}

// preprocess is (v*Scale - Mean[c]) / Std[c] for each colour c.
type preprocess struct {
	Scale float64   `json:"scale"`
	Mean  []float64 `json:"mean"`
	Std   []float64 `json:"std"`
}

// patch states how pictures were cut, in pixels, and the brightness of background.
type patch struct {
	Size       int     `json:"size"`
	Stride     int     `json:"stride"`
	Background float64 `json:"background"`
	Microns    float64 `json:"mpp,omitempty"` // of a pixel of a patch
}

// truth lists the instance labels that support or refute a class.
type truth struct {
	Support []int `json:"support"`
	Refute  []int `json:"refute,omitempty"`
}

// card returns the model card of a network. The name of the output with attention, clustering or
// predictions of instances is inherent, or "".
func card(
	net *network.Network, set *dataset.Set, p dataset.Preprocess, inherent string,
) ([]byte, error) {
	c := modelCard{Classes: set.Classes, Negative: set.Negative, Output: string(set.Scale),
		OutputName: Logits, Inherent: inherent}
	if len(net.Shape) == 3 {
		c.Preprocess = &preprocess{p.Scale, p.Mean, p.Std}
	}
	if set.Patch.Size > 0 {
		c.Patch = &patch{set.Patch.Size, set.Patch.Stride, set.Patch.Background, set.Microns}
	}
	for _, t := range set.Truth {
		c.Truth = append(c.Truth, truth{t.Support, t.Refute})
	}
	return json.Marshal(c)
}
