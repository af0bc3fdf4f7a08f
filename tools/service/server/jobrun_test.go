package server

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// heavyJob sends a cohort of one bag that takes minutes.
func heavyJob(t testing.TB, url string) *jobs.Job {
	t.Helper()
	return addJob(t, url, heavy()...)
}

// A cancelled job stops long before its bag is explained, which takes minutes. A removed job leaves
// no results.
func TestJobCancel(t *testing.T) {
	s, url, _ := keeping(t, t.TempDir(), Options{Limits: ample}, jobs.Limits{})
	j := heavyJob(t, url)
	until(t, "the bag is computed", func() bool { return s.gate.jobTurnsInUse() == 1 })
	status, _, body := send(t, asking(t, "DELETE", url+"/v1/jobs/"+j.ID))
	until(t, "the work has stopped", func() bool { return s.gate.jobTurnsInUse() == 0 })
	must.Equal(t, status, http.StatusOK, body)
	must.Equal(t, bytes.Contains(body, []byte(`"cancelled"`)), true, status, body)
	must.Equal(t, len(results(t, url, j.ID)), 0)
	status, _, _ = send(t, asking(t, "DELETE", url+"/v1/jobs/"+j.ID))
	must.Equal(t, status, http.StatusOK)
	if status, _, _ := get(t, url+"/v1/jobs/"+j.ID); status != http.StatusNotFound {
		t.Errorf("status %d", status)
	}
}

// A bag that exceeds its time limit gets the problem deadline, and the job continues.
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

// A request does not wait for a bag of a job that takes minutes, although the limit is one
// computation at a time.
func TestRequestsTakePriority(t *testing.T) {
	s, url, _ := keeping(t, t.TempDir(), Options{Limits: ample}, jobs.Limits{})
	j := heavyJob(t, url)
	until(t, "the bag is computed", func() bool {
		return s.gate.jobTurnsInUse() == 1 && jobAt(t, url, j.ID).State == jobs.Running
	})
	if status, _, body := post(t, url+"/v1/predict", "",
		digitParts(t, "")...); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	must.Equal(t, jobAt(t, url, j.ID).State, jobs.Running)
	must.Equal(t, s.gate.jobTurnsInUse(), 1)
}

// Between two evaluations a bag returns its turn if a request needs it and waits for another turn.
// Its time limit does not run during the wait.
func TestYieldTurn(t *testing.T) {
	s := must.Get(New(Options{Limits: Limits{Concurrency: 1}}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, round := range []string{"continued", "cancelled"} {
		must.Do(t, s.gate.acquireJobTurn(ctx))
		x := &turn{server: s, ctx: ctx, has: true, begun: time.Now(), left: time.Hour}
		x.timer = time.AfterFunc(x.left, func() { t.Error("the time limit was exceeded") })
		x.yieldTurn()
		must.Equal(t, s.gate.jobTurnsInUse(), 1, "the turn was returned without a request")
		release, begun := make(chan struct{}), make(chan struct{})
		request := make(chan error)
		go func() {
			request <- s.gate.work(t.Context(),
				func() error { close(begun); <-release; return nil })
		}()
		<-begun
		made := make(chan struct{})
		go func() { x.yieldTurn(); close(made) }()
		until(t, "the turn is returned", func() bool { return s.gate.jobTurnsInUse() == 0 })
		must.Equal(t, x.timer.Stop(), false, "the time limit runs during the wait")
		if round == "continued" {
			close(release)
			<-made
		} else {
			cancel()
			<-made
			close(release)
		}
		if err := <-request; err != nil || x.has != (round == "continued") || x.left > time.Hour {
			t.Errorf("%s: %v, has its turn %v, %v left", round, err, x.has, x.left)
		}
		x.end()
		must.Equal(t, s.gate.jobTurnsInUse(), 0, round)
	}
}

// A server that was stopped during a bag leaves the bag to the next server.
func TestJobStop(t *testing.T) {
	dir := t.TempDir()
	s, url, stop := keeping(t, dir, Options{Limits: ample}, jobs.Limits{})
	heavy := heavyJob(t, url)
	waits := addJob(t, url, digitParts(t, `{"methods":["milli"],"samples":20}`)...)
	until(t, "the bag is computed", func() bool { return s.gate.jobTurnsInUse() == 1 })
	stop()
	s, url, stop = keeping(t, dir, Options{Limits: ample}, jobs.Limits{})
	until(t, "the next server computes the bag", func() bool {
		return s.gate.jobTurnsInUse() == 1 && jobAt(t, url, heavy.ID).State == jobs.Running
	})
	must.Equal(t, jobAt(t, url, waits.ID).State, jobs.Waiting, "another bag came first")
	if status, _, body := send(t, asking(t, "DELETE", url+"/v1/jobs/"+heavy.ID)); status !=
		http.StatusOK {
		t.Errorf("%d: %s", status, body)
	}
	if j := ended(t, url, waits.ID); j.Done != 6 || j.Failed != 0 {
		t.Errorf("%+v", j)
	}
	stop()
}

// A server that is stopped ends the current bag as soon as no request runs. Clients that watch the
// job get the problem stopping.
func TestJobDrain(t *testing.T) {
	store := must.Get(jobs.Open(t.TempDir(), jobs.Limits{}))(t)
	defer store.Close()
	s, url, stop, ended := running(t, Options{Limits: ample, Jobs: store}, time.Minute)
	j := heavyJob(t, url)
	until(t, "the bag is computed", func() bool {
		return s.gate.jobTurnsInUse() == 1 && jobAt(t, url, j.ID).State == jobs.Running
	})
	r := asking(t, "GET", url+"/v1/jobs/"+j.ID)
	r.Header.Set("Accept", eventStream)
	events := make(chan []event, 1)
	go func() {
		_, _, stream := send(t, r)
		events <- read(t, stream)
	}()
	until(t, "the job is watched", func() bool { return s.watching.count() == 1 })
	stop()
	found := <-events
	if last := found[len(found)-1]; last.name != "error" ||
		!strings.Contains(last.data, `"stopping"`) {
		t.Errorf("the last event is %+v", last)
	}
	must.Do(t, <-ended)
	if now, err := store.Get(j.ID); err != nil || now.State != jobs.Running || now.Done != 0 {
		t.Errorf("%+v, %v", now, err)
	}
}

// A bag during which three servers ended gets the problem crashed. The other bags are explained.
func TestJobCrashed(t *testing.T) {
	dir := t.TempDir()
	j := killedAt(t, dir, 3)
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

func mustModels(t testing.TB) *Models {
	t.Helper()
	return must.Get(OpenModels(digits, Limits{}, Processor{}))(t)
}
