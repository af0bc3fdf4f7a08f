package host

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/wasm/wire"
)

// inside answers wire.Inside.
func (h *Host) inside(ctx context.Context, id uint32, r wire.Inside) (any, error) {
	defer h.closePool(id)
	of, err := h.ask(ctx, id, r.Ask, nil)
	if err != nil {
		return nil, err
	}
	instance, err := of.positions("instance", []int{r.Instance})
	if err != nil {
		return nil, err
	}
	m, err := of.Inside(ctx, of.model, of.bag, core.InsideQuestion{Class: of.class,
		Instance: instance[0], Cell: r.Cell, Hidden: core.Hidden(r.Hidden), Samples: r.Samples,
		Fixed: r.Fixed})
	if err != nil {
		return nil, err
	}
	g := m.Grid
	return wire.InsideFound{Answered: of.end(m.Notes), Instance: r.Instance, Cell: g.Cell,
		Height: g.Height, Width: g.Width, Rows: g.Rows, Columns: g.Columns,
		Hidden: string(m.Hidden), Unit: string(m.Unit), Scores: m.Scores, Stderr: m.StdErr,
		Evident: m.Evident, Freedom: m.Freedom, Whole: m.Whole, Without: m.Without,
		Samples: m.Samples, Contexts: m.Contexts}, nil
}

// groups answers wire.Groups.
func (h *Host) groups(ctx context.Context, id uint32, r wire.Groups) (any, error) {
	defer h.closePool(id)
	of, err := h.ask(ctx, id, r.Ask, nil)
	if err != nil {
		return nil, err
	}
	groups, err := of.Groups(ctx)
	if err != nil {
		return nil, err
	}
	return wire.GroupsFound{Answered: of.end(nil), Groups: listOf(groups, of.original)}, nil
}
