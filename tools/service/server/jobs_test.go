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
	"time"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// keeping starts a server that takes jobs, which works at them until stop is called.
func keeping(
	t *testing.T, dir string, o Options, l jobs.Limits,
) (s *Server, url string, stop func()) {
	t.Helper()
	store, err := jobs.Open(dir, l)
	if err != nil {
		t.Fatal(err)
	}
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

func addJob(t *testing.T, url string, parts ...part) *jobs.Job {
	t.Helper()
	status, kind, body := post(t, url+"/v1/jobs", "", parts...)
	j := &jobs.Job{}
	if err := json.Unmarshal(body, j); err != nil || status != http.StatusAccepted ||
		kind != "application/json" {
		t.Fatalf("status %d, type %s: %s", status, kind, body)
	}
	return j
}

func jobAt(t *testing.T, url, id string) *jobs.Job {
	t.Helper()
	status, _, body := get(t, url+"/v1/jobs/"+id)
	j := &jobs.Job{}
	if err := json.Unmarshal(body, j); err != nil || status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	return j
}

func ended(t *testing.T, url, id string) *jobs.Job {
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

// results reads all results of a job, by item, and wants each once.
func results(t *testing.T, url, id string) map[int]jobLine {
	t.Helper()
	status, kind, body := get(t, url+"/v1/jobs/"+id+"/results")
	if status != http.StatusOK || kind != jsonLines {
		t.Fatalf("status %d, type %s: %.300s", status, kind, body)
	}
	out := map[int]jobLine{}
	lines := bufio.NewScanner(bytes.NewReader(body))
	for lines.Buffer(nil, 1<<24); lines.Scan(); {
		var l jobLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatalf("%v in %.300s", err, lines.Text())
		}
		if _, twice := out[l.Item]; twice {
			t.Errorf("item %d is answered twice", l.Item)
		}
		out[l.Item] = l
	}
	return out
}

// TestJob: a cohort of two files under two models, one of which is broken, gets for each bag the
// bytes that /v1/explain gives, and for the broken file its problem.
func TestJob(t *testing.T) {
	_, url, _ := keeping(t, t.TempDir(), Options{}, jobs.Limits{})
	request := part{name: "request", data: []byte(`{"methods":["milli"],"samples":50,"seed":3}`)}
	bags, broken := part{"bag", "sets/bags.npz", load(t, digitBags)}, part{"bag", "broken.npz",
		[]byte("PK\x03\x04 and no more")}
	named, sent := part{name: "model", data: []byte("model")}, part{"model", "mine.onnx",
		load(t, digitModel)}
	j := addJob(t, url, named, sent, bags, broken, request)
	if j.Total != 2*(6+1) || j.State != jobs.Waiting {
		t.Errorf("%+v", j)
	}
	if j = ended(t, url, j.ID); j.State != jobs.Done || j.Done != 14 || j.Failed != 2 {
		t.Errorf("%+v", j)
	}
	found := results(t, url, j.ID)
	for item := range 14 {
		l, ok := found[item]
		model := []part{sent, named}[item/7]
		switch {
		case !ok:
			t.Errorf("item %d has no answer", item)
		case item%7 == 6:
			if l.Problem == nil || l.Problem.Kind != "format" || l.File != "broken.npz" ||
				l.Result != nil || l.Problem.Instance != "urn:bagscope:job:"+j.ID {
				t.Errorf("item %d: %+v", item, l)
			}
		default:
			_, _, want := post(t, url+"/v1/explain", "", model, bags,
				part{name: "request", data: fmt.Appendf(nil,
					`{"methods":["milli"],"samples":50,"seed":3,"index":%d}`, item%7)})
			if string(l.Result)+"\n" != string(want) || l.Index != item%7 ||
				l.File != "sets/bags.npz" || l.Model != []string{"mine.onnx", "model"}[item/7] {
				t.Errorf("item %d of %s, %s, %d:\n%.200s\nwant\n%.200s", item, l.Model, l.File,
					l.Index, l.Result, want)
			}
		}
	}
	_, _, all := get(t, url+"/v1/jobs/"+j.ID+"/results")
	_, _, rest := get(t, url+"/v1/jobs/"+j.ID+"/results?after=12")
	if n := bytes.Count(rest, []byte("\n")); n != 2 || !bytes.HasSuffix(all, rest) {
		t.Errorf("%d lines are left after 12 of 14", n)
	}
	_, _, body := get(t, url+"/metrics")
	for _, want := range []string{`bagscope_jobs{state="done"} 1`,
		`bagscope_job_bags_total{outcome="failed"} 2`, `bagscope_job_bags_total{outcome="done"} 12`,
		"bagscope_job_bytes"} {
		if !strings.Contains(string(body), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

// TestJobOpenModels: where a bag decides which output has the class scores, each bag of a cohort
// does for itself.
func TestJobOpenModels(t *testing.T) {
	_, url, _ := keeping(t, t.TempDir(), Options{}, jobs.Limits{})
	model, request := part{"model", "open.onnx", open.Bytes()}, part{name: "request",
		data: []byte(`{"methods":["single"]}`)}
	bags := []part{{"bag", "a.npy", npy(4, 4)}, {"bag", "b.npy", npy(7, 4)}}
	j := ended(t, url, addJob(t, url, model, bags[0], bags[1], request).ID)
	found := results(t, url, j.ID)
	for i, bag := range bags {
		status, _, want := post(t, url+"/v1/explain", "", model, bag, request)
		if got := string(found[i].Result) + "\n"; status != http.StatusOK || got != string(want) {
			t.Errorf("%s: %d, %s\nwant\n%s", bag.file, status, got, want)
		}
	}
}

// TestJobJSON: a cohort may come as JSON, an index chooses one bag of each file, and pictures in a
// folder are one bag.
func TestJobJSON(t *testing.T) {
	_, url, _ := keeping(t, t.TempDir(), Options{}, jobs.Limits{})
	bag := func(name string, data []byte) string {
		return fmt.Sprintf(`{"file":%q,"data":%q}`, name, base64.StdEncoding.EncodeToString(data))
	}
	send := func(body string) *jobs.Job {
		response, err := http.Post(url+"/v1/jobs", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		j := &jobs.Job{}
		if err := json.NewDecoder(response.Body).Decode(j); err != nil ||
			response.StatusCode != http.StatusAccepted ||
			response.Header.Get("Location") != "/v1/jobs/"+j.ID {
			t.Fatalf("%v, %s, %v", err, response.Status, response.Header)
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
		!bytes.Contains(l.Result, []byte(`"bag":{"name":"one","instances":2}`)) {
		t.Errorf("%.300s", l.Result)
	}
}

// TestJobRefusals sends cohorts that cannot be kept.
func TestJobRefusals(t *testing.T) {
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
		{"no sense", "setting", "must be at least 1", []part{model, bag, request(`{"samples":0}`)}},
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
		r, err := http.NewRequestWithContext(t.Context(), "POST", url+"/v1/jobs",
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
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
	if err := json.Unmarshal(list, &all); err != nil || len(all.Jobs) != 2 {
		t.Fatalf("%v: %s", err, list)
	}
	status, kind, body = get(t, url+"/v1/jobs/"+all.Jobs[0].ID+"/results?after=-1")
	wantProblem(t, "after", status, kind, body, "request", "-1")

	_, plain := serve(t, Options{})
	for _, c := range [][2]string{{"POST", "/v1/jobs"}, {"GET", "/v1/jobs"}, {"GET", "/v1/jobs/1"},
		{"DELETE", "/v1/jobs/1"}, {"GET", "/v1/jobs/1/results"}} {
		status, kind, body := send(t, asking(t, c[0], plain+c[1]))
		wantProblem(t, c[0]+" "+c[1], status, kind, body, "no-jobs", "--data DIR")
	}
}

func asking(t *testing.T, method, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestJobEvents: who watches a job is told of its progress and last of its end.
func TestJobEvents(t *testing.T) {
	_, url, _ := keeping(t, t.TempDir(), Options{}, jobs.Limits{})
	j := addJob(t, url, digitParts(t, `{"methods":["milli"],"samples":2000,"repeats":true}`)...)
	r := asking(t, "GET", url+"/v1/jobs/"+j.ID)
	r.Header.Set("Accept", eventStream)
	status, kind, stream := send(t, r)
	if status != http.StatusOK || kind != eventStream {
		t.Fatalf("status %d, type %s", status, kind)
	}
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

// heavyJob is a cohort of one bag that takes minutes.
func heavyJob(t *testing.T, url string) *jobs.Job {
	t.Helper()
	return addJob(t, url, heavy()...)
}

// TestJobCancel: the work ends within 100 ms of the answer that the job is cancelled, at best of
// some rounds, and removing leaves nothing.
func TestJobCancel(t *testing.T) {
	s, url, _ := keeping(t, t.TempDir(), Options{Limits: ample}, jobs.Limits{})
	const allowed = 100 * time.Millisecond
	best := time.Hour
	for round := 0; round < 5 && best > allowed; round++ {
		j := heavyJob(t, url)
		until(t, "it works", func() bool { return s.gate.jobTurnsInUse() == 1 })
		status, _, body := send(t, asking(t, "DELETE", url+"/v1/jobs/"+j.ID))
		begun := time.Now()
		until(t, "the work has stopped", func() bool { return s.gate.jobTurnsInUse() == 0 })
		best = min(best, time.Since(begun))
		if status != http.StatusOK || !bytes.Contains(body, []byte(`"cancelled"`)) {
			t.Errorf("%d: %s", status, body)
		}
		if found := results(t, url, j.ID); len(found) != 0 {
			t.Errorf("%v", found)
		}
		if status, _, _ := send(t, asking(t, "DELETE",
			url+"/v1/jobs/"+j.ID)); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
		if status, _, _ := get(t, url+"/v1/jobs/"+j.ID); status != http.StatusNotFound {
			t.Errorf("status %d", status)
		}
	}
	if best > allowed {
		t.Errorf("the work went on for %v, more than %v", best, allowed)
	}
}

// TestJobDeadline: a bag that takes too long gets that as its answer, and the job goes on.
func TestJobDeadline(t *testing.T) {
	limits := ample
	limits.Bag = 100 * time.Millisecond
	_, url, _ := keeping(t, t.TempDir(), Options{Limits: limits}, jobs.Limits{})
	j := ended(t, url, heavyJob(t, url).ID)
	if l := results(t, url, j.ID)[0]; j.Failed != 1 || l.Problem == nil ||
		l.Problem.Kind != "deadline" {
		t.Errorf("%+v, %+v", j, l)
	}
}

// TestRequestsFirst: a request does not wait for a bag of a job, though only one may be computed at
// a time and that bag takes minutes.
func TestRequestsFirst(t *testing.T) {
	s, url, _ := keeping(t, t.TempDir(), Options{Limits: ample}, jobs.Limits{})
	j := heavyJob(t, url)
	until(t, "it works", func() bool {
		return s.gate.jobTurnsInUse() == 1 &&
			jobAt(t, url, j.ID).State == jobs.Running
	})
	if status, _, body := post(t, url+"/v1/predict", "",
		digitParts(t, "")...); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	if now := jobAt(t, url, j.ID); now.State != jobs.Running || s.gate.jobTurnsInUse() != 1 {
		t.Errorf("%+v", now)
	}
}

// TestMakeWay: between two evaluations a bag gives its turn to requests and waits until there are
// none; its time does not run meanwhile.
func TestMakeWay(t *testing.T) {
	s, err := New(Options{Limits: Limits{Concurrency: 1}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, round := range []string{"it goes on", "it is cancelled"} {
		if err := s.gate.acquireJobTurn(ctx); err != nil {
			t.Fatal(err)
		}
		x := &turn{server: s, ctx: ctx, has: true, begun: time.Now(), left: time.Hour}
		x.timer = time.AfterFunc(x.left, func() { t.Error("its time ran") })
		x.yieldTurn()
		if s.gate.jobTurnsInUse() != 1 {
			t.Error("it makes way for nobody")
		}
		release, begun := make(chan struct{}), make(chan struct{})
		request := make(chan error)
		go func() {
			request <- s.gate.work(t.Context(),
				func() error { close(begun); <-release; return nil })
		}()
		<-begun
		made := make(chan struct{})
		go func() { x.yieldTurn(); close(made) }()
		until(t, "it makes way", func() bool { return s.gate.jobTurnsInUse() == 0 })
		if x.timer.Stop() {
			t.Error("its time runs while it waits")
		}
		if round == "it goes on" {
			close(release)
			<-made
		} else {
			cancel()
			<-made
			close(release)
		}
		if err := <-request; err != nil || x.has != (round == "it goes on") || x.left > time.Hour {
			t.Errorf("%s: %v, has its turn %v, %v left", round, err, x.has, x.left)
		}
		x.end()
		if s.gate.jobTurnsInUse() != 0 {
			t.Errorf("%s: its turn is kept", round)
		}
	}
}

// TestJobStop: a server that is stopped leaves what it has begun to the next one, which is told of
// other models than the job's under their names.
func TestJobStop(t *testing.T) {
	dir := t.TempDir()
	s, url, stop := keeping(t, dir, Options{Limits: ample}, jobs.Limits{})
	heavy := heavyJob(t, url)
	waits := addJob(t, url, digitParts(t, `{"methods":["milli"],"samples":20}`)...)
	until(t, "it works", func() bool { return s.gate.jobTurnsInUse() == 1 })
	stop()
	_, url, stop = keeping(t, dir, Options{Limits: Limits{Bag: 3 * time.Second}}, jobs.Limits{})
	if j := ended(t, url, heavy.ID); j.Failed != 1 {
		t.Errorf("%+v", j)
	}
	if j := ended(t, url, waits.ID); j.Done != 6 || j.Failed != 0 {
		t.Errorf("%+v", j)
	}
	stop()
}

// TestJobDrain: a server that is stopped gives up the bag that it works at once no request is under
// way, and tells those who watch.
func TestJobDrain(t *testing.T) {
	store, err := jobs.Open(t.TempDir(), jobs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, url, stop, ended := running(t, Options{Limits: ample, Jobs: store}, time.Minute)
	j := heavyJob(t, url)
	until(t, "it works", func() bool {
		return s.gate.jobTurnsInUse() == 1 &&
			jobAt(t, url, j.ID).State == jobs.Running
	})
	r := asking(t, "GET", url+"/v1/jobs/"+j.ID)
	r.Header.Set("Accept", eventStream)
	told := make(chan []event, 1)
	go func() {
		_, _, stream := send(t, r)
		told <- read(t, stream)
	}()
	until(t, "it is watched", func() bool { return len(s.watching) == 1 })
	stop()
	found := <-told
	if last := found[len(found)-1]; last.name != "error" ||
		!strings.Contains(last.data, `"stopping"`) {
		t.Errorf("who watches is told %+v", last)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if now, err := store.Get(j.ID); err != nil || now.State != jobs.Running || now.Done != 0 {
		t.Errorf("%+v, %v", now, err)
	}
}

// TestJobCrashed: a bag that was worked at when three servers ended is answered with that, and the
// others with their results.
func TestJobCrashed(t *testing.T) {
	dir := t.TempDir()
	store, err := jobs.Open(dir, jobs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Jobs: store, Models: mustModels(t)})
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.job(t.Context(), &cohort{&upload{bags: []bagio.File{{Name: "bags.npz",
		Data: load(t, digitBags)}}}, []string{"model"},
		json.RawMessage(`{"methods":["milli"],"samples":20}`)})
	if err != nil {
		t.Fatal(err)
	}
	j, err := store.Add(n)
	for range 3 {
		if err != nil {
			t.Fatal(err)
		}
		w, took := store.Take(t.Context())
		if took != nil || w.Item != 0 {
			t.Fatalf("%+v, %v", w, took)
		}
		if err := store.Begin(w); err != nil {
			t.Fatal(err)
		}
		store.Close()
		store, err = jobs.Open(dir, jobs.Limits{})
	}
	store.Close()
	_, url, _ := keeping(t, dir, Options{}, jobs.Limits{})
	if j = ended(t, url, j.ID); j.Failed != 1 || j.Done != 6 {
		t.Errorf("%+v", j)
	}
	found := results(t, url, j.ID)
	if p := found[0].Problem; p == nil || p.Kind != "crashed" ||
		!strings.Contains(p.Detail, "3 times") || found[0].File != "bags.npz" ||
		p.Instance != "urn:bagscope:job:"+j.ID {
		t.Errorf("%+v, %+v", found[0], p)
	}
}

func mustModels(t *testing.T) *Models {
	t.Helper()
	m, err := OpenModels(digits, Limits{}, Processor{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
