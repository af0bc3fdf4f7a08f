package jobs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestResultsAreBounded: the bytes of the store stay within its limit, however many results come.
// The job whose result has no room ends with its results and a reason, also for the next server; a
// job with a smaller result goes on.
func TestResultsAreBounded(t *testing.T) {
	dir := t.TempDir()
	l := Limits{Bytes: 1 << 20}
	s := must.Get(Open(dir, l))(t)
	large, small := add(t, s, 5), add(t, s, 1)
	result := make([]byte, 300_000)
	var full *FullError
	for n := range 4 {
		w := take(t, s)
		other := take(t, s)
		err := s.Put(w, result, false)
		if n < 3 {
			must.Do(t, err)
			s.Return(other)
			continue
		}
		must.As(t, err, &full)
		must.Equal(t, full.Disk, false, err)
		must.Get(s.Fill(w.Job, full.Reason))(t)
		select {
		case <-other.Ended:
		default:
			t.Error("who works at another item is not told")
		}
		s.Return(w)
		s.Return(other)
	}
	check := func() {
		t.Helper()
		j := state(t, s, large.ID)
		if j.State != Full || j.Done != 3 || j.Ended == nil || j.Expires == nil ||
			!strings.Contains(j.Reason, "no room: the stored jobs may have 1048576 bytes") {
			t.Errorf("%+v", j)
		}
		if lines, _, err := s.Results(nil, large.ID, 0, 1<<20); err != nil || len(lines) != 3 {
			t.Errorf("%d results are kept, %v", len(lines), err)
		}
		states, bytes, err := s.Usage()
		if err != nil || states[Full] != 1 || bytes > l.Bytes || bytes != s.bytes {
			t.Errorf("%v, %d bytes, counted %d, %v", states, bytes, s.bytes, err)
		}
		// The file has a header, keys and pages that are free, and grows by steps.
		if info, err := os.Stat(filepath.Join(dir, "jobs.db")); err != nil ||
			info.Size() > 3*l.Bytes {
			t.Errorf("a file of %d bytes, %v", info.Size(), err)
		}
	}
	check()
	s.Close()
	s = open(t, dir, l)
	check()
	w := take(t, s)
	must.Equal(t, w.Job, small.ID, w)
	put(t, s, w, false)
	must.Equal(t, state(t, s, small.ID).State, Done)
	check()
}

// TestRoomForResults: a job is accepted while a fifth of the bytes is free for results, so that a
// job with results of that size ends.
func TestRoomForResults(t *testing.T) {
	s := open(t, t.TempDir(), Limits{Bytes: 1000})
	var full *FullError
	must.As(t, must.Err(s.Add(New{Spec: make([]byte, 801), Items: [][]byte{{}}})), &full)
	j := must.Get(s.Add(New{Spec: make([]byte, 800), Items: [][]byte{{}}}))(t)
	must.Do(t, s.Put(take(t, s), make([]byte, 200), false))
	if j = state(t, s, j.ID); j.State != Done || s.bytes != 1000 {
		t.Errorf("%+v, %d bytes", j, s.bytes)
	}
}
