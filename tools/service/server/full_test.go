package server

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// TestJobFull: a job whose result would exceed the bytes of the store ends with the results that it
// has and a reason, which clients, events and metrics show. The next job with room is computed.
func TestJobFull(t *testing.T) {
	upload := int64(len(load(t, digitBags)))
	const room = 8000
	// The store keeps a fifth for results: of six bags some have room, and not all.
	dir, limits := t.TempDir(), jobs.Limits{Bytes: upload*5/4 + room}
	s, url, stop := keeping(t, dir, Options{Limits: Limits{Concurrency: 1}}, limits)
	j := addJob(t, url, digitParts(t,
		`{"methods":["milli","single","one_removed"],"samples":20}`)...)
	r := asking(t, "GET", url+"/v1/jobs/"+j.ID)
	r.Header.Set("Accept", eventStream)
	_, _, stream := send(t, r)
	check := func(now *jobs.Job) {
		t.Helper()
		if now.State != jobs.Full || now.Done == 0 || now.Done >= now.Total ||
			!strings.Contains(now.Reason, "no room") {
			t.Errorf("%+v", now)
		}
		if found := results(t, url, j.ID); len(found) != now.Done || found[0].Result == nil {
			t.Errorf("%d results of %d", len(found), now.Done)
		}
		_, size, err := s.Jobs.Usage()
		if err != nil || size > limits.Bytes {
			t.Errorf("%d bytes of %d, %v", size, limits.Bytes, err)
		}
	}
	check(ended(t, url, j.ID))
	events := read(t, stream)
	if last := events[len(events)-1]; last.name != "result" ||
		!strings.Contains(last.data, `"state":"full"`) {
		t.Errorf("the last event is %+v", last)
	}
	_, _, metrics := get(t, url+"/metrics")
	must.Equal(t, bytes.Contains(metrics, []byte(`bagscope_jobs{state="full"} 1`)), true, metrics)
	stop()
	s, url, _ = keeping(t, dir, Options{}, limits)
	check(jobAt(t, url, j.ID))
	status, _, body := send(t, asking(t, "DELETE", url+"/v1/jobs/"+j.ID))
	must.Equal(t, status, http.StatusOK, body)
	j = addJob(t, url, digitParts(t, `{"methods":["milli"],"samples":20,"index":0}`)...)
	if now := ended(t, url, j.ID); now.State != jobs.Done || now.Failed != 0 {
		t.Errorf("%+v", now)
	}
}

// TestDiskStaysFull: a job ends if the disk stays full, and goes on if it does not.
func TestDiskStaysFull(t *testing.T) {
	store := must.Get(jobs.Open(t.TempDir(), jobs.Limits{}))(t)
	defer store.Close()
	s := must.Get(New(Options{Jobs: store}))(t)
	j := must.Get(store.Add(jobs.New{Spec: []byte("{}"), Items: [][]byte{{1}}}))(t)
	w := must.Get(store.Take(t.Context()))(t)
	full := &jobs.FullError{Reason: "the disk is full: no space", Disk: true}
	tries := 0
	if !s.persist(t.Context(), w, func() error {
		if tries++; tries == 1 {
			return fmt.Errorf("not stored: %w", full)
		}
		return nil
	}) || tries != 2 {
		t.Errorf("%d tries while the disk is full for a moment", tries)
	}
	s.fullWait = 0
	must.Equal(t, s.persist(t.Context(), w, func() error { return full }), false,
		"stored on a full disk")
	if now, err := store.Get(j.ID); err != nil || now.State != jobs.Full ||
		now.Reason != full.Reason {
		t.Errorf("%+v, %v", now, err)
	}
}
