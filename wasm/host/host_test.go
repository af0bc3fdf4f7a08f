package host

import (
	"bytes"
	"io"
	"math"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

func TestWelcome(t *testing.T) {
	w := get[wire.Welcome](newClient(t, nil), wire.Hello{})
	must.Equal(t, w.Version, "1.2.3")
	must.Equal(t, len(w.Methods), len(methods.All()))
	must.Equal(t, len(w.Settings), 5)
	at := slices.IndexFunc(w.Methods, func(m ask.Method) bool { return m.Name == "random_lime" })
	must.Equal(t, at >= 0, true, w.Methods)
	must.Equal(t, slices.Contains(w.Methods[at].Options, "meanBag"), true, w.Methods)
}

func TestBags(t *testing.T) {
	c := newClient(t, nil)
	model, _ := c.openTiny()
	s := get[wire.BagsRead](c, wire.ReadBags{Files: []wire.BagFile{{Name: "tiny.csv",
		Bytes: testdata(t, "tiny.csv")}}, Model: model})
	b := get[wire.BagOpened](c, wire.OpenBag{Set: s.Handle, Index: 2})
	if b.Info.Name != "bag7" || b.Info.Instances != 7 || !slices.Equal(b.Info.Shape, []int{6}) ||
		b.Info.Boxes != nil || b.Info.Labels != nil || !slices.Equal(*b.Info.Classes, []int{2}) {
		t.Errorf("got %+v", b.Info)
	}
	all := get[wire.Values](c, wire.GetValues{Bag: b.Handle}).Values
	chosen := get[wire.BagOpened](c, wire.SelectInstances{Bag: b.Handle, Instances: []int{6, 1}})
	want := append(slices.Clone(all[36:42]), all[6:12]...)
	must.EqualSlices(t, get[wire.Values](c, wire.GetValues{Bag: chosen.Handle}).Values, want)
	c.fails(kind.Setting, wire.SelectInstances{Bag: b.Handle})
	c.fails(kind.Setting, wire.SelectInstances{Bag: b.Handle, Instances: []int{7}})
	c.fails(kind.Setting, wire.OpenBag{Set: s.Handle, Index: 4})
	with := wire.ReadBags{Files: []wire.BagFile{{Name: "tiny.csv", Bytes: testdata(t, "tiny.csv")}},
		Model: model, Open: new(2)}
	at := get[wire.BagsRead](c, with).Opened
	must.Equal(t, at != nil, true, at, b.Info)
	must.Equal(t, reflect.DeepEqual(at.Info, b.Info), true, at, b.Info)
	must.EqualSlices(t, get[wire.Values](c, wire.GetValues{Bag: at.Handle}).Values, all)
	for _, outside := range []int{-1, 4} {
		with.Open = &outside
		must.Equal(t, get[wire.BagsRead](c, with).Opened == nil, true, outside)
	}

	labels := []int{0, 1, -1, 0, 1, -1, 0}
	b = get[wire.BagOpened](c, wire.OpenBag{Set: s.Handle, Index: 2, Labels: &labels})
	must.Equal(t, b.Info.Labels != nil, true, b.Info.Labels, labels)
	must.EqualSlices(t, *b.Info.Labels, labels, b.Info.Labels)
	for _, wrong := range [][]int{{}, labels[1:]} {
		c.fails(kind.Bag, wire.OpenBag{Set: s.Handle, Index: 2, Labels: &wrong})
	}
}

// A model in two files gives the same results as in one file; without the second file, the error
// names it.
func TestExternal(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	want := get[wire.Predicted](c, wire.Predict{Model: model, Bag: bag})
	file := wire.File{Name: "tiny_parts.onnx.data", Bytes: testdata(t, "tiny_parts.onnx.data")}
	open := func(files ...wire.File) wire.OpenModel {
		return wire.OpenModel{Bytes: testdata(t, "tiny_parts.onnx"), External: files}
	}
	parts := get[wire.ModelOpened](c, open(file))
	must.EqualSlices(t, get[wire.Predicted](c, wire.Predict{Model: parts.Handle,
		Bag: bag}).Raw.Scores, want.Raw.Scores)
	f := c.fails(kind.Missing, open(wire.File{Name: "tiny.onnx.data"}))
	must.Equal(t, len(f.Details), 1, f.Details)
	must.Equal(t, f.Details[0], (core.Setting{Name: "files", Value: file.Name}), f.Details)
	c.fails(kind.Setting, open(file, file))
	c.fails(kind.Setting, wire.OpenEncoder{Bytes: encoderFile(), Card: encoderCard,
		External: []wire.File{file, file}})
	c.fails(kind.Format, wire.OpenEncoder{Bytes: encoderFile()[:20], Card: encoderCard})
	c.fails(kind.Format, open(wire.File{Name: file.Name, Bytes: file.Bytes[:519]}))
}

func TestPredictWithout(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	out := []int{0, 3, 23}
	var stay []int
	for i := range 24 {
		if !slices.Contains(out, i) {
			stay = append(stay, i)
		}
	}
	chosen := get[wire.BagOpened](c, wire.SelectInstances{Bag: bag, Instances: stay})
	want := get[wire.Predicted](c, wire.Predict{Model: model, Bag: chosen.Handle})
	got := get[wire.Predicted](c, wire.Predict{Model: model, Bag: bag, Without: out})
	must.Equal(t, reflect.DeepEqual(got.Read, want.Read), true, got, want)
	must.EqualSlices(t, got.Raw.Scores, want.Raw.Scores, got, want)
	must.Equal(t, got.Read.Output, "prob", got, want)
	if p := got.Read.Values; !(math.Abs(p[0]+p[1]+p[2]-1) <= 1e-12) {
		t.Errorf("the probabilities %v do not sum to 1", p)
	}
	must.EqualSlices(t, get[wire.Predicted](c, wire.Predict{Model: model, Bag: bag, Without: out,
		Output: "logit"}).Read.Values, got.Raw.Scores)
}

func TestExplain(t *testing.T) {
	var yields atomic.Int64
	c := newClient(t, func() { yields.Add(1) })
	model, bag := c.openTiny()
	classes := []int{2}
	id := c.send(wire.Explain{
		Model: model, Bag: bag, Methods: new([]string{"one-removed", "milli"}), Classes: &classes,
		Settings: "crc", Options: ask.MethodOptions{Alpha: new(0.2)}, Seed: 7, Watch: true,
		Trace: true,
	})
	first, ok := c.next(id).(wire.Progress)
	if !ok || first.Completed <= 0 || first.Completed > first.Total {
		t.Errorf("the first message is %+v", first)
	}
	e, ok := c.wait(id).(wire.Explained)
	must.Equal(t, ok, true, e)
	must.Equal(t, len(e.Explanations), 2, e)
	milli := e.Explanations[1]
	settings := milli.Settings
	if settings["samples"] != 1000 || settings["alpha"] != 0.2 || settings["beta"] != -5.0 {
		t.Errorf("settings are %v", settings)
	}
	if math.IsNaN(float64(milli.R2)) || !math.IsNaN(float64(e.Explanations[0].R2)) ||
		len(milli.Scores) != 24 || milli.Class != 2 {
		t.Errorf("got %+v", milli)
	}
	must.Equal(t, len(e.Coalitions), e.Evaluations)
	must.Equal(t, e.Seed, 7)
	must.Equal(t, len(e.Instances), 24)
	id = c.send(wire.Explain{Model: model, Bag: bag, Methods: new([]string{"milli"})})
	if only, ok := c.next(id).(wire.Explained); !ok {
		t.Errorf("without progress the first message is %+v", only)
	}
	if got := yields.Load(); got < 10 {
		t.Errorf("the engine yielded %d times in %d evaluations", got, e.Evaluations)
	}
}

// While one explanation runs, other explanations wait, predictions are computed, and a cancellation
// ends the request that it names.
func TestQueueAndCancel(t *testing.T) {
	gate := make(chan struct{})
	var started atomic.Bool
	var hold atomic.Bool
	c := newClient(t, func() {
		if hold.Load() && !started.Swap(true) {
			<-gate
		}
	})
	model, bag := c.openTiny()
	request := wire.Explain{Model: model, Bag: bag, Methods: new([]string{"milli"})}
	hold.Store(true)
	first := c.send(request)
	for deadline := time.Now().Add(patience); !started.Load(); time.Sleep(time.Millisecond) {
		must.Equal(t, time.Now().After(deadline), false, "the explanation does not start")
	}
	second, third := c.send(request), c.send(request)
	get[wire.Predicted](c, wire.Predict{Model: model, Bag: bag})
	get[wire.Done](c, wire.Cancel{Request: int(first)})
	get[wire.Done](c, wire.Cancel{Request: int(second)})
	get[wire.Done](c, wire.Cancel{Request: 999})
	close(gate)
	for _, id := range []uint32{first, second} {
		if f, ok := c.wait(id).(wire.Failure); !ok || f.Kind != kind.Cancelled {
			t.Errorf("request %d was answered with %+v", id, f)
		}
	}
	if e, ok := c.wait(third).(wire.Explained); !ok {
		t.Errorf("the last one was answered with %+v", e)
	}
}

func TestPanicBecomesFailure(t *testing.T) {
	c := newClient(t, nil)
	broken := c.host.handles.add(&heldBag{})
	f := c.fails(kind.Internal, wire.GetValues{Bag: broken})
	stack := f.Details[0].Value.(string)
	for _, want := range []string{"goroutine", "host.(*Host).values", "bags.go:"} {
		must.Contain(t, stack, want)
	}
	get[wire.Welcome](c, wire.Hello{})
}

func TestRejectsInvalidMessages(t *testing.T) {
	c := newClient(t, nil)
	c.host.Receive([]byte{wire.Version, 200, 77, 0, 0, 0})
	if f, ok := c.wait(77).(wire.Failure); !ok || f.Kind != kind.Internal {
		t.Errorf("got %+v", f)
	}
	c.fails(kind.Internal, wire.Done{})
}

// TestUnknownBodyIsAFailure sends what is no message: the caller gets a failure instead.
func TestUnknownBodyIsAFailure(t *testing.T) {
	c := newClient(t, nil)
	c.host.send(7, struct{}{})
	if f, ok := c.next(7).(wire.Failure); !ok || f.Kind != kind.Internal {
		t.Errorf("got %+v", f)
	}
}

func TestClosed(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	get[wire.Done](c, wire.Release{Handle: bag})
	get[wire.Done](c, wire.Release{Handle: bag})
	c.fails(kind.Setting, wire.Predict{Model: model, Bag: bag})
	c.fails(kind.Setting, wire.Predict{Model: bag, Bag: model})
	c.fails(kind.Setting, wire.OpenBag{Set: model})
	c.fails(kind.Setting, wire.ReadBags{Model: 99, Files: []wire.BagFile{{}}})
}

// TestTrust requests an explanation with trust.
func TestTrust(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	e := get[wire.Explained](c, wire.Explain{Model: model, Bag: bag,
		Methods: new([]string{"random_shap", "single"}), Trust: true})
	if len(e.Trust) != 2 || e.Trust[0].Method != "random_shap" || e.Trust[1].Method != "single" {
		t.Fatalf("%+v", e.Trust)
	}
	for _, x := range e.Trust {
		if len(x.Classes) != 3 || len(x.Sentences) != 3 || len(x.Correlation) != 3 ||
			len(x.AOPCR) < 2 || len(x.AOPCR[x.Method]) != 3 {
			t.Errorf("%+v", x)
		}
	}
	must.Equal(t, len(get[wire.Explained](c, wire.Explain{Model: model, Bag: bag,
		Methods: new([]string{"single"})}).Trust), 0)
}

// TestParts reads a file that JavaScript keeps, one that fails meanwhile, and one without room.
func TestParts(t *testing.T) {
	c := newClient(t, nil)
	data := testdata(t, "tiny.csv")
	c.host.config.Part = func(number int, size int64, _ bool) io.ReaderAt {
		if number == 2 {
			return io.NewSectionReader(bytes.NewReader(data), 0, size/2)
		}
		return bytes.NewReader(data)
	}
	read := func(part int) wire.ReadBags {
		return wire.ReadBags{Files: []wire.BagFile{{Name: "tiny.csv", Part: part,
			Size: len(data)}}}
	}
	held := wire.ReadBags{Files: []wire.BagFile{{Name: "tiny.csv", Bytes: data}}}
	want, got := get[wire.BagsRead](c, held), get[wire.BagsRead](c, read(1))
	must.EqualSlices(t, got.Names, want.Names)
	values := func(set int) []float32 {
		b := get[wire.BagOpened](c, wire.OpenBag{Set: set, Index: 3})
		return get[wire.Values](c, wire.GetValues{Bag: b.Handle}).Values
	}
	must.EqualSlices(t, values(got.Handle), values(want.Handle),
		"a bag that was read in parts has other values")
	must.Contain(t, c.fails(kind.Format, read(2)).Message, "open it again")
	c.host.config.Room = func() int64 { return 1000 }
	must.Contain(t, c.fails(kind.Memory, read(1)).Message, "at most 4 GB")
}
