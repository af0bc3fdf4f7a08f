package server

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/bagscope/bagscope/core/dicom"
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
			must.Equal(t, status, 200, route, kind, body)
			texts[route+" as "+kind] = body
		}
	}
	status, kind, body := post(t, url+"/v1/predict", "", model, series(1, 2, 2))
	wantProblem(t, "two series", status, kind, body, "format", "it holds 2 series")
	texts["the question"], texts["the log"] = body, written.Bytes()
	_, _, texts["/metrics"] = get(t, url+"/metrics")
	for name, text := range texts {
		must.Equal(t, len(text) != 0, true, name, text)
		must.Equal(t, bytes.Contains(text, []byte(dicomtest.Marker)), false, name, text)
	}
}

// TestDICOMAnswer sends a map and a report of a series, which refer to its slices and hold no
// identifying value; keys and headers that do not fit are refused.
func TestDICOMAnswer(t *testing.T) {
	_, url := serve(t, Options{})
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := range 3 {
		p := dicomtest.Slice(1, i+1, -2*float64(i))
		p.Width, p.Height, p.Pixels = 28, 28, make([]byte, 2*28*28)
		p.Pixels[2*i] = 200
		place := p.More
		p.More = func(w *dicomtest.Writer) {
			w.Text(0x0008_0016, "UI", "1.2.840.10008.5.1.4.1.1.2\x00")
			w.Text(0x0008_0018, "UI", fmt.Sprintf("2.25.80%d\x00", i))
			w.Text(0x0020_000d, "UI", "2.25.70")
			place(w)
			dicomtest.Identified(w)
		}
		must.Get(must.Get(w.Create(fmt.Sprint(i)))(t).Write(p.File()))(t)
	}
	must.Do(t, w.Close())
	model, series := part{"model", "", []byte("model")}, part{"bag", "series.zip", out.Bytes()}
	request := func(text string) part { return part{"request", "", []byte(text)} }
	for _, form := range []string{"", `"dicom":"sr","top":2,`} {
		status, kind, body := post(t, url+"/v1/explain", dicomFile, model, series,
			request("{"+form+`"methods":["one_removed"]}`))
		if status != 200 || kind != dicomFile || !dicom.Is(body) ||
			!bytes.Contains(body, []byte("2.25.70")) ||
			bytes.Contains(body, []byte(dicomtest.Marker)) {
			t.Errorf("%s: status %d, %s, %d bytes", form, status, kind, len(body))
		}
	}
	status, kind, body := post(t, url+"/v1/explain", "", model, series, request(`{"dicom":"sr"}`))
	wantProblem(t, "a form for JSON", status, kind, body, "setting", "for answers in DICOM")
	status, kind, body = post(t, url+"/v1/explain", dicomFile, model, series,
		request(`{"dicom":"rtss"}`))
	wantProblem(t, "another form", status, kind, body, "setting", "rtss")
	status, kind, body = post(t, url+"/v1/explain", dicomFile, model,
		part{"bag", "bags.npz", must.Get(os.ReadFile("../../../examples/digits/bags.npz"))(t)})
	wantProblem(t, "no DICOM", status, kind, body, "bag", "not slices or patches of DICOM files")
}
