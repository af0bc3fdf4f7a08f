package server

import (
	"archive/zip"
	"bytes"
	"fmt"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
)

// TestIdentifiers explains a DICOM series, and asks which of two is meant: no identifying value is
// in an answer, an error, the log or the metrics.
func TestIdentifiers(t *testing.T) {
	log, written := logged()
	_, url := serve(t, Options{Log: log})
	series := func(numbers ...int) part {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for i, number := range numbers {
			p := dicomtest.Slice(number, i+1, -2*float64(i))
			p.Width, p.Height, p.Pixels = 28, 28, make([]byte, 2*28*28)
			p.Pixels[2*i] = 200
			place := p.More
			p.More = func(w *dicomtest.Writer) {
				place(w) // the UIDs that tell series apart come first
				dicomtest.Identified(w)
			}
			must.Get(must.Get(w.Create(fmt.Sprint(i)))(t).Write(p.File()))(t)
		}
		must.Do(t, w.Close())
		return part{"bag", "series.zip", out.Bytes()}
	}
	model := part{"model", "", []byte("model")}
	texts := map[string][]byte{}
	for _, route := range []string{"/v1/explain", "/v1/predict"} {
		for _, kind := range []string{"application/json", "text/event-stream"} {
			status, _, body := post(t, url+route, kind, model, series(1, 1, 1))
			if status != 200 {
				t.Fatalf("%s as %s: %d %s", route, kind, status, body)
			}
			texts[route+" as "+kind] = body
		}
	}
	status, kind, body := post(t, url+"/v1/predict", "", model, series(1, 2, 2))
	wantProblem(t, "two series", status, kind, body, "format", "it holds 2 series")
	texts["the question"], texts["the log"] = body, written.Bytes()
	_, _, texts["/metrics"] = get(t, url+"/metrics")
	for name, text := range texts {
		if len(text) == 0 || bytes.Contains(text, []byte(dicomtest.Marker)) {
			t.Errorf("%s is empty or has an identifying value:\n%.2000s", name, text)
		}
	}
}
