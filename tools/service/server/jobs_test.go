package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// keeping starts a server that computes jobs until stop is called.
func keeping(
	t testing.TB, dir string, o Options, l jobs.Limits,
) (s *Server, url string, stop func()) {
	t.Helper()
	store := must.Get(jobs.Open(dir, l))(t)
	o.Jobs = store
	s, url = serve(t, o)
	ctx, cancel := context.WithCancel(context.Background())
	s.workJobs(ctx, ctx)
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			cancel()
			s.work.Wait()
			store.Close()
		}
	}
	t.Cleanup(stop)
	return s, url, stop
}

func addJob(t testing.TB, url string, parts ...part) *jobs.Job {
	t.Helper()
	status, kind, body := post(t, url+"/v1/jobs", "", parts...)
	j := &jobs.Job{}
	must.Do(t, json.Unmarshal(body, j))
	must.Equal(t, status, http.StatusAccepted, body)
	must.Equal(t, kind, "application/json", body)
	return j
}

func jobAt(t testing.TB, url, id string) *jobs.Job {
	t.Helper()
	status, _, body := get(t, url+"/v1/jobs/"+id)
	j := &jobs.Job{}
	must.Do(t, json.Unmarshal(body, j))
	must.Equal(t, status, http.StatusOK, body)
	return j
}

func ended(t testing.TB, url, id string) *jobs.Job {
	t.Helper()
	var j *jobs.Job
	until(t, "the job ends", func() bool { j = jobAt(t, url, id); return j.State.Ended() })
	return j
}

type jobLine struct {
	Item        int
	Model, File string
	Index       int
	Result      json.RawMessage
	Problem     *Problem
}

// results returns all results of a job by item. It fails the test if an item has two results.
func results(t testing.TB, url, id string) map[int]jobLine {
	t.Helper()
	status, kind, body := get(t, url+"/v1/jobs/"+id+"/results")
	must.Equal(t, status, http.StatusOK, body)
	must.Equal(t, kind, jsonLines, body)
	out := map[int]jobLine{}
	lines := bufio.NewScanner(bytes.NewReader(body))
	for lines.Buffer(nil, 1<<24); lines.Scan(); {
		var l jobLine
		must.Do(t, json.Unmarshal(lines.Bytes(), &l))
		if _, twice := out[l.Item]; twice {
			t.Errorf("item %d has two results", l.Item)
		}
		out[l.Item] = l
	}
	return out
}

// A cohort of two files and two models has the bytes of /v1/explain for each bag, and a problem for
// the file that cannot be read.
func TestJob(t *testing.T) {
	_, url, _ := keeping(t, t.TempDir(), Options{}, jobs.Limits{})
	request := part{name: "request", data: []byte(
		`{"methods":["milli"],"samples":50,"seed":3,"name":"mine"}`)}
	bags, broken := part{"bag", "sets/bags.npz", load(t, digitBags)}, part{"bag", "broken.npz",
		[]byte("PK\x03\x04 and no more")}
	named, sent := part{name: "model", data: []byte("model")}, part{"model", "mine.onnx",
		load(t, digitModel)}
	j := addJob(t, url, named, sent, bags, broken, request)
	must.Equal(t, j.Total, 2*(6+1), j)
	must.Equal(t, j.State, jobs.Waiting, j)
	if j = ended(t, url, j.ID); j.State != jobs.Done || j.Done != 14 || j.Failed != 2 {
		t.Errorf("%+v", j)
	}
	found := results(t, url, j.ID)
	for item := range 14 {
		l, ok := found[item]
		model := []part{sent, named}[item/7]
		switch {
		case !ok:
			t.Errorf("item %d has no result", item)
		case item%7 == 6:
			if l.Problem == nil || l.Problem.Kind != "format" || l.File != "broken.npz" ||
				l.Result != nil || l.Problem.Instance != "urn:bagscope:job:"+j.ID {
				t.Errorf("item %d: %+v", item, l)
			}
		default:
			_, _, want := post(t, url+"/v1/explain", "", model, bags,
				part{name: "request", data: fmt.Appendf(nil,
					`{"methods":["milli"],"samples":50,"seed":3,"name":"mine","index":%d}`,
					item%7)})
			if string(l.Result)+"\n" != string(want) || l.Index != item%7 ||
				l.File != "sets/bags.npz" || l.Model != []string{"mine.onnx", "model"}[item/7] {
				t.Errorf("item %d of %s, %s, %d:\n%.200s\nwant\n%.200s", item, l.Model, l.File,
					l.Index, l.Result, want)
			}
		}
	}
	_, _, all := get(t, url+"/v1/jobs/"+j.ID+"/results")
	_, _, rest := get(t, url+"/v1/jobs/"+j.ID+"/results?after=12")
	must.Equal(t, bytes.Count(rest, []byte("\n")), 2)
	must.Equal(t, bytes.HasSuffix(all, rest), true)
	_, _, body := get(t, url+"/metrics")
	for _, want := range []string{`bagscope_jobs{state="done"} 1`,
		`bagscope_job_bags_total{outcome="failed"} 2`, `bagscope_job_bags_total{outcome="done"} 12`,
		"bagscope_job_bytes"} {
		must.Contain(t, string(body), want)
	}
}

// If a bag determines which output has the class scores, no bag of a cohort has an influence on
// another one.
func TestJobOpenModels(t *testing.T) {
	_, url, _ := keeping(t, t.TempDir(), Options{}, jobs.Limits{})
	model, request := part{"model", "open.onnx", open.Bytes()}, part{name: "request",
		data: []byte(`{"methods":["single"]}`)}
	bags := []part{{"bag", "a.npy", npy(4, 4)}, {"bag", "b.npy", npy(7, 4)}}
	j := ended(t, url, addJob(t, url, model, bags[0], bags[1], request).ID)
	found := results(t, url, j.ID)
	for i, bag := range bags {
		status, _, want := post(t, url+"/v1/explain", "", model, bag, request)
		must.Equal(t, status, http.StatusOK, bag.file, want)
		must.Equal(t, (string(found[i].Result) + "\n"), string(want), bag.file, want)
	}
}

// A cohort can be sent as JSON. An index selects one bag of each file, and the pictures of a folder
// are one bag.
func TestJobJSON(t *testing.T) {
	_, url, _ := keeping(t, t.TempDir(), Options{}, jobs.Limits{})
	bag := func(name string, data []byte) string {
		return fmt.Sprintf(`{"file":%q,"data":%q}`, name, base64.StdEncoding.EncodeToString(data))
	}
	send := func(body string) *jobs.Job {
		response := must.Get(http.Post(url+"/v1/jobs", "application/json",
			strings.NewReader(body)))(t)
		defer response.Body.Close()
		j := &jobs.Job{}
		must.Do(t, json.NewDecoder(response.Body).Decode(j))
		must.Equal(t, response.StatusCode, http.StatusAccepted, response.Status, response.Header)
		must.Equal(t, response.Header.Get("Location"), "jobs/"+j.ID, response.Status,
			response.Header)
		// The client resolves it against the address of its request.
		if at, err := response.Location(); err != nil || at.String() != url+"/v1/jobs/"+j.ID {
			t.Errorf("%v, %v", at, err)
		}
		return j
	}
	j := send(`{"models":["model"],"bags":[` + bag("bags.npz", load(t, digitBags)) +
		`],"request":{"methods":["milli"],"index":4,"samples":30}}`)
	if j = ended(t, url, j.ID); j.Total != 1 || j.Failed != 0 {
		t.Errorf("%+v", j)
	}
	_, _, want := post(t, url+"/v1/explain", "",
		digitParts(t, `{"methods":["milli"],"index":4,"samples":30}`)...)
	if l := results(t, url, j.ID)[0]; string(l.Result)+"\n" != string(want) || l.Index != 4 {
		t.Errorf("%+v", l)
	}
	digit := picture(t, 28)
	j = send(`{"models":["model"],"bags":[` +
		strings.Join([]string{bag("one/1.png", digit), bag("two/1.png", digit),
			bag("one/2.png", digit)}, ",") + `]}`)
	if j = ended(t, url, j.ID); j.Total != 2 || j.Failed != 0 {
		t.Errorf("%+v", j)
	}
	if l := results(t, url, j.ID)[0]; l.File != "one" ||
		!bytes.Contains(l.Result, []byte(`"bag":{"name":"one","instances":2,`+
			`"instance_names":["1.png","2.png"]`)) {
		t.Errorf("%.300s", l.Result)
	}
}

func TestJobRejectsInvalidCohorts(t *testing.T) {
	_, url, _ := keeping(t, t.TempDir(), Options{}, jobs.Limits{Items: 11, Jobs: 2, Bytes: 1 << 20})
	model, bag := part{name: "model", data: []byte("model")}, part{"bag", "bags.npz",
		load(t, digitBags)}
	request := func(text string) part { return part{name: "request", data: []byte(text)} }
	for _, c := range []struct {
		what, kind, says string
		parts            []part
	}{
		{"no model", "request", "model is missing", []part{bag}},
		{"no bag", "request", "bag is missing", []part{model}},
		{"an unknown model", "unknown", "/v1/models",
			[]part{model, {name: "model", data: []byte("../model")}, bag}},
		{"a model twice", "request", "twice", []part{model, model, bag}},
		{"two models that are sent", "request", "occurs more than once",
			[]part{{"model", "a.onnx", nil}, {"model", "b.onnx", nil}, bag}},
		{"a broken model", "format", "broken",
			[]part{{"model", "a.onnx", []byte("\x08\x07garbage")}, bag}},
		{"an invalid setting", "setting", "must be at least 1",
			[]part{model, bag, request(`{"samples":0}`)}},
		{"an unknown key", "request", `"sample"`, []part{model, bag, request(`{"sample":1}`)}},
		{"too many bags", "full", "12 bags", []part{model, bag, bag}},
		{"too many bytes", "full", "bytes", []part{model, bag,
			{"bag", "b.npy", make([]byte, 1<<20)}}},
	} {
		status, kind, body := post(t, url+"/v1/jobs", "", c.parts...)
		wantProblem(t, c.what, status, kind, body, c.kind, c.says)
	}
	for _, body := range []string{`{"models":["model"]}`, `{"bags":[]}`, `[]`,
		`{"models":["model"],"bags":[{"data":"AAAA"}]}`,
		`{"models":["model"],"bags":[{"file":"a.npy","data":"?"}]}`} {
		r := must.Get(http.NewRequestWithContext(t.Context(), "POST", url+"/v1/jobs",
			strings.NewReader(body)))(t)
		r.Header.Set("Content-Type", "application/json")
		status, kind, answer := send(t, r)
		wantProblem(t, body, status, kind, answer, "request", "")
	}
	for range 2 {
		addJob(t, url, model, bag, request(`{"index":0}`))
	}
	status, kind, body := post(t, url+"/v1/jobs", "", model, bag)
	wantProblem(t, "too many jobs", status, kind, body, "full", "2 jobs")
	for _, path := range []string{"/v1/jobs/0123", "/v1/jobs/0123/results",
		"/v1/jobs/..%2f..%2fjobs.db"} {
		status, kind, body := get(t, url+path)
		wantProblem(t, path, status, kind, body, "unknown", "the job does not exist")
	}
	_, _, list := get(t, url+"/v1/jobs")
	var all struct{ Jobs []jobs.Job }
	must.Do(t, json.Unmarshal(list, &all))
	must.Equal(t, len(all.Jobs), 2, list)
	status, kind, body = get(t, url+"/v1/jobs/"+all.Jobs[0].ID+"/results?after=-1")
	wantProblem(t, "after", status, kind, body, "request", "-1")

	_, plain := serve(t, Options{})
	for _, c := range [][2]string{{"POST", "/v1/jobs"}, {"GET", "/v1/jobs"}, {"GET", "/v1/jobs/1"},
		{"DELETE", "/v1/jobs/1"}, {"GET", "/v1/jobs/1/results"}} {
		status, kind, body := send(t, asking(t, c[0], plain+c[1]))
		wantProblem(t, c[0]+" "+c[1], status, kind, body, "no-jobs", "--data DIR")
	}
}

func asking(t testing.TB, method, url string) *http.Request {
	t.Helper()
	return must.Get(http.NewRequestWithContext(t.Context(), method, url, nil))(t)
}

// A client that watches a job receives its progress, and the ended job as the last event.
func TestJobEvents(t *testing.T) {
	_, url, _ := keeping(t, t.TempDir(), Options{}, jobs.Limits{})
	j := addJob(t, url, digitParts(t, `{"methods":["milli"],"samples":2000,"repeats":true}`)...)
	r := asking(t, "GET", url+"/v1/jobs/"+j.ID)
	r.Header.Set("Accept", eventStream)
	status, kind, stream := send(t, r)
	must.Equal(t, status, http.StatusOK)
	must.Equal(t, kind, eventStream)
	found := read(t, stream)
	var end jobs.Job
	last := found[len(found)-1]
	if err := json.Unmarshal([]byte(last.data), &end); err != nil || last.name != "result" ||
		end.State != jobs.Done || end.Done != 6 {
		t.Errorf("%v: %+v", err, last)
	}
	if before := found[len(found)-2]; before.name != "progress" ||
		before.data != `{"done":6,"total":6}` {
		t.Errorf("%+v", before)
	}
}
