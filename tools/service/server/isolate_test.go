package server

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// withoutProcess is Options.Isolate with a server in this process in place of another process. It
// counts the bags.
func withoutProcess(
	child *Server, bags *atomic.Int32,
) func(ctx context.Context, talk func(io.Writer, io.Reader) error) error {
	return func(ctx context.Context, talk func(io.Writer, io.Reader) error) error {
		bags.Add(1)
		childIn, in := io.Pipe()
		out, childOut := io.Pipe()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			err := child.ComputeBag(ctx, childIn, childOut)
			childIn.CloseWithError(io.ErrClosedPipe)
			childOut.CloseWithError(err)
		}()
		err := talk(in, out)
		in.Close()
		out.Close()
		<-ended
		return err
	}
}

// dying is Options.Isolate with a process that ends after it has received the bag, or before that.
func dying(afterBag bool) func(ctx context.Context, talk func(io.Writer, io.Reader) error) error {
	return func(_ context.Context, talk func(io.Writer, io.Reader) error) error {
		childIn, in := io.Pipe()
		out, childOut := io.Pipe()
		go func() {
			defer childOut.Close()
			defer childIn.Close()
			if afterBag {
				_ = gob.NewEncoder(childOut).Encode(bagOutput{Ready: true})
				_ = (&childBag{files: map[string][]byte{}}).receive(gob.NewDecoder(childIn))
			}
		}()
		return talk(in, out)
	}
}

// killedAt adds a job of the digits to a store and ends a number of servers during its first bag.
func killedAt(t *testing.T, dir string, servers int) *jobs.Job {
	t.Helper()
	store := must.Get(jobs.Open(dir, jobs.Limits{}))(t)
	s := must.Get(New(Options{Jobs: store, Models: mustModels(t)}))(t)
	n := must.Get(s.job(t.Context(), &cohort{&upload{bags: []sentBag{{File: bagio.File{
		Name: "bags.npz", Data: load(t, digitBags)}}}}, []string{"model"},
		json.RawMessage(`{"methods":["milli"],"samples":20}`)}))(t)
	j, err := store.Add(n)
	for range servers {
		must.Do(t, err)
		w, took := store.Take(t.Context())
		must.Do(t, took)
		must.Equal(t, w.Item, 0, w)
		must.Do(t, store.Begin(w))
		store.Close()
		store, err = jobs.Open(dir, jobs.Limits{Stops: 10})
	}
	store.Close()
	return j
}

// TestStopsAreNoAttempts: a bag during which five servers ended is computed, in a process of its
// own and with the bytes of /v1/explain. The other bags are computed by the server.
func TestStopsAreNoAttempts(t *testing.T) {
	dir := t.TempDir()
	j := killedAt(t, dir, 5)
	child := must.Get(New(Options{Models: mustModels(t)}))(t)
	var bags atomic.Int32
	_, url, _ := keeping(t, dir, Options{Isolate: withoutProcess(child, &bags)},
		jobs.Limits{Stops: 10})
	if j = ended(t, url, j.ID); j.Failed != 0 || j.Done != 6 || bags.Load() != 1 {
		t.Errorf("%+v, %d bags in processes of their own", j, bags.Load())
	}
	_, _, want := post(t, url+"/v1/explain", "",
		digitParts(t, `{"methods":["milli"],"samples":20,"index":0}`)...)
	must.Equal(t, (string(results(t, url, j.ID)[0].Result) + "\n"), string(want), want)
}

// TestStopsHaveLimit: a bag that ends the server ten times, with its process, is given up.
func TestStopsHaveLimit(t *testing.T) {
	dir := t.TempDir()
	j := killedAt(t, dir, 10)
	_, url, _ := keeping(t, dir, Options{Isolate: dying(true)}, jobs.Limits{Stops: 10})
	ended(t, url, j.ID)
	if p := results(t, url, j.ID)[0].Problem; p == nil || p.Kind != "crashed" ||
		!strings.Contains(p.Detail, "the server stopped 10 times") {
		t.Errorf("%+v", p)
	}
}

// TestBagThatDies: a bag that ends its process three times fails, and the server goes on.
func TestBagThatDies(t *testing.T) {
	dir := t.TempDir()
	j := killedAt(t, dir, 1)
	_, url, _ := keeping(t, dir, Options{Isolate: dying(true)}, jobs.Limits{Stops: 10})
	if j = ended(t, url, j.ID); j.Failed != 1 || j.Done != 6 {
		t.Errorf("%+v", j)
	}
	if p := results(t, url, j.ID)[0].Problem; p == nil || p.Kind != "crashed" ||
		!strings.Contains(p.Detail, "a process that computed only this bag stopped 3 times") {
		t.Errorf("%+v", p)
	}
}

// TestProcessNotStarted: a process that cannot be started, or that ends before it has the bag, is
// no attempt at the bag.
func TestProcessNotStarted(t *testing.T) {
	dir := t.TempDir()
	j := killedAt(t, dir, 1)
	child := must.Get(New(Options{Models: mustModels(t)}))(t)
	var bags, starts atomic.Int32
	o := Options{Isolate: func(
		ctx context.Context, talk func(io.Writer, io.Reader) error,
	) error {
		switch starts.Add(1) {
		case 1:
			return errors.New("no such program")
		case 2:
			return dying(false)(ctx, talk)
		}
		return withoutProcess(child, &bags)(ctx, talk)
	}}
	_, url, _ := keeping(t, dir, o, jobs.Limits{Attempts: 1, Stops: 10})
	if j = ended(t, url, j.ID); j.Failed != 0 || j.Done != 6 || starts.Load() != 3 {
		t.Errorf("%+v after %d starts", j, starts.Load())
	}
}

// TestIsolatedUpload: a model with its card and tensors that a client sent reaches the process.
func TestIsolatedUpload(t *testing.T) {
	dir := t.TempDir()
	child := must.Get(New(Options{}))(t)
	parts := []part{{"model", "mine.onnx", load(t, digitModel)},
		{"card", "card.json", []byte(`{"classes":["a","b","c","d"]}`)},
		{"bag", "bags.npz", load(t, digitBags)},
		{name: "request", data: []byte(`{"methods":["milli"],"samples":20,"index":2}`)}}
	store := must.Get(jobs.Open(dir, jobs.Limits{}))(t)
	_, url := serve(t, Options{Jobs: store}) // without workers
	j := addJob(t, url, parts...)
	w := must.Get(store.Take(t.Context()))(t)
	must.Do(t, store.Begin(w))
	store.Close()
	var bags atomic.Int32
	_, url, _ = keeping(t, dir, Options{Isolate: withoutProcess(child, &bags)}, jobs.Limits{})
	if j = ended(t, url, j.ID); j.Failed != 0 || bags.Load() != 1 {
		t.Errorf("%+v, %d bags in processes of their own", j, bags.Load())
	}
	_, _, want := post(t, url+"/v1/explain", "", parts...)
	must.Contain(t, string(want), `"classes":["a","b","c","d"]`)
	must.Equal(t, (string(results(t, url, j.ID)[0].Result) + "\n"), string(want), want)
}

// TestIsolatedEnds: a process whose bag exceeds its time limit or whose job is cancelled is ended.
func TestIsolatedEnds(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		dir := t.TempDir()
		j := killedAt(t, dir, 1)
		running := make(chan struct{}, 10)
		limits := Limits{Bag: 50 * time.Millisecond}
		if cancelled {
			limits.Bag = time.Hour
		}
		_, url, _ := keeping(t, dir, Options{Limits: limits, Isolate: func(
			ctx context.Context, talk func(io.Writer, io.Reader) error,
		) error {
			running <- struct{}{}
			<-ctx.Done()
			return errDied
		}}, jobs.Limits{Stops: 10})
		<-running
		if cancelled {
			if status, _, body := send(t, asking(t, "DELETE",
				url+"/v1/jobs/"+j.ID)); status != http.StatusOK {
				t.Errorf("%d %s", status, body)
			}
			if j = ended(t, url, j.ID); j.State != jobs.Cancelled || j.Done != 0 {
				t.Errorf("%+v", j)
			}
			continue
		}
		ended(t, url, j.ID)
		if p := results(t, url, j.ID)[0].Problem; p == nil || p.Kind != "deadline" {
			t.Errorf("%+v", p)
		}
	}
}

// TestPartsOfProcess: parts that a process returns before it ends are stored, and the next one gets
// them; a bag that gets further does not fail, however often its process ends.
func TestPartsOfProcess(t *testing.T) {
	dir := t.TempDir()
	j := killedAt(t, dir, 1)
	child := must.Get(New(Options{Models: mustModels(t)}))(t)
	var got []int
	var bags atomic.Int32
	_, url, _ := keeping(t, dir, Options{Isolate: func(
		ctx context.Context, talk func(io.Writer, io.Reader) error,
	) error {
		if len(got) == 5 {
			return withoutProcess(child, &bags)(ctx, talk)
		}
		childIn, in := io.Pipe()
		out, childOut := io.Pipe()
		go func() {
			defer childOut.Close()
			to := gob.NewEncoder(childOut)
			_ = to.Encode(bagOutput{Ready: true})
			c := &childBag{files: map[string][]byte{}, to: to}
			_ = c.receive(gob.NewDecoder(childIn))
			got = append(got, len(c.parts))
			_ = c.Keep(nil, []byte("part"))
		}()
		return talk(in, out)
	}}, jobs.Limits{Attempts: 2, Stops: 10})
	if j = ended(t, url, j.ID); j.Failed != 0 || bags.Load() != 1 ||
		!slices.Equal(got, []int{0, 1, 2, 3, 4}) {
		t.Errorf("%+v, parts %v", j, got)
	}
}

// TestReceiveOfCutStreams cuts the messages of a bag at every byte: a process that got a part of
// them must not compute it. With too little memory it reads to the end.
func TestReceiveOfCutStreams(t *testing.T) {
	var stream bytes.Buffer
	to := gob.NewEncoder(&stream)
	for _, m := range []bagInput{{Bag: &isolatedBag{Job: "j", Item: 3, Data: []byte("data")}},
		{File: &isolatedFile{Name: "a", Size: 5, Chunk: []byte("abc")}},
		{File: &isolatedFile{Name: "a", Size: 5, Chunk: []byte("de")}},
		{File: &isolatedFile{Name: "empty"}}, {Part: []byte("part")}, {Last: true}} {
		must.Do(t, to.Encode(m))
	}
	receive := func(n int, memory int64) (*childBag, error) {
		c := &childBag{files: map[string][]byte{}, memory: quota.NewMemory(memory)}
		return c, c.receive(gob.NewDecoder(bytes.NewReader(stream.Bytes()[:n])))
	}
	for n := range stream.Len() {
		must.Equal(t, must.Err(receive(n, 100)) != nil, true, n, stream.Len())
	}
	for memory, fits := range map[int64]bool{9: true, 8: false, 4: false} {
		c := must.Get(receive(stream.Len(), memory))(t)
		if (c.full == nil) != fits || c.bag.Item != 3 || fits && (string(c.files["a"]) != "abcde" ||
			len(c.files) != 2 || len(c.parts) != 1 || string(c.parts[0]) != "part") {
			t.Errorf("%d bytes of memory: %+v, %v", memory, c.files, c.full)
		}
	}
}
