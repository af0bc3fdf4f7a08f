package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

var update = flag.Bool("update", false, "write testdata/exchanges.txt")

// oneOf returns one of a list.
func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// twoBags is a table of four features and two bags.
const twoBags = "bag,label,f1,f2,f3,f4\na,1,1,2,3,4\na,1,5,6,7,8\na,1,0,1,0,2\nb,0,1,1,2,2\n"

// drawnRequest returns a request, valid or not.
func drawnRequest(t *testing.T, r *rand.Rand, s *Server) *http.Request {
	routes := s.routes()
	at := oneOf(r, routes...)
	for tries := r.IntN(3); !at.gated && tries > 0; tries-- { // more that compute
		at = oneOf(r, routes...)
	}
	method, path := at.method, at.path
	path = strings.NewReplacer("{name}", oneOf(r, "open", "open", "none"), "{version}",
		oneOf(r, "1", "1", "2"), "{id}", oneOf(r, "0123456789abcdef", "x")).Replace(path)
	switch r.IntN(14) {
	case 0:
		method = oneOf(r, "GET", "POST", "PUT", "OPTIONS", "HEAD")
	case 1:
		path = oneOf(r, "/", "/v1", "/v1/none", "/v1/../metrics", "/v1//models", "/index.html")
	}
	q := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, nil)
	if method == "POST" {
		body, kind := drawnBody(t, r, path)
		q = httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path,
			bytes.NewReader(body))
		q.Header.Set("Content-Type", kind)
		if r.IntN(20) == 0 {
			q.Header.Set(oneOf(r, "Content-Type", "Content-Encoding"), oneOf(r, "gzip", "a/b", ""))
		}
	}
	q.Host = oneOf(r, "localhost", "localhost", "localhost", "localhost", "localhost", "localhost",
		"127.0.0.1:80", "[::1]", "tools.example", "foe.example")
	if r.IntN(6) == 0 {
		q.Header.Set("Origin", oneOf(r, "https://friend.example", "https://foe.example"))
		q.Header.Set("Sec-Fetch-Site", "cross-site")
		if method == "OPTIONS" {
			q.Header.Set("Access-Control-Request-Method", "POST")
		}
	}
	if accept := oneOf(r, "", "", geoJSON, eventStream); accept != "" {
		q.Header.Set("Accept", accept)
	}
	if token := oneOf(r, "", "Bearer 0123456789abcdef", "Bearer 0123456789abcdef",
		"Bearer 0123456789abcdef", "Basic x"); token != "" {
		q.Header.Set("Authorization", token)
	}
	return q
}

// drawnBody returns a body for a path, and its type.
func drawnBody(t *testing.T, r *rand.Rand, path string) (body []byte, kind string) {
	if strings.HasSuffix(path, "/infer") {
		shape := oneOf(r, "[3,4]", "[3,4]", "[3,4]", "[12]", "[0,4]", "[3,5]")
		return fmt.Appendf(nil, `{"id":"7","inputs":[{"name":%q,"datatype":%q,"shape":%s,`+
			`"data":%s}]%s}`, oneOf(r, "x", "x", "x", "y"),
			oneOf(r, "FP32", "FP32", "INT64"), shape,
			oneOf(r, "[1,2,3,4,5,6,7,8,9,1,2,3]", "[[1,2,3,4],[5,6,7,8],[9,1,2,3]]", "[1]"),
			oneOf(r, "", "", `,"outputs":[{"name":"each"}]`, `,"outputs":[{"name":"none"}]`,
				`,"more":1`)), "application/json"
	}
	var parts []part
	switch r.IntN(6) {
	case 0:
		parts = append(parts, part{"model", "m.onnx", open.Bytes()})
	case 1:
		parts = append(parts, oneOf(r, part{name: "model", data: []byte("none")},
			part{"model", "m.onnx", []byte("no model")}))
	default:
		parts = append(parts, part{name: "model", data: []byte("open")})
	}
	if r.IntN(12) > 0 {
		parts = append(parts, oneOf(r, part{"bag", "b.npy", npy(3, 4)}, part{"bag", "b.csv",
			[]byte(twoBags)}, part{"bag", "b.csv", []byte(twoBags)},
			part{"bag", "b.csv", []byte("bag,f1\n")}, part{name: "bag", data: []byte("bags.csv")},
			part{name: "bag", data: []byte("../bags.csv")}, part{"bag", "b.npy", npy(60, 4)},
			part{"bag", "b.npy", npy(3, 5)}))
	}
	keys := map[string][]string{"index": {"0", "1", "9", `"x"`, "-1"}, "seed": {"1"},
		"methods": {`["single"]`, `["one_removed","combined"]`, `["none"]`, "[]"},
		"samples": {"30", "-1", "100000000"}, "budget": {"3", "500"}, "output": {`"logit"`, `"x"`},
		"class": {"0", `"1"`, "7"}, "name": {`"n"`}, "array": {`"a"`}, "other": {"1"},
		"bag_by": {`"bag"`, `"none"`}, "instance": {"0", "8"}, "classes": {"[0]", `["0"]`}}
	names := []string{"index", "seed", "methods", "samples", "budget", "output", "class", "name",
		"array", "other", "bag_by", "instance", "classes"}
	var set []string
	if strings.Contains(path, "explain") || strings.Contains(path, "jobs") {
		set = append(set, `"methods":["single"]`)
	}
	for range r.IntN(3) {
		if name := oneOf(r, names...); name != "methods" || len(set) == 0 {
			set = append(set, fmt.Sprintf("%q:%s", name, oneOf(r, keys[name]...)))
		}
	}
	if len(set) > 0 {
		parts = append(parts, part{name: "request", data: []byte("{" + strings.Join(set, ",") +
			oneOf(r, "}", "}", "}", "}", "}", ""))})
	}
	switch r.IntN(12) {
	case 0:
		parts = append(parts, part{name: "card", data: []byte(oneOf(r, `{"output":"logits"}`, "{",
			`{"output_name":"scores"}`))})
	case 1:
		parts = append(parts, part{name: oneOf(r, "request", "model", "more"), data: []byte("{}")})
	}
	body, kind = form(t, parts...)
	if r.IntN(20) == 0 {
		body = body[:r.IntN(len(body))]
	}
	return body, kind
}

// changing is what differs between two answers to one request: ids, times, and digits that rounding
// may change.
var changing = regexp.MustCompile(`[0-9a-f]{12,}|\d{4}-\d\d-\d\dT[^"]*|-?\d+\.\d+(e[-+]?\d+)?`)

// exchanged returns the status of an answer, headers that matter, its body without what changes,
// and what is logged. Of a problem it is the kind and what it names, of events the last one.
func exchanged(w *httptest.ResponseRecorder, log string) string {
	var out strings.Builder
	fmt.Fprint(&out, w.Code)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range w.Header() {
			if name != "Location" && name != "Content-Length" && !yield(name) {
				return
			}
		}
	}) {
		fmt.Fprintf(&out, "; %s: %s", name, w.Header().Get(name))
	}
	body := w.Body.String()
	if w.Header().Get("Content-Type") == eventStream {
		body = body[max(0, strings.LastIndex(body, "event: ")):]
	}
	var p Problem
	at := strings.Index(body, "{")
	if json.Unmarshal([]byte(body[max(0, at):]), &p) == nil && p.Kind != "" && p.Title != "" {
		body = fmt.Sprint(p.Kind, p.Status, p.Setting, len(p.Nodes), p.Files, p.ProtocolError != "")
	}
	if len(body) > 4000 { // lists and documents, which other tests compare
		body = body[:100]
	}
	fmt.Fprintf(&out, "; %s; %s", changing.ReplaceAllString(body, "#"), log)
	return out.String()
}

// TestExchanges sends random requests, valid and not, to servers with and without tokens. No
// request leaves memory, temporary files or places behind.
func TestExchanges(t *testing.T) {
	folder, bags := t.TempDir(), t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "open.onnx"), open.Bytes(), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(bags, "bags.csv"), []byte(twoBags), 0o600))
	tokens := filepath.Join(bags, "tokens")
	must.Do(t, os.WriteFile(tokens, []byte("0123456789abcdef\n"), 0o600))
	var names, results []string
	for n, o := range []Options{{Hosts: []string{"tools.example"}},
		{Tokens: must.Get(ReadTokens(tokens))(t), Origins: []string{"https://friend.example"}},
		{Limits: Limits{Instances: 50, Body: 20_000, Budget: 100, Concurrency: 1}}} {
		var log bytes.Buffer
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if slices.Contains([]string{"time", "id", "took", "sent"}, a.Key) {
					return slog.Attr{}
				}
				return ShortAttr(nil, a)
			}}))
		o.Limits = o.Limits.WithMemory()
		o.Models = must.Get(OpenModels(folder, o.Limits, Processor{}))(t)
		o.Bags = must.Get(os.OpenRoot(bags))(t)
		defer o.Bags.Close()
		if n > 0 {
			store := must.Get(jobs.Open(t.TempDir(), jobs.Limits{}))(t)
			defer store.Close()
			o.Jobs = store
		}
		s := must.Get(New(o))(t)
		handler, held := described(t, s), s.limits.Held.Held()
		r := rand.New(rand.NewPCG(uint64(n), 3))
		for range 250 {
			q := drawnRequest(t, r, s)
			what := fmt.Sprint(n, " ", q.Method, " ", q.URL.Path)
			w := httptest.NewRecorder()
			log.Reset()
			handler.ServeHTTP(w, q)
			got := exchanged(w, log.String())
			names, results = append(names, fmt.Sprint(what, " ", w.Code)), append(results, got)
			if s.limits.Held.Held() != held || s.disk.Held() != 0 || len(s.gate.inside) > 0 {
				t.Fatalf("%s: %d bytes of memory and %d of files are held behind the request, "+
					"%d places are taken", what, s.limits.Held.Held()-held, s.disk.Held(),
					len(s.gate.inside))
			}
		}
	}
	testfile.Recorded(t, "testdata/exchanges.txt", *update, names, results)
}
