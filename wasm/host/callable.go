package host

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A servedModel is an open model: a model file, or a function of the client.
type servedModel interface {
	Info() core.ModelInfo
	Card() onnxbackend.Card
	// Needs estimates the memory of the bag and its binding in bytes.
	Needs(ctx context.Context, bag *core.Bag) (bytes int64, err error)
}

var (
	_ servedModel = (*onnxbackend.Model)(nil)
	_ servedModel = (*callable)(nil)
)

// A callable is a function of the client that scores bags. It may not be safe for concurrent use,
// so that a request sends one event at a time.
type callable struct {
	info  core.ModelInfo
	batch bool // the function scores many coalitions for little more than a few
}

// Info returns what the client stated.
func (c *callable) Info() core.ModelInfo { return c.info }

// Card returns an empty card.
func (c *callable) Card() onnxbackend.Card { return onnxbackend.Card{} }

// Needs returns the bytes of the bag. The memory of the function is the client's.
func (c *callable) Needs(_ context.Context, bag *core.Bag) (int64, error) {
	return 4 * int64(len(bag.Values)), nil
}

// callableNote recommends methods. single and one-removed evaluate k coalitions.
const callableNote = "The model is a function: each coalition is one call of it. The methods " +
	"single and one_removed need one call for each instance, combined needs two; methods that " +
	"sample need more, which the options samples and budget bound."

// openCallable opens a function of the client.
func (h *Host) openCallable(r wire.OpenCallable) (any, error) {
	bad := func(setting, format string, args ...any) (any, error) {
		return nil, &core.SettingError{Setting: setting, Reason: msg.Sprintf(format, args...)}
	}
	scales := []core.Scale{core.ScaleLogits, core.ScaleSigmoidLogits, core.ScaleProbabilities,
		core.ScaleLogProbabilities, core.ScaleRaw}
	switch {
	case len(r.Classes) == 0:
		return bad("classes", "a function needs at least one class")
	case !slices.Contains(scales, core.Scale(r.Scale)):
		return bad("scale", "%q is unknown; use one of %v", r.Scale, scales)
	case r.Negative < -1 || r.Negative >= len(r.Classes):
		return bad("negative", "there is no class %d; use -1 if no class is negative", r.Negative)
	}
	c := &callable{batch: r.Batch, info: core.ModelInfo{Name: r.Name, Classes: r.Classes,
		Scale: core.Scale(r.Scale), ScaleFrom: "the caller", Negative: r.Negative,
		Notes: []string{callableNote}}}
	return h.openedModel(c), nil
}

// workers returns the number of goroutines that evaluate a model. A function of the client gets one
// event at a time.
func (h *Host) workers(m servedModel) int {
	if _, ok := m.(*callable); ok {
		return 1
	}
	return h.config.Workers
}

// A callableError reports that the function of the client failed or returned wrong scores.
type callableError struct{ reason string }

// Error says what the function did.
func (e *callableError) Error() string { return msg.Cut("the function " + e.reason) }

// A callableBag is the evaluator of a bag under a function of the client.
type callableBag struct {
	*callable
	host    *Host
	request uint32
	model   int // handle
	k       int
	trace   *[]string
}

// Kind returns "callable".
func (e *callableError) Kind() string { return kind.Callable }

var (
	_ core.Evaluator = (*callableBag)(nil)
	_ core.Batcher   = (*callableBag)(nil)
	_ core.Noter     = (*callableBag)(nil)
)

// Task implements core.Evaluator.
func (c *callableBag) Task() core.Task {
	return core.Task{Instances: c.k, Classes: len(c.info.Classes), Scale: c.info.Scale,
		Negative: c.info.Negative}
}

// Notes implements core.Noter.
func (c *callableBag) Notes() []string { return c.info.Notes }

// Batch implements core.Batcher.
func (c *callableBag) Batch() int {
	if c.batch {
		return core.BatchUnit
	}
	return 0
}

// Evaluate implements core.Evaluator. It sends the coalitions to the client and waits for their
// scores.
func (c *callableBag) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	if err := noteTrace(c.trace, z); err != nil {
		return err
	}
	ticket, reply := c.host.tickets.open()
	defer c.host.tickets.close(ticket)
	c.host.send(c.request, wire.EvaluateBags{Ticket: ticket, Model: c.model, Instances: c.k,
		Count: z.Len(), Coalitions: packed(z)})
	select {
	case r := <-reply:
		switch {
		case r.Failed:
			return &callableError{"failed"}
		case len(r.Scores) != len(dst):
			return &callableError{fmt.Sprintf("returned %d scores for %d bags of %d classes",
				len(r.Scores), z.Len(), len(c.info.Classes))}
		}
		copy(dst, r.Scores)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// predict returns the function's scores of the whole bag.
func (c *callableBag) predict(ctx context.Context) (*onnxbackend.Prediction, error) {
	z := core.NewCoalitions(c.k, 1)
	z.AppendWithout()
	scores := make([]float64, len(c.info.Classes))
	if err := c.Evaluate(ctx, scores, z); err != nil {
		return nil, err
	}
	return &onnxbackend.Prediction{Scores: scores, Classes: c.info.Classes, Scale: c.info.Scale,
		Notes: c.info.Notes}, nil
}

// packed returns the coalitions in the form of wire.EvaluateBags.
func packed(z *core.Coalitions) []byte {
	size := (z.Instances() + 7) / 8
	out := make([]byte, 0, z.Len()*size+8)
	for j := range z.Len() {
		at := len(out)
		for _, word := range z.Row(j) {
			out = binary.LittleEndian.AppendUint64(out, word)
		}
		out = out[:at+size]
	}
	return out
}

// tickets holds the events that wait for scores. The zero value is empty.
type tickets struct {
	mu      sync.Mutex
	last    int
	waiting map[int]chan wire.BagScores
}

// open returns a new ticket and the channel of its scores, which has room for them.
func (t *tickets) open() (int, <-chan wire.BagScores) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil {
		t.waiting = map[int]chan wire.BagScores{}
	}
	t.last++
	reply := make(chan wire.BagScores, 1)
	t.waiting[t.last] = reply
	return t.last, reply
}

// deliver passes scores on. It drops those of a ticket that is closed.
func (t *tickets) deliver(r wire.BagScores) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if reply := t.waiting[r.Ticket]; reply != nil {
		delete(t.waiting, r.Ticket)
		reply <- r
	}
}

// close forgets a ticket.
func (t *tickets) close(ticket int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waiting, ticket)
}
