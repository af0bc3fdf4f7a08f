package patches_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

var encoder = core.Setting{Name: "encoder_sha256", Value: "abc"}

// counted returns an encoder in batches of three, and its calls.
func counted() (means, *int) {
	calls := new(int)
	return means{size: 3, calls: calls}, calls
}

// TestRunEqualsFeatures encodes in stages, and compares the bag and the file with those of a stream
// in the order of patches.
func TestRunEqualsFeatures(t *testing.T) {
	p := laid(t)
	m, _ := counted()
	want := must.Get(p.Features(t.Context(), m, nil))(t)
	r := patches.NewRun(p)
	if n := len(r.Stages); n < 2 || r.Stages[n-1] != p.Len() {
		t.Fatalf("stages %v of %d patches", r.Stages, p.Len())
	}
	must.Fail(t, must.Err(r.FeatureBag(nil)))
	for _, until := range r.Stages {
		must.Do(t, r.Encode(t.Context(), m, until, nil))
		must.Equal(t, r.Done(), until)
		some := must.Get(r.FeatureBag(nil))(t)
		for k, box := range some.Boxes {
			i := slices.Index(p.Grid.Boxes, box)
			must.EqualSlices(t, some.Instance(k), want.Instance(i), i)
		}
	}
	got := must.Get(r.FeatureBag(nil))(t)
	must.EqualSlices(t, got.Values, want.Values, "the bag of the run differs")
	must.EqualSlices(t, got.Boxes, want.Boxes, "the bag of the run differs")
	must.Equal(t, *got.Slide, *want.Slide, "the bag of the run differs")
	file := must.Get(r.WriteFile(t.Context(), encoder))(t)
	head := must.Get(p.File(3, encoder).Head())(t)
	must.EqualSlices(t, file, append(head, bagio.Float32Bytes(want.Values)...),
		"the file of the run differs")
}

// TestStagesLieOverTheSlide expects the patches of each stage at every fourth place, then at every
// second one.
func TestStagesLieOverTheSlide(t *testing.T) {
	p := laid(t)
	r := patches.NewRun(p)
	m, _ := counted()
	must.Do(t, r.Encode(t.Context(), m, r.Stages[0], nil))
	bag := must.Get(r.FeatureBag(nil))(t)
	side := p.Grid.Step * 2
	for _, b := range bag.Boxes {
		must.Equal(t, b.Min.X%side, 0, b.Min, side)
		must.Equal(t, b.Min.Y%side, 0, b.Min, side)
	}
}

// TestRunGoesOn stops a run, and continues it: in place, from its file, and in another grid. Each
// patch is encoded once.
func TestRunGoesOn(t *testing.T) {
	p := laid(t)
	r := patches.NewRun(p)
	failing := means{size: 3, calls: new(int), fails: 3}
	must.Is(t, r.Encode(t.Context(), failing, p.Len(), nil), errEncoder)
	must.Equal(t, r.Done(), 6)
	ctx, cancel := context.WithCancel(t.Context())
	m, _ := counted()
	err := r.Encode(ctx, m, p.Len(), func(done, total int) {
		if done >= 9 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || r.Done() < 9 || r.Done() == p.Len() {
		t.Fatalf("%v, %d are done", err, r.Done())
	}
	file := must.Get(r.WriteFile(t.Context(), encoder))(t)
	for name, begin := range map[string]func(*patches.Run) error{
		"file": func(n *patches.Run) error {
			return n.Continue(t.Context(), "some.h5", file, encoder)
		},
		"grid": func(n *patches.Run) error { return n.Adopt(t.Context(), r) },
	} {
		next := patches.NewRun(laid(t))
		must.Do(t, begin(next), name)
		must.Equal(t, next.Done(), r.Done(), name)
		m, calls := counted()
		must.Do(t, next.Encode(t.Context(), m, p.Len(), nil), name)
		must.Equal(t, *calls, ((p.Len() - r.Done() + 2) / 3), name)
		whole := must.Get(p.Features(t.Context(), m, nil))(t)
		must.EqualSlices(t, must.Get(next.FeatureBag(nil))(t).Values, whole.Values, name)
	}
}

// TestRunRefusesOtherFeatures expects errors that name what differs.
func TestRunRefusesOtherFeatures(t *testing.T) {
	r := patches.NewRun(laid(t))
	m, _ := counted()
	must.Do(t, r.Encode(t.Context(), m, 5, nil))
	file := must.Get(r.WriteFile(t.Context(), encoder))(t)
	other := encoder
	other.Value = "xyz"
	finer := must.Get(patches.Open(t.Context(), "slide", opened(t, "none_big_endian.tif"),
		patches.Options{GridOptions: slide.GridOptions{PatchSize: 8}, WholeSlide: true}))(t)
	without := must.Get(r.WriteFile(t.Context()))(t)
	little := quota.WithMemory(t.Context(), quota.NewMemory(10))
	must.As(t, must.Err(r.WriteFile(little)), new(*quota.MemoryError))
	err := patches.NewRun(laid(t)).Adopt(little, r)
	must.As(t, err, new(*quota.MemoryError))
	must.Do(t, r.Continue(t.Context(), "a.h5", file, encoder))
	must.Equal(t, r.Done(), 5, "patches that the file has, too")
	for text, err := range map[string]error{
		"encoder_sha256 was abc and is xyz": r.Continue(t.Context(), "a.h5", file, other),
		"encoder_sha256 is not stated":      r.Continue(t.Context(), "a.h5", without, encoder),
		"patch_size was 16 and is 8": patches.NewRun(finer).Continue(t.Context(), "a.h5", file,
			encoder),
		"a.h5": r.Continue(t.Context(), "a.h5", file[:100], encoder),
	} {
		must.Fail(t, err, text)
	}
	if next := patches.NewRun(finer); next.Adopt(t.Context(), r) != nil || next.Done() != 0 {
		t.Error("features of larger patches are taken")
	}
}

// TestRunWaits begins calls while another one encodes: they wait, until their context ends.
func TestRunWaits(t *testing.T) {
	r := patches.NewRun(laid(t))
	m, _ := counted()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	called := false
	must.Do(t, r.Encode(t.Context(), m, 1, func(int, int) {
		called = true
		must.Is(t, r.Encode(ctx, m, 9, nil), context.Canceled)
		must.Is(t, r.Continue(ctx, "a.h5", nil), context.Canceled)
	}))
	must.Equal(t, called, true)
}
