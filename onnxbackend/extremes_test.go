package onnxbackend_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// endless returns a model that repeats a body: nodes of next to no work, far more trips than
// anybody waits for, and other loops inside.
func endless(nodes, deep int, trips int64) ot.Model {
	body := func(inner []ot.Node, in string) ot.Model {
		return ot.Model{
			Inputs: []ot.Value{{Name: in + "t", Type: ot.Int64}, {Name: in + "go", Type: ot.Bool},
				ot.In(in)},
			Outputs: []ot.Value{{Name: in + "go", Type: ot.Bool}, ot.In(in + "next")},
			Nodes:   inner,
		}
	}
	var small []ot.Node
	for i := range nodes {
		small = append(small, ot.N("Shape", []string{"s0"}, []string{fmt.Sprint("n", i)}))
	}
	at := func(i int) string { return fmt.Sprint("s", i) }
	nodesOf := append(small, ot.N("Identity", []string{"s0"}, []string{"s0next"}))
	for i := range deep {
		b := body(nodesOf, at(i))
		nodesOf = []ot.Node{ot.N("Loop", []string{"far", "", at(i + 1)}, []string{at(i+1) + "next"},
			ot.Body("body", b))}
	}
	return ot.Model{
		Opset: 13, Initializers: []ot.Tensor{ot.I("far", []int64{trips})},
		Inputs: []ot.Value{ot.In("bag", "k", 2)}, Outputs: []ot.Value{ot.In("out", 2)},
		Nodes: []ot.Node{
			ot.N("ReduceMax", []string{"bag"}, []string{"m"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0)),
			ot.N("Loop", []string{"far", "", "m"}, []string{"out"},
				ot.Body("body", body(nodesOf, at(deep)))),
		},
	}
}

// TestEndlessLoops runs loops inside of loops, which must end at the limit of work, and loops over
// bodies of many small nodes, which must end soon after their context.
func TestEndlessLoops(t *testing.T) {
	m, err := Open(endless(1, 3, 900_000).Bytes(), Options{Limits: Limits{Work: 1 << 22}})
	must.Do(t, err)
	var limit *LimitError
	must.As(t, must.Err(m.Predict(context.Background(), enginetest.SmallBag(2, 2))), &limit)
	must.Equal(t, limit.Limit, 1<<22)
	// A run looks at its context at least once in 2^21 units of work.
	const nodes, most = 20_000, 1 << 24
	work := Options{Limits: Limits{Work: most}} // that of random runs on opening, too
	m = must.Get(Open(endless(nodes, 0, 900_000).Bytes(), work))(t)
	whole := &watched{Context: context.Background(), end: 1 << 30}
	_, err = m.Predict(whole, enginetest.SmallBag(2, 2))
	if looks := whole.looks; !errors.As(err, &limit) || looks < most>>21 {
		t.Errorf("%v after %d looks at the context", err, looks)
	}
	for end := range whole.looks {
		w := &watched{Context: context.Background(), end: end}
		must.Is(t, must.Err(m.Predict(w, enginetest.SmallBag(2, 2))), context.Canceled, w.looks,
			end)
		must.Equal(t, w.looks <= end+8, true, w.looks, end)
	}
}

// tower returns functions each of which calls the next twice, or, on a ring, the first again.
func tower(height int, ring bool) ot.Model {
	m := ot.Model{
		Opset: 13, Domains: map[string]int{"own": 1},
		Inputs: []ot.Value{ot.In("bag", "k", 2)}, Outputs: []ot.Value{ot.In("out", 2)},
		Nodes: []ot.Node{{Op: "f0", Domain: "own", In: []string{"bag"}, Out: []string{"y"}},
			ot.N("ReduceMax", []string{"y"}, []string{"out"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0))},
	}
	for i := range height {
		f := ot.Function{Name: fmt.Sprint("f", i), Domain: "own", Opset: 13, In: []string{"x"},
			Out: []string{"z"}}
		next := fmt.Sprint("f", i+1)
		if ring && i == height-1 {
			next = "f0"
		}
		f.Nodes = []ot.Node{{Op: next, Domain: "own", In: []string{"x"}, Out: []string{"y"}},
			{Op: next, Domain: "own", In: []string{"y"}, Out: []string{"z"}}}
		if i == height-1 && !ring {
			f.Nodes = []ot.Node{ot.N("Relu", []string{"x"}, []string{"z"})}
		}
		m.Functions = append(m.Functions, f)
	}
	return m
}

// TestExtremeModels opens what no exporter writes: each is refused in words, by the error that
// fits, within a moment.
func TestExtremeModels(t *testing.T) {
	with := func(change func(m *ot.Model)) ot.Model {
		m := enginetest.AttentionModel()
		change(&m)
		return m
	}
	card := func(text string) ot.Model {
		return with(func(m *ot.Model) { m.Metadata["bagscope"] = text })
	}
	var format *FormatError
	var gap *UnsupportedError
	var limit *LimitError
	for name, c := range map[string]struct {
		model ot.Model
		kind  any // nil when it can be used
		says  string
	}{
		"negative side": {with(func(m *ot.Model) { m.Initializers[0].Dims[0] = -2 }),
			&format, "shape"},
		"sides beyond 64 bits": {with(func(m *ot.Model) {
			m.Initializers[0].Dims = []int{1 << 30, 1 << 30, 1 << 30}
		}), &format, "cannot exist"},
		"far more sides than any": {with(func(m *ot.Model) {
			m.Initializers[0].Dims = make([]int, 1000)
		}), &format, "shape"},
		"weights without elements": {with(func(m *ot.Model) {
			m.Initializers[0] = ot.F("W", nil, 2, 0)
		}), nil, ""},
		"weights that are NaN": {with(func(m *ot.Model) {
			m.Initializers[0].Floats[3] = float32(math.NaN())
		}), nil, ""},
		"weights that are infinite": {with(func(m *ot.Model) {
			m.Initializers[0].Floats[3] = float32(math.Inf(1))
		}), nil, ""},
		"an input named twice": {with(func(m *ot.Model) {
			m.Inputs = append(m.Inputs, m.Inputs[0])
		}), nil, ""},
		"an initializer twice": {with(func(m *ot.Model) { m.Initializers[1].Name = "W" }),
			&format, "twice"},
		"a node that reads itself": {with(func(m *ot.Model) { m.Nodes[1].In[0] = "t" }), &format,
			"cycle"},
		"2^40 classes": {with(func(m *ot.Model) {
			m.Outputs[0].Dims = []any{1 << min(40, strconv.IntSize-2)}
		}), &gap, "classes"},
		"2^28 classes": {with(func(m *ot.Model) {
			m.Outputs[0].Dims = []any{1 << 28}
		}), &gap, "classes"},
		"functions that double": {tower(30, false), &limit, "nodes"},
		"functions in a ring":   {tower(3, true), &format, "deep"},
		"a card of brackets":    {card(strings.Repeat("[", 1<<20)), &format, "JSON"},
		"a card of objects":     {card(strings.Repeat(`{"a":`, 1<<17)), &format, "JSON"},
		"a card of one key": {card("{" + strings.Repeat(`"a": 1, `, 1<<16) + `"b": 1}`), &format,
			"twice"},
		"a card of keys": {card(manyKeys(1 << 16)), nil, ""},
		"a card of one long name": {card(`{"classes": ["` + strings.Repeat("x", 1<<19) +
			`", "b"]}`), nil, ""},
		"a card of 2^17 classes": {card(`{"classes": [` + strings.Repeat(`"x",`, 1<<17) +
			`"b"]}`), &format, "classes"},
		"a card of 4 MiB": {card(strings.Repeat(" ", 1<<22)), &limit, "no option raises"},
		"a card of huge numbers": {card(`{"negative": 1e400, "instance_axis": -1e300}`), &format,
			"card"},
		"a name of 2^20 letters": {with(func(m *ot.Model) {
			m.Nodes[1].Op = strings.Repeat("x", 1<<20)
		}), &gap, "xxx"},
	} {
		t.Run(name, func(t *testing.T) {
			data := c.model.Bytes()
			_, err := Open(data, Options{})
			if c.kind == nil && err != nil {
				t.Fatal(err)
			}
			if c.kind != nil && (err == nil || !errors.As(err, c.kind) ||
				!strings.Contains(err.Error(), c.says)) {
				t.Errorf("error %.300v (%T), want %T with %q", err, err, c.kind, c.says)
			}
			use(t, data)
		})
	}
}

// TestExtremeBags checks that extreme numbers of a bag are rejected, and that NaN of a model is no
// explanation.
func TestExtremeBags(t *testing.T) {
	m := must.Get(Open(enginetest.AttentionModel().Bytes(), Options{}))(t)
	var wrong *core.BagError
	for name, bag := range map[string]*core.Bag{
		"none":        {Shape: []int{2}},
		"another":     enginetest.SmallBag(3, 5),
		"cut off":     {Shape: []int{2}, Values: []float32{1, 2, 3}},
		"no side":     {Shape: []int{0}, Values: nil},
		"negative":    {Shape: []int{-2}, Values: []float32{1, 2}},
		"beyond":      {Shape: []int{math.MaxInt / 2, 4}, Values: []float32{1, 2}},
		"labels over": {Shape: []int{2}, Values: []float32{1, 2}, Labels: []int{1, 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			must.Equal(t, errors.As(must.Err(m.Predict(context.Background(), bag)), &wrong), true,
				name)
			must.Equal(t, errors.As(must.Err(m.Bind(context.Background(), bag)), &wrong), true,
				name)
		})
	}
	everything := func(m *Model, bag *core.Bag) error {
		ev, err := m.Bind(context.Background(), bag)
		if err != nil {
			return err
		}
		_, err = core.Explain(
			context.Background(),
			ev,
			core.Request{
				Methods:     []core.Method{methods.Single{}, methods.OneRemoved{}, methods.MILLI{}},
				SkipMissing: true,
			},
		)
		return err
	}
	must.Do(t, everything(m, enginetest.SmallBag(1, 2)), "a bag of one instance")
	var nonFinite *core.NonFiniteError
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		bag := enginetest.SmallBag(3, 2)
		bag.Values[2] = float32(v)
		must.Equal(t, errors.As(everything(m, bag), &wrong), true, v)
	}
	poisoned := enginetest.AttentionModel()
	poisoned.Initializers[3].Floats[0] = float32(math.NaN())
	m = must.Get(Open(poisoned.Bytes(), Options{}))(t)
	must.As(t, everything(m, enginetest.SmallBag(4, 2)), &nonFinite)
}

// manyKeys returns a JSON object of n keys.
func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `%c"a%d": 1`, "{,"[min(i, 1)], i)
	}
	return b.String() + "}"
}
