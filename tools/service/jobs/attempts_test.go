package jobs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/bagscope/bagscope/internal/must"
)

// The variables of processes that do something else than the tests: work at a store until an item
// kills them, named behind its folder by its data, or "all"; and meet a full disk.
const (
	deadly = "BAGSCOPE_TEST_DEADLY"
	full   = "BAGSCOPE_TEST_FULL"
)

var children = map[string]func(how string) error{deadly: worker}

func TestMain(m *testing.M) {
	flag.Parse()
	for variable, run := range children {
		if how := os.Getenv(variable); how != "" {
			if err := run(how); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// worker works at two items at a time where the store gives it two, and ends once nothing is left.
// The deadly item kills it while it holds both.
func worker(how string) error {
	dir, deadlyItem, _ := strings.Cut(how, "\n")
	s, err := Open(dir, Limits{})
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		var held []*Work
		for range 2 {
			if states, _, err := s.Usage(); err != nil || states[Waiting]+states[Running] == 0 {
				return err
			}
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			w, err := s.Take(ctx)
			cancel()
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			if w != nil {
				held = append(held, w)
			}
		}
		for _, w := range held {
			if w.alone && len(held) > 1 {
				return fmt.Errorf("item %d is to be alone, and two are held", w.Item)
			}
			if w.Crash != nil {
				if err := s.Put(w, fmt.Appendf(nil, "%s: %v\n", w.Data, w.Crash),
					true); err != nil {
					return err
				}
				continue
			}
			if err := s.Begin(w); err != nil {
				return err
			}
		}
		for _, w := range held {
			if w.Crash != nil {
				continue
			}
			if deadlyItem == "all" || string(w.Data) == deadlyItem {
				self, err := os.FindProcess(os.Getpid())
				if err != nil {
					return err
				}
				_ = self.Kill()
				select {}
			}
		}
		for _, w := range held {
			if w.Crash != nil {
				continue
			}
			if err := s.Put(w, append(w.Data, '\n'), false); err != nil {
				return err
			}
		}
	}
}

// lives starts workers until one comes to the end, and returns how many were killed before.
func lives(t *testing.T, dir, deadlyItem string) (killed int) {
	t.Helper()
	for range 20 {
		c := exec.CommandContext(t.Context(), os.Args[0])
		c.Env = append(os.Environ(), deadly+"="+dir+"\n"+deadlyItem)
		out, err := c.CombinedOutput()
		if err == nil {
			return killed
		}
		must.Equal(t, len(out) <= 0, true, err, out)
		killed++
	}
	t.Fatal("it never comes to the end")
	return 0
}

// TestDeadlyItem: an item that kills every process that works at it is given up after three, and no
// other is, whatever was worked at beside it.
func TestDeadlyItem(t *testing.T) {
	dir := t.TempDir()
	s := must.Get(Open(dir, Limits{}))(t)
	first, second := add(t, s, 7), add(t, s, 1)
	s.Close()
	must.Equal(t, lives(t, dir, "3"), 3)
	s = open(t, dir, Limits{})
	if j := state(t, s, first.ID); j.State != Done || j.Done != 7 || j.Failed != 1 {
		t.Errorf("%+v", j)
	}
	lines, _, err := s.Results(nil, first.ID, 0, 1<<20)
	must.Do(t, err)
	for _, line := range lines {
		name, reason, failed := strings.Cut(string(line), ": ")
		if failed != (name == "3") || failed && !strings.Contains(reason, "3 times") {
			t.Errorf("%s", line)
		}
	}
	if j := state(t, s, second.ID); j.State != Done || j.Failed != 0 {
		t.Errorf("%+v", j)
	}
}

// TestDeadlyJob: where every item kills, three are tried, and the rest is given up; the next job is
// not.
func TestDeadlyJob(t *testing.T) {
	dir := t.TempDir()
	s := must.Get(Open(dir, Limits{}))(t)
	j := add(t, s, 30)
	s.Close()
	killed := lives(t, dir, "all")
	must.Equal(t, killed >= 3, true, killed)
	must.Equal(t, killed <= 9, true, killed)
	s = open(t, dir, Limits{})
	lines, _, err := s.Results(nil, j.ID, 0, 1<<20)
	if now := state(t, s, j.ID); err != nil || now.State != Done || now.Failed != 30 ||
		len(lines) != 30 {
		t.Errorf("%v, %+v, %d lines", err, now, len(lines))
	}
	alone := 0
	for _, line := range lines {
		if strings.Contains(string(line), "3 times") {
			alone++
		} else if !strings.Contains(string(line), "3 consecutive bags of this job") {
			t.Errorf("%s", line)
		}
	}
	must.Equal(t, alone, 3)
	next := add(t, s, 1)
	if w := take(t, s); w.Job != next.ID || w.Crash != nil {
		t.Errorf("%+v", w)
	}
}

// TestNoAttempt: what a server that is stopped gives back was not begun, however often, nor is
// anything in a file of before attempts were counted.
func TestNoAttempt(t *testing.T) {
	dir := t.TempDir()
	for range 5 {
		s := must.Get(Open(dir, Limits{Attempts: 1}))(t)
		if s.count == 0 {
			j := add(t, s, 2)
			must.Do(t, s.db.Update(func(tx *bbolt.Tx) error {
				return tx.Bucket(dataBucket).Bucket([]byte(j.ID)).DeleteBucket(begunBucket)
			}))
		}
		for _, w := range []*Work{take(t, s), take(t, s)} {
			if w.Crash != nil || w.alone {
				t.Fatalf("%+v", w)
			}
			must.Do(t, s.Begin(w))
			s.Return(w)
			s.Return(w) // a second time does nothing
		}
		s.Close()
	}
	s := must.Get(Open(dir, Limits{Attempts: 1}))(t)
	begin := take(t, s)
	if w := take(t, s); w.Item != 1 { // it is taken, and not begun
		t.Errorf("%+v", w)
	}
	must.Do(t, s.Begin(begin))
	s.Close()
	s = open(t, dir, Limits{Attempts: 1})
	if w := take(t, s); w.Item != 0 || w.Crash == nil || w.Crash.Attempts != 1 {
		t.Errorf("%+v", w)
	}
	if w := take(t, s); w.Item != 1 || w.Crash != nil {
		t.Errorf("%+v", w)
	}
}

// TestFallen: items are given up together only where no other of their job came between.
func TestFallen(t *testing.T) {
	s := open(t, t.TempDir(), Limits{Attempts: 2})
	add(t, s, 4)
	for i, want := range []int{1, 0, 1, 2} {
		w := take(t, s)
		if i != 1 {
			w.Crash = &CrashError{Attempts: 2}
		}
		put(t, s, w, true)
		if l := s.find(w.Job); i < 3 && l.givenUp != want {
			t.Errorf("%d givenUp after item %d, want %d", l.givenUp, i, want)
		}
	}
}

// TestDeaths: only deaths of an item's own process count as attempts; ends of the process with the
// store have another limit. Both are counted for the next process, and no longer once the item gets
// further.
func TestDeaths(t *testing.T) {
	dir := t.TempDir()
	l := Limits{Attempts: 2, Stops: 4}
	var s *Store
	begin := func() *Work {
		t.Helper()
		if s != nil {
			s.Close() // the process ends
		}
		s = open(t, dir, l)
		if s.count == 0 {
			add(t, s, 1)
		}
		w := take(t, s)
		must.Do(t, s.Begin(w))
		return w
	}
	die := func(w *Work) {
		t.Helper()
		must.Do(t, s.Died(w))
		s.Return(w)
	}
	must.Equal(t, begin().Suspect(), false, "suspect before a process ended")
	w := begin()
	must.Equal(t, w.Suspect(), true, "no suspect after a process ended")
	die(w)
	if w = take(t, s); !w.Suspect() || w.Crash != nil {
		t.Errorf("after one death: %+v", w)
	}
	keep(t, s, w, "part") // it gets further
	die(w)
	if w = begin(); !w.Suspect() || w.Crash != nil || w.died != 1 {
		t.Errorf("after one more: %+v", w)
	}
	die(w)
	if w = take(t, s); w.Crash == nil || w.Crash.Deaths != 2 ||
		!strings.Contains(w.Crash.Error(), "stopped 2 times") {
		t.Fatalf("after two: %+v", w)
	}
	put(t, s, w, true)
	add(t, s, 1)
	for n := range 4 {
		if w = begin(); w.Crash != nil {
			t.Fatalf("after %d ends: %+v", n, w.Crash)
		}
	}
	s.Close()
	s = open(t, dir, l)
	if w = take(t, s); w.Crash == nil || w.Crash.Attempts != 4 {
		t.Errorf("after four ends: %+v", w)
	}
}
