package host

import (
	"context"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// openFunction opens a function with two classes and a bag of k instances.
func (c *client) openFunction(k int) (model, bag int) {
	c.t.Helper()
	m := get[wire.ModelOpened](c, wire.OpenCallable{Name: "f", Classes: []string{"a", "b"},
		Scale: "raw", Negative: -1})
	s := get[wire.BagsRead](c,
		wire.ReadBags{Files: []wire.BagFile{{Name: "b.csv", Bytes: table(k)}}})
	return m.Handle, get[wire.BagOpened](c, wire.OpenBag{Set: s.Handle}).Handle
}

// table returns a CSV file of a bag of k instances.
func table(k int) []byte {
	return []byte("bag,x,y\n" + strings.Repeat("b,1,2\n", k))
}

// A function that fails, or returns too few scores, ends the request in words.
func TestCallableFailures(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openFunction(9)
	for name, reply := range map[string]wire.BagScores{
		"failed": {Failed: true}, "returned 1 scores": {Scores: []float64{1}},
	} {
		id := c.send(wire.Predict{Model: model, Bag: bag})
		event := c.next(id).(wire.EvaluateBags)
		if event.Count != 1 || len(event.Coalitions) != 2 || event.Coalitions[0] != 0xff ||
			event.Coalitions[1] != 1 {
			t.Errorf("the whole bag of nine instances is %+v", event)
		}
		reply.Request, reply.Ticket = int(id), event.Ticket
		get[wire.Done](c, reply)
		f := c.wait(id).(wire.Failure)
		must.Equal(t, f.Kind, kind.Callable, f)
		must.Contain(t, f.Message, name)
	}
}

// An explanation of a function ends by Cancel while the function runs, and does not hold up the
// queue of other explanations.
func TestCallableCancelled(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openFunction(5)
	id := c.send(wire.Explain{Model: model, Bag: bag, Methods: new([]string{"single"})})
	event := c.next(id).(wire.EvaluateBags)
	tiny, tinyBag := c.openTiny()
	get[wire.Explained](c, wire.Explain{Model: tiny, Bag: tinyBag,
		Methods: new([]string{"single"})})
	get[wire.Done](c, wire.Cancel{Request: int(id)})
	must.Equal(t, c.wait(id).(wire.Failure).Kind, kind.Cancelled)
	get[wire.Done](c, wire.BagScores{Request: int(id), Ticket: event.Ticket}) // too late
	must.Equal(t, len(c.host.tickets.waiting), 0)
}

func TestOpenCallableRejects(t *testing.T) {
	c := newClient(t, nil)
	c.fails(kind.Setting, wire.OpenCallable{Scale: "raw", Negative: -1})
	c.fails(kind.Setting, wire.OpenCallable{Classes: []string{"a"}, Scale: "?", Negative: -1})
	c.fails(kind.Setting, wire.OpenCallable{Classes: []string{"a"}, Scale: "raw", Negative: 1})
	model, bag := c.openFunction(2)
	c.fails(kind.Unavailable, wire.Plan{Model: model, Bag: bag})
}

// A program without files refuses their paths in words.
func TestNoFiles(t *testing.T) {
	c := newClient(t, nil)
	c.fails(kind.Unavailable, wire.OpenModelFile{Path: "m.onnx"})
	c.fails(kind.Unavailable, wire.ReadBagFile{Path: "b.npy"})
	c.fails(kind.Unavailable, wire.WriteCSV{})
	c.fails(kind.Unavailable, wire.WriteTiles{Path: "slide.svs"})
	c.fails(kind.Unavailable, wire.WriteAnswer{Question: "sets"})
	c.fails(kind.Unavailable, wire.Inspect{Model: 1})
	c.fails(kind.Unavailable, wire.ReadArray{Type: "<f4", Shape: []int{1, 1},
		Values: wire.Block{Path: "b", Length: 4}})
}

// reading is a System that reads files of bags and encodes slides, and notes which it did.
type reading struct {
	System
	did []string
}

func (r *reading) ReadBags(_ context.Context, path string, _ bagio.Options) (*bagio.Set, error) {
	r.did = append(r.did, "bags "+path)
	return bagio.Read("b.csv", table(3), bagio.Options{})
}

func (r *reading) ReadSlide(_ context.Context, q wire.ReadBagFile, _ ask.Engine,
	_ bagio.Options, _ func(done, total int)) (*bagio.Set, error) {
	r.did = append(r.did, "slide "+q.Path)
	return bagio.Read("b.csv", table(3), bagio.Options{})
}

// TestReadBagFile encodes a file as a slide if the request says how, for a model that is open.
func TestReadBagFile(t *testing.T) {
	c := newClient(t, nil)
	model, _ := c.openTiny()
	system := &reading{}
	c.host.config.System = system
	get[wire.BagsRead](c, wire.ReadBagFile{Path: "a"})
	get[wire.BagsRead](c, wire.ReadBagFile{Path: "b", Model: model, Encoding: &wire.Encoding{}})
	c.fails(kind.Setting, wire.ReadBagFile{Path: "c", Encoding: &wire.Encoding{}})
	must.EqualSlices(t, system.did, []string{"bags a", "slide b"})
}

// mapped is a System that reads arrays alone, and counts those whose memory is not released.
type mapped struct {
	System
	open int
}

func (m *mapped) ReadArray(_ wire.ReadArray, o bagio.Options) (*bagio.Set, func(), error) {
	set, err := bagio.Read("b.csv", table(3), o)
	m.open++
	return set, func() { m.open-- }, err
}

// Memory that was returned gets no new user: a bag that is opened while its set is closed.
func TestReturnedBlockIsNotShared(t *testing.T) {
	c := newClient(t, nil)
	b := &block{users: 1, release: func() {}}
	must.Do(t, c.host.share(b))
	c.host.drop(b)
	c.host.drop(b)
	must.As(t, c.host.share(b), new(*closedError))
}

// Mapped memory is returned when the set and all its bags are closed and the requests that began
// before have ended.
func TestBlocks(t *testing.T) {
	c := newClient(t, nil)
	system := &mapped{}
	c.host.config.System = system
	open := func() int {
		c.host.mu.Lock()
		defer c.host.mu.Unlock()
		return system.open
	}
	set := get[wire.BagsRead](c, wire.ReadArray{})
	bag := get[wire.BagOpened](c, wire.OpenBag{Set: set.Handle})
	get[wire.Done](c, wire.Release{Handle: set.Handle})
	c.settle()
	must.Equal(t, open(), 1, "the memory of an open bag was returned")
	m := get[wire.ModelOpened](c, wire.OpenCallable{Name: "f", Classes: []string{"a"},
		Scale: "raw", Negative: -1})
	running := c.send(wire.Predict{Model: m.Handle, Bag: bag.Handle})
	event := c.next(running).(wire.EvaluateBags)
	get[wire.Done](c, wire.Release{Handle: bag.Handle})
	must.Equal(t, open(), 1, "the memory of a running request was returned")
	get[wire.Done](c, wire.BagScores{Ticket: event.Ticket, Scores: []float64{1}})
	c.wait(running)
	c.settle()
	must.Equal(t, open(), 0, "the memory stays mapped")
}

// settle waits until no request is pending: an answer is sent before its request ends.
func (c *client) settle() {
	for range 1000 {
		c.host.mu.Lock()
		n := len(c.host.pending)
		c.host.mu.Unlock()
		if n == 0 {
			return
		}
		get[wire.Done](c, wire.Cancel{})
	}
	c.t.Fatal("requests stay pending")
}
