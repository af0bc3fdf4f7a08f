package host

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/heatmap"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/wasm/wire"
)

// placed returns a table of 40 patches of 64 pixels with the features that tiny.onnx takes.
func placed() []byte {
	var out strings.Builder
	out.WriteString("x,y,a,b,c,d,e,f\n")
	for i := range 40 {
		fmt.Fprintf(&out, "%d,%d", 64*(i%8), 64*(i/8))
		for j := range 6 {
			fmt.Fprintf(&out, ",%v", float64((7*i+3*j)%11)/11)
		}
		out.WriteString("\n")
	}
	return []byte(out.String())
}

// TestHeatmap compares files with those of package heatmap, which the command writes, for the same
// explanation by the packages that the command uses.
func TestHeatmap(t *testing.T) {
	c := newClient(t, nil)
	model, _ := c.openTiny()
	s := get[wire.BagsRead](c, wire.ReadBags{Model: model,
		Files: []wire.BagFile{{Name: "slide.csv", Bytes: placed()}}})
	bag := get[wire.BagOpened](c, wire.OpenBag{Set: s.Handle})
	e := get[wire.Explained](c, wire.Explain{Model: model, Bag: bag.Handle,
		Methods: new([]string{"one_removed"})})
	names := []string{"a", "b", "c"}
	drawn := wire.Draw{Bag: bag.Handle, Report: reported(e), Look: wire.Look{ClassNames: names}}

	own, report := explainedPlainly(t)
	m := must.Get(heatmap.New(own, report,
		heatmap.Options{Options: draw.Options{ClassNames: names}}))(t)
	var ome, zip bytes.Buffer
	must.Do(t, m.WriteOME(t.Context(), &ome))
	must.Do(t, m.WriteZIP(t.Context(), 0, "map", &zip))
	for form, want := range map[string][]byte{"ome.tif": ome.Bytes(), "zip": zip.Bytes()} {
		r := wire.WriteHeatmap{Draw: drawn, Form: form, Name: "map", Watch: true}
		id := c.send(r)
		last, ok := c.next(id).(wire.Progress)
		if !ok {
			t.Fatalf("%s: no progress", form)
		}
		body := c.next(id)
		for p, more := body.(wire.Progress); more; p, more = body.(wire.Progress) {
			last, body = p, c.next(id)
		}
		got, ok := body.(wire.Heatmap)
		if !ok || !bytes.Equal(got.Bytes, want) {
			t.Errorf("%s: %d bytes, want %d", form, len(got.Bytes), len(want))
		}
		if last.Completed != last.Total || last.Total < 1 || last.Instances {
			t.Errorf("%s: the last progress is %+v", form, last)
		}
	}
	// The class that is named is the one of the archive.
	drawn.Look.Classes = &[]int{m.Classes[1].Class}
	other := get[wire.Heatmap](c, wire.WriteHeatmap{Draw: drawn, Form: "zip", Name: "map"})
	zip.Reset()
	if err := m.WriteZIP(t.Context(), 1, "map", &zip); err != nil || !bytes.Equal(other.Bytes,
		zip.Bytes()) {
		t.Errorf("%d bytes of another class, want %d; %v", len(other.Bytes), zip.Len(), err)
	}

	for _, name := range []string{"", "a/b", `a\b`, "..", "/"} {
		c.fails(kind.Setting, wire.WriteHeatmap{Draw: drawn, Form: "zip", Name: name})
	}
	c.fails(kind.Setting, wire.WriteHeatmap{Draw: drawn, Form: "png", Name: "map"})
	c.fails(kind.Setting, wire.WriteHeatmap{Draw: wire.Draw{Bag: bag.Handle}, Form: "zip",
		Name: "map"})
	drawn.Look.Classes = &[]int{}
	c.fails(kind.Setting, wire.WriteHeatmap{Draw: drawn, Form: "zip", Name: "map"})
	_, without := c.openTiny()
	c.fails(kind.Bag, wire.WriteHeatmap{Draw: wire.Draw{Bag: without,
		Report: scored(make([]float64, 24)...)}, Form: "ome.tif"})
}

// explainedPlainly explains the patches of placed as the command does.
func explainedPlainly(t *testing.T) (*core.Bag, *core.Report) {
	t.Helper()
	model := must.Get(onnxbackend.Open(testdata(t, "tiny.onnx"), onnxbackend.Options{}))(t)
	set := must.Get(bagio.Read("slide.csv", placed(), bagio.Options{}))(t)
	bag := must.Get(set.Bag(0))(t)
	evaluator := must.Get(model.Bind(t.Context(), bag))(t)
	report := must.Get(core.Explain(t.Context(), evaluator,
		core.Request{Methods: []core.Method{methods.OneRemoved{}}}))(t)
	return bag, report
}

// TestHeatmapIsBounded fills the file of a heat map.
func TestHeatmapIsBounded(t *testing.T) {
	var f boundedFile
	if _, err := f.Write([]byte("a")); err != nil || f.Len() != 1 {
		t.Error(err)
	}
	var limit *draw.LimitError
	if _, err := f.Write(make([]byte, mostFile)); !errors.As(err, &limit) || f.Len() != 1 {
		t.Errorf("%v; %d bytes are kept", err, f.Len())
	}
}
