package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

const (
	digits     = "../../../examples/digits"
	digitModel = digits + "/model.onnx"
	digitBags  = digits + "/bags.npz"
)

// serve starts a server with the digits' model registered.
func serve(t testing.TB, o Options) (*Server, string) {
	t.Helper()
	if o.Models == nil {
		var err error
		if o.Models, err = OpenModels(digits, o.Limits, Processor{}); err != nil {
			t.Fatal(err)
		}
	}
	s := must.Get(New(o))(t)
	h := httptest.NewServer(described(t, s))
	t.Cleanup(h.Close)
	return s, h.URL
}

// A part is one of a multipart request; file is its name, "" for a plain field.
type part struct {
	name, file string
	data       []byte
}

func load(t testing.TB, file string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(file))(t)
}

func form(t testing.TB, parts ...part) (body []byte, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		var dst io.Writer
		var err error
		if p.file == "" {
			dst, err = w.CreateFormField(p.name)
		} else {
			dst, err = w.CreateFormFile(p.name, p.file)
		}
		must.Do(t, err)
		must.Get(dst.Write(p.data))(t)
	}
	must.Do(t, w.Close())
	return b.Bytes(), w.FormDataContentType()
}

// post sends a form and returns the answer.
func post(t testing.TB, url, accept string, parts ...part) (status int, kind string, body []byte) {
	t.Helper()
	data, content := form(t, parts...)
	r := must.Get(http.NewRequestWithContext(t.Context(), "POST", url, bytes.NewReader(data)))(t)
	r.Header.Set("Content-Type", content)
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	return send(t, r)
}

func send(t testing.TB, r *http.Request) (status int, kind string, body []byte) {
	t.Helper()
	response := must.Get(http.DefaultClient.Do(r))(t)
	defer response.Body.Close()
	body = must.Get(io.ReadAll(response.Body))(t)
	return response.StatusCode, response.Header.Get("Content-Type"), body
}

func get(t testing.TB, url string) (status int, kind string, body []byte) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), "GET", url, nil))(t)
	return send(t, r)
}

func digitParts(t testing.TB, request string) []part {
	return []part{{name: "model", data: []byte("model")}, {"bag", "bags.npz", load(t, digitBags)},
		{name: "request", data: []byte(request)}}
}

// wantProblem fails unless an answer is a problem of a kind, in words.
func wantProblem(
	t *testing.T, what string, status int, kind string, body []byte, wanted, says string,
) {
	t.Helper()
	var p Problem
	if err := json.Unmarshal(body, &p); err != nil {
		t.Errorf("%s: %v in %.200s", what, err, body)
		return
	}
	if kind != "application/problem+json" || p.Kind != wanted || p.Status != status ||
		status != kinds[wanted].status || p.Title == "" ||
		!strings.HasPrefix(p.Instance, "urn:bagscope:request:") {
		t.Errorf("%s: status %d, type %s, %s; want the kind %s", what, status, kind, body, wanted)
	}
	must.Contain(t, p.Detail, says)
}

// A stream has progress events, and its result has the bytes of the plain response.
func TestEvents(t *testing.T) {
	_, url := serve(t, Options{})
	parts := digitParts(t, `{"methods":["random_shap"],"samples":20000,"repeats":true,"index":2}`)
	status, _, plain := post(t, url+"/v1/explain", "", parts...)
	must.Equal(t, status, 200, plain)
	status, kind, stream := post(t, url+"/v1/explain", eventStream, parts...)
	must.Equal(t, status, 200)
	must.Equal(t, kind, eventStream)
	found := read(t, stream)
	last := found[len(found)-1]
	must.Equal(t, last.name, "result", last.data, plain)
	must.Equal(t, last.data+"\n", string(plain), last.data, plain)
	done := -1
	for _, e := range found[:len(found)-1] {
		if e.name == "note" { // slow machines send it
			continue
		}
		var p struct{ Done, Total int }
		if err := json.Unmarshal([]byte(e.data), &p); err != nil || e.name != "progress" ||
			p.Done < done || p.Done > p.Total {
			t.Errorf("%s %s behind %d: %v", e.name, e.data, done, err)
		}
		done = p.Done
	}
	must.Equal(t, done > 0, true, "no progress was told")
}

// TestEventsNote checks that a note about a long wait is an event, and only in streams.
func TestEventsNote(t *testing.T) {
	for wanted, want := range map[bool][]event{
		true: {{"note", `"This takes \"long\"."`}}, false: nil,
	} {
		w := httptest.NewRecorder()
		e := &events{server: &Server{}, w: w, wanted: wanted}
		e.begin()
		e.note(`This takes "long".`)
		if wanted {
			e.sendNote() // as if time had passed: it is not sent again at the end
		}
		e.end()
		// Proxies hold back what they buffer.
		must.Equal(t, w.Header().Get("X-Accel-Buffering") == "no", wanted)
		var got []event
		if wanted {
			got = read(t, w.Body.Bytes())
		}
		if !slices.Equal(got, want) || !wanted && w.Body.Len() > 0 {
			t.Errorf("a stream %v: %v, want %v", wanted, got, want)
		}
	}
}

// TestEventsOfOneStep: work of a single step has its final state as an event before the result, and
// work without steps has none.
func TestEventsOfOneStep(t *testing.T) {
	for total, want := range map[int][]event{
		1: {{"progress", `{"done":1,"total":1}`}, {"result", `"x"`}}, 0: {{"result", `"x"`}},
	} {
		w := httptest.NewRecorder()
		e := &events{server: &Server{}, w: w, wanted: true}
		e.begin()(total, total)
		must.Do(t, e.result("x"))
		must.EqualSlices(t, read(t, w.Body.Bytes()), want, total)
	}
}

// TestInternalErrorsAreLogged: the log has the reason of an internal error under the id that the
// client reads, and nothing of what clients do wrong.
func TestInternalErrorsAreLogged(t *testing.T) {
	for reason, want := range map[error]bool{errors.New("the disk is on fire"): true,
		&core.BagError{Reason: "the disk is on fire"}:     false,
		&jobs.DamagedError{Reason: "the disk is on fire"}: true} {
		var log bytes.Buffer
		s := must.Get(New(Options{Log: slog.New(slog.NewTextHandler(&log, nil))}))(t)
		w := &recorder{ResponseWriter: httptest.NewRecorder(), id: "1234"}
		s.refuse(w, httptest.NewRequest("GET", "/v1/models", nil), reason)
		must.Equal(t, (strings.Contains(log.String(), "id=1234") && strings.Contains(log.String(),
			"the disk is on fire")), want, reason)
	}
}

type event struct{ name, data string }

// read takes a stream of events apart.
func read(t testing.TB, stream []byte) (out []event) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSuffix(string(stream), "\n\n"), "\n\n") {
		if strings.HasPrefix(block, ":") {
			continue
		}
		name, data, ok := strings.Cut(block, "\n")
		name, is := strings.CutPrefix(name, "event: ")
		data, has := strings.CutPrefix(data, "data: ")
		if !ok || !is || !has || strings.Contains(data, "\n") {
			t.Fatalf("%q is no event", block)
		}
		out = append(out, event{name, data})
	}
	return out
}

// TestEventsError: what fails while the stream is open is its last event.
func TestEventsError(t *testing.T) {
	_, url := serve(t, Options{})
	status, kind, stream := post(t, url+"/v1/explain", eventStream,
		digitParts(t, `{"budget":5}`)...)
	must.Equal(t, status, 200)
	must.Equal(t, kind, eventStream)
	found := read(t, stream)
	last := found[len(found)-1]
	must.Equal(t, last.name, "error", last)
	wantProblem(t, "budget", 422, "application/problem+json", []byte(last.data), "budget",
		"5 model evaluations")
	status, kind, body := post(t, url+"/v1/explain", eventStream, digitParts(t, `{"index":77}`)...)
	wantProblem(t, "before the stream", status, kind, body, "setting", "77")
}

// TestLists looks at what there is to choose from.
func TestLists(t *testing.T) {
	_, url := serve(t, Options{})
	var models modelList
	status, _, body := get(t, url+"/v1/models")
	if err := json.Unmarshal(body, &models); err != nil || status != 200 ||
		len(models.Models) != 1 || models.Models[0].Name != "model" ||
		len(models.Models[0].Classes) != 4 {
		t.Errorf("%d %s: %v", status, body, err)
	}
	var listed struct{ Methods []struct{ Name string } }
	status, _, body = get(t, url+"/v1/methods")
	must.Do(t, json.Unmarshal(body, &listed))
	must.Equal(t, status, 200, body)
	must.Equal(t, len(listed.Methods), len(methods.All()), body)
	for i, m := range methods.All() {
		must.Equal(t, listed.Methods[i].Name, m.Name, i)
	}
}

// logged returns a log and what was written to it.
func logged() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewJSONHandler(&b, nil)), &b
}
