package host

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// scoreCoalitions returns the class scores of coalitions that the client chose, for estimators of
// other programs.
func (h *Host) scoreCoalitions(
	ctx context.Context, id uint32, r wire.ScoreCoalitions,
) (any, error) {
	m, in, err := h.input(ctx, id, target{model: r.Model, bag: r.Bag}, nil)
	if err != nil {
		return nil, err
	}
	k := in.Bag.Len()
	z, err := unpacked(r.Coalitions, k, r.Count)
	if err != nil {
		return nil, err
	}
	needed := int64(r.Count) * ask.CoalitionBytes(k, max(1, len(m.Info().Classes)))
	if needed > ask.CoalitionMemory {
		return nil, &quota.MemoryError{Needed: needed, Limit: ask.CoalitionMemory,
			Instances: k, Advice: "score fewer coalitions at a time"}
	}
	ev, err := in.Engine.Bind(ctx, in.Bag)
	if err != nil {
		return nil, err
	}
	g, err := core.NewGame(ev,
		core.GameOptions{Output: core.Output(r.Output), Workers: h.workers(m)})
	if err != nil {
		return nil, err
	}
	scores, err := g.Values(ctx, z)
	if err != nil {
		return nil, err
	}
	return wire.CoalitionScores{Output: string(g.Output()), Scores: scores}, nil
}

// unpacked returns the coalitions of wire.ScoreCoalitions over k instances. It returns a
// *core.SettingError for an empty coalition, and for bytes that do not fit.
func unpacked(data []byte, k, count int) (*core.Coalitions, error) {
	bad := func(format string, args ...any) error {
		return &core.SettingError{Setting: "coalitions", Reason: msg.Sprintf(format, args...)}
	}
	size := (k + 7) / 8
	// A product could overflow.
	if count <= 0 || len(data)%size != 0 || len(data)/size != count {
		return nil, bad("%d bytes do not hold %d coalitions of %d instances", len(data), count, k)
	}
	z := core.NewCoalitions(k, count)
	for j := range count {
		row := z.AppendEmpty()
		for i, b := range data[j*size : (j+1)*size] {
			row[i/8] |= uint64(b) << (i % 8 * 8)
		}
		if k%64 != 0 && row[k/64]>>(k%64) != 0 {
			return nil, bad("coalition %d has a member beyond instance %d", j, k-1)
		}
		if z.Size(j) == 0 {
			return nil, bad("coalition %d is empty, and models take no empty bag", j)
		}
	}
	return z, nil
}
