package host

import (
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/wasm/wire"
)

// TestBandsOfPatches asks for the bands of the patches of a slide of which some are encoded, and
// compares the answer with that of the bag itself.
func TestBandsOfPatches(t *testing.T) {
	c := newClient(t, nil)
	head := ot.MeanHead(4).Bytes()
	model := get[wire.ModelOpened](c, wire.OpenModel{Name: "head.onnx", Bytes: head}).Handle
	_, laid := openEncoded(t, c)
	get[wire.PatchesEncoded](c, wire.EncodePatches{Patches: laid.Handle, Until: laid.Stages[0]})
	opened := get[wire.BagOpened](c, wire.OpenPatches{Patches: laid.Handle})
	must.EqualSlices(t, *opened.Info.Pictures, []int{3, 16, 16})
	bands, two := "bands", 2
	o := ask.InsideOptions{Groups: &bands, Strongest: &two}
	got := get[ask.InsideAnswer](c, wire.Inside{Options: o,
		Ask: wire.Ask{Model: model, Bag: opened.Handle, Without: []int{0}}})
	m := must.Get(onnxbackend.Open(head, onnxbackend.Options{Name: "head.onnx"}))(t)
	p := must.Get(c.host.patches(laid.Handle))(t)
	e := must.Get(onnxbackend.OpenEncoder(encoderFile(), onnxbackend.Options{
		Card: []byte(encoderCard)}))(t)
	in := &ask.Input{Engine: m, Whole: must.Get(p.FeatureBag(e))(t)}
	in.Select(remainingAfter(in.Whole.Len()))
	want := must.Get((&ask.Ask{}).Inside(t.Context(), in, o, nil))(t)
	must.EqualSlices(t, got.Together, want.Together)
	must.Equal(t, len(got.Together), 2)
	must.EqualSlices(t, got.Scores, want.Scores)
	must.Equal(t, len(got.Scores), 3)
}

// remainingAfter returns the instances of a bag of n but the first.
func remainingAfter(n int) (list []int) {
	for i := 1; i < n; i++ {
		list = append(list, i)
	}
	return list
}
