package cohort

import (
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"path"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/service/query"
)

// addEncoder opens the encoder beside a model that its card names, for bags that are whole slides.
// Results depend on it, so that the hash of the model contains its files.
func (m *model) addEncoder(ctx context.Context, modelName string, hash hash.Hash) error {
	name := m.engine.Card().Encoder
	if name == "" {
		return nil
	}
	name = beside(modelName, name)
	data, err := readFile(ctx, name, maxFile)
	if err != nil {
		return err
	}
	card, err := readFile(ctx, strings.TrimSuffix(name, path.Ext(name))+".bagscope.json", maxFile)
	if err != nil && !notThere(err) {
		return err
	}
	for _, part := range [][]byte{data, card} {
		sum := sha256.Sum256(part)
		hash.Write(sum[:])
	}
	external, done, err := tensorsBeside(ctx, name, func(_ string, _ int64, data []byte) {
		sum := sha256.Sum256(data)
		hash.Write(sum[:])
	})
	if err != nil {
		return err
	}
	defer done()
	m.encoder, err = onnxbackend.OpenEncoder(data, onnxbackend.Options{Name: base(name), Card: card,
		External: external, Workers: 1, Limits: onnxbackend.LimitsIn(core.MemoryOf(ctx))})
	return err
}

// slideReader returns bagio.Options.Slide: the patches of a slide are encoded. It is nil if neither
// an encoder nor the model encodes them, and slides are pictures.
func (m *model) slideReader(ctx context.Context, cut query.Cut,
) func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
	lay := query.Lay{PatchSize: cut.PatchSize}
	if m.encoder == nil && !lay.Streams(m.engine) {
		return nil
	}
	return func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
		if err := cut.ForSlides(); err != nil {
			return nil, err
		}
		return query.Slides{Encoder: m.encoder, Lay: lay}.Reader(ctx, m.engine)(name, r, size)
	}
}
