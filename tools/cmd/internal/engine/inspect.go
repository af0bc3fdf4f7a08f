package engine

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/cmd/internal/inspection"
	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// Inspect writes the JSON that bagscope inspect --json writes.
func (files) Inspect(
	ctx context.Context, m, plain *onnxbackend.Model, bag *core.Bag, stage string,
) ([]byte, error) {
	if stages := inspection.Stages(); stage != "" && !slices.Contains(stages, stage) {
		return nil, wrong("stage", "%q is unknown; use one of %s", stage,
			strings.Join(stages, ", "))
	}
	if stage == inspection.Graph && plain == nil {
		return nil, wrong("plain", "the graph is that of the model opened without passes")
	}
	s := inspection.Subject{Model: m, Bag: bag, Advice: "pass a bag",
		Plain: func() (*onnxbackend.Model, error) { return plain, nil }}
	out, err := s.Describe(ctx, stage)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = jsontext.Write(&text, out)
	return text.Bytes(), err
}
