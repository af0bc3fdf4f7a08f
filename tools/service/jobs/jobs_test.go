package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// patience is the time in which a store finds an item, on any machine.
const patience = time.Minute

func open(t *testing.T, dir string, l Limits) *Store {
	t.Helper()
	s := must.Get(Open(dir, l))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func add(t *testing.T, s *Store, items int) *Job {
	t.Helper()
	n := New{Spec: []byte("spec"), Files: map[string][]byte{"a": []byte("file")}}
	for i := range items {
		n.Items = append(n.Items, fmt.Append(nil, i))
	}
	return must.Get(s.Add(n))(t)
}

func take(t *testing.T, s *Store) *Work {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return must.Get(s.Take(ctx))(t)
}

func put(t *testing.T, s *Store, w *Work, failed bool) {
	t.Helper()
	must.Do(t, s.Put(w, append(slices.Clone(w.Data), '\n'), failed))
}

func state(t *testing.T, s *Store, id string) *Job {
	t.Helper()
	return must.Get(s.Get(id))(t)
}

// A store that is opened again has all results in their order, and computes nothing twice.
func TestReopenedStore(t *testing.T) {
	dir := t.TempDir()
	s := must.Get(Open(dir, Limits{}))(t)
	j := add(t, s, 5)
	if j.State != Waiting || j.Total != 5 || len(j.ID) != 32 {
		t.Fatalf("%+v", j)
	}
	first, second := take(t, s), take(t, s)
	must.Equal(t, string(first.Data), "0", first.Data, second.Data)
	must.Equal(t, string(second.Data), "1", first.Data, second.Data)
	put(t, s, second, true)
	if now := state(t, s, j.ID); now.State != Running || now.Done != 1 || now.Failed != 1 {
		t.Errorf("%+v", now)
	}
	must.Do(t, s.Close())
	s = open(t, dir, Limits{})
	for _, want := range []string{"0", "2", "3", "4"} {
		w := take(t, s)
		must.Equal(t, string(w.Data), want, w.Data)
		put(t, s, w, false)
	}
	now := state(t, s, j.ID)
	if now.State != Done || now.Done != 5 || now.Ended == nil ||
		now.Expires.Sub(*now.Ended) != 7*24*time.Hour {
		t.Errorf("%+v", now)
	}
	lines, next, err := s.Results(nil, j.ID, 0, 1<<20)
	if err != nil || next != 5 || string(bytes.Join(lines, nil)) != "1\n0\n2\n3\n4\n" {
		t.Errorf("%v: %d, %q", err, next, lines)
	}
	if lines, next, err := s.Results(nil, j.ID, 2, 5); err != nil || next != 4 ||
		string(bytes.Join(lines, nil)) != "2\n3\n" {
		t.Errorf("%v: %d, %q", err, next, lines)
	}
	if lines, next, err := s.Results(nil, j.ID, 1, 0); err != nil || next != 2 || len(lines) != 1 {
		t.Errorf("one line at least: %v, %d, %q", err, next, lines)
	}
	if lines, _, err := s.Results(nil, j.ID, 5, 100); err != nil || lines != nil {
		t.Errorf("%v, %q", err, lines)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if w, err := s.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("taken: %+v, %v", w, err)
	}
}

// TestOnce lets many work at many jobs, giving up claims, putting twice and cancelling at random:
// every item of a job that is done has one result.
func TestOnce(t *testing.T) {
	s := open(t, t.TempDir(), Limits{})
	const each = 20
	var ids []string
	for range 4 {
		ids = append(ids, add(t, s, each).ID)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	for n := range 6 {
		random := rand.New(rand.NewPCG(uint64(n), 1))
		workers.Go(func() {
			for {
				w, err := s.Take(ctx)
				if err != nil {
					return
				}
				if random.IntN(3) == 0 {
					s.Return(w)
					continue
				}
				for range 1 + random.IntN(2) {
					if err := s.Put(w, w.Data, false); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	must.Get(s.Cancel(ids[3]))(t)
	for _, id := range ids {
		for !state(t, s, id).State.Ended() {
			<-s.Changed()
		}
	}
	cancel()
	workers.Wait()
	for i, id := range ids {
		j := state(t, s, id)
		lines, _, err := s.Results(nil, id, 0, 1<<20)
		must.Do(t, err)
		must.Equal(t, len(lines), j.Done, j)
		seen := map[string]bool{}
		for _, l := range lines {
			if seen[string(l)] {
				t.Errorf("item %s has two results", l)
			}
			seen[string(l)] = true
		}
		if i < 3 && (j.State != Done || len(seen) != each) || i == 3 && j.State != Cancelled {
			t.Errorf("%d: %+v, %d results", i, j, len(seen))
		}
	}
}

// A cancelled job drops its items, and a removed job leaves no data.
func TestCancelAndRemove(t *testing.T) {
	s := open(t, t.TempDir(), Limits{})
	j := add(t, s, 3)
	w := take(t, s)
	must.Get(s.Cancel(j.ID))(t)
	select {
	case <-w.Ended:
	default:
		t.Error("who works at it is not told")
	}
	put(t, s, w, false)
	s.Return(w)
	if now := state(t, s, j.ID); now.State != Cancelled || now.Done != 0 || now.Expires == nil {
		t.Errorf("%+v", now)
	}
	again := must.Get(s.Cancel(j.ID))(t)
	must.Equal(t, again.State, Cancelled, again)
	if n, err := s.Expire(time.Now()); n != 0 || err != nil {
		t.Errorf("%d expired, %v", n, err)
	}
	if n, err := s.Expire(time.Now().Add(8 * 24 * time.Hour)); n != 1 || err != nil {
		t.Errorf("%d expired, %v", n, err)
	}
	going := add(t, s, 1)
	w = take(t, s)
	must.Get(s.Remove(going.ID))(t)
	put(t, s, w, false)
	for _, id := range []string{j.ID, going.ID, "", "x"} {
		_, a := s.Get(id)
		_, _, b := s.Results(nil, id, 0, 1)
		_, c := s.File(nil, id, "a")
		_, d := s.Spec(id)
		_, e := s.Cancel(id)
		_, f := s.Remove(id)
		for _, err := range []error{a, b, c, d, e, f} {
			must.Is(t, err, ErrUnknown, id)
		}
	}
	if s.bytes != 0 || s.count != 0 || len(s.live) != 0 {
		t.Errorf("%d bytes of %d jobs are counted, %d live", s.bytes, s.count, len(s.live))
	}
}

// TestFiles: files of any size come back as they were.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	s := must.Get(Open(dir, Limits{}))(t)
	files := map[string][]byte{"": nil, "a": []byte("x"),
		"a/b": bytes.Repeat([]byte("0123456789abcde"), chunk/7), "whole": make([]byte, 2*chunk)}
	j := must.Get(s.Add(New{Spec: []byte("what"), Files: files, Items: [][]byte{{}}}))(t)
	must.Do(t, s.Close())
	s = open(t, dir, Limits{})
	for name, want := range files {
		if got, err := s.File(nil, j.ID, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q: %v, %d bytes, want %d", name, err, len(got), len(want))
		}
	}
	must.Is(t, must.Err(s.File(nil, j.ID, "b")), ErrUnknown)
	must.Equal(t, string(must.Get(s.Spec(j.ID))(t)), "what")
}

// Jobs beyond a limit are errors, also after the store was opened again.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	l := Limits{Jobs: 2, Items: 3, Bytes: 1000}
	s := must.Get(Open(dir, l))(t)
	add(t, s, 3)
	var full *FullError
	must.As(t, must.Err(s.Add(New{Items: make([][]byte, 4)})), &full, "4 bags")
	must.Do(t, s.Close())
	s = open(t, dir, l)
	must.As(t, must.Err(s.Add(New{Spec: make([]byte, 990), Items: make([][]byte, 1)})), &full,
		"1000 are allowed")
	last := add(t, s, 1)
	must.As(t, must.Err(s.Add(New{Items: make([][]byte, 1)})), &full, "2 jobs")
	must.Get(s.Remove(last.ID))(t)
	add(t, s, 1)
	states, size, err := s.Usage()
	if err != nil || states[Waiting] != 2 || size != s.bytes {
		t.Errorf("%v, %d bytes, counted %d, %v", states, size, s.bytes, err)
	}
}

// TestLocked: two servers do not share a folder.
func TestLocked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "of", "jobs")
	open(t, dir, Limits{})
	if s, err := Open(dir, Limits{lock: 20 * time.Millisecond}); err == nil ||
		!strings.Contains(err.Error(), "another server") {
		t.Errorf("%v, %v", s, err)
	}
}
