package host

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strconv"
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
		must.Equal(t, ok, true, form)
		body := c.next(id)
		for p, more := body.(wire.Progress); more; p, more = body.(wire.Progress) {
			last, body = p, c.next(id)
		}
		got, ok := body.(wire.Heatmap)
		must.Equal(t, ok, true, form, len(got.Bytes), len(want))
		must.EqualSlices(t, got.Bytes, want, form, len(got.Bytes), len(want))
		if last.Completed != last.Total || last.Total < 1 || last.Instances {
			t.Errorf("%s: the last progress is %+v", form, last)
		}
	}
	// The class that is named is the one of the archive.
	drawn.Look.Classes = &[]int{m.Classes[1].Class}
	other := get[wire.Heatmap](c, wire.WriteHeatmap{Draw: drawn, Form: "zip", Name: "map"})
	zip.Reset()
	must.Equal(t, m.WriteZIP(t.Context(), 1, "map", &zip) == nil, true, len(other.Bytes), zip.Len())
	must.EqualSlices(t, other.Bytes, zip.Bytes(), len(other.Bytes), zip.Len())

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
	must.Get(f.Write([]byte("a")))(t)
	must.Equal(t, f.Len(), 1)
	var limit *draw.LimitError
	must.As(t, must.Err(f.Write(make([]byte, mostFile))), &limit)
	must.Equal(t, f.Len(), 1)
}

// TestStrongest writes the strongest patches of features from the slide that they lie in, with the
// names and the table of the command.
func TestStrongest(t *testing.T) {
	c := newClient(t, nil)
	model, _ := c.openTiny()
	s := get[wire.BagsRead](c, wire.ReadBags{Model: model,
		Files: []wire.BagFile{{Name: "slide.csv", Bytes: placed()}}})
	bag := get[wire.BagOpened](c, wire.OpenBag{Set: s.Handle})
	e := get[wire.Explained](c, wire.Explain{Model: model, Bag: bag.Handle, Without: []int{3},
		Methods: new([]string{"one_removed"}), Classes: new([]int{1})})
	opened, _ := openSlide(t, c, slideFile(t, "none_big_endian.tif"))
	r := wire.WriteStrongest{Slide: opened.Handle, Number: 2, Draw: wire.Draw{Bag: bag.Handle,
		Report: reported(e), Look: wire.Look{ClassNames: []string{"a", "b", "c"}}}}
	data := get[wire.Archive](c, r).Bytes
	archive := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	var names []string
	for _, f := range archive.File {
		names = append(names, f.Name)
	}
	if len(names) != 6 || names[4] != "class1.png" || names[5] != "tiles.csv" ||
		!strings.HasPrefix(names[0], "class1-highest-001-instance") {
		t.Errorf("files are %q", names)
	}
	table := string(must.Get(io.ReadAll(must.Get(archive.File[5].Open())(t)))(t))
	for i, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		cells := strings.Split(line, ",")
		number := must.Get(strconv.Atoi(cells[5]))(t)
		x, y := fmt.Sprint(64*(number%8)), fmt.Sprint(64*(number/8))
		if cells[0] != names[i] || cells[2] != "b" || cells[9] != x || cells[10] != y ||
			number == 3 {
			t.Errorf("row %d is %s", i, line)
		}
	}
	for name, change := range map[string]func(*wire.WriteStrongest){
		kind.Bag:     func(r *wire.WriteStrongest) { r.Slide = 0 },
		kind.Setting: func(r *wire.WriteStrongest) { r.Number = 201 },
		"none":       func(r *wire.WriteStrongest) { r.Number = 0 },
		"slide":      func(r *wire.WriteStrongest) { r.Slide = bag.Handle },
		"class": func(r *wire.WriteStrongest) {
			wrong := *r.Draw.Report
			wrong.Prediction = wrong.Prediction[:1]
			r.Draw.Report = &wrong
		},
		"report": func(r *wire.WriteStrongest) { r.Draw.Report = nil },
	} {
		wrong := r
		change(&wrong)
		want := kind.Setting
		if name == kind.Bag {
			want = name
		}
		c.fails(want, wrong)
	}
}
