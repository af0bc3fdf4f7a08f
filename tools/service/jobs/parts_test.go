package jobs

import (
	"errors"
	"maps"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// kept returns the parts of an item.
func kept(t *testing.T, s *Store, w *Work) (parts []string) {
	t.Helper()
	must.Do(t, s.Kept(w, func(part []byte) error {
		parts = append(parts, string(part))
		return nil
	}))
	return parts
}

func keep(t *testing.T, s *Store, w *Work, part string) {
	t.Helper()
	must.Do(t, s.Keep(w, []byte(part)))
}

// TestParts keeps parts of an item over ends of the process, more often than an item is tried that
// gets no further. They are counted, and removed with the result.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Limits{Attempts: 2})
	j := add(t, s, 2)
	var want []string
	for _, part := range []string{"one", "two", "three", "four"} {
		w := take(t, s)
		must.Equal(t, w.Crash == nil, true, w)
		must.Equal(t, w.Item, 0, w)
		must.Do(t, s.Begin(w))
		must.EqualSlices(t, kept(t, s, w), want)
		keep(t, s, w, part)
		want = append(want, part)
		s.Close() // the process ends
		s = open(t, dir, Limits{Attempts: 2})
	}
	bytes := int64(len("onetwothreefour"))
	must.Equal(t, state(t, s, j.ID).Bytes, j.Bytes+bytes, bytes, j.Bytes)
	w := take(t, s)
	unread := errors.New("the reader has no room")
	must.Is(t, s.Kept(w, func([]byte) error { return unread }), unread)
	put(t, s, w, false)
	if _, total, err := s.Usage(); err != nil || total != state(t, s, j.ID).Bytes ||
		total != s.bytes || total >= j.Bytes+bytes {
		t.Errorf("%d bytes, in memory %d, %v", total, s.bytes, err)
	}
	must.Equal(t, kept(t, s, w) == nil, true)
	must.Equal(t, kept(t, s, take(t, s)) == nil, true)
}

// TestDiscardAndCancel remove parts and their bytes.
func TestDiscardAndCancel(t *testing.T) {
	s := open(t, t.TempDir(), Limits{})
	j := add(t, s, 2)
	a, b := take(t, s), take(t, s)
	for _, w := range []*Work{a, b} {
		keep(t, s, w, "part")
	}
	must.Do(t, s.Discard(a))
	if kept(t, s, a) != nil || len(kept(t, s, b)) != 1 || s.bytes != j.Bytes+4 {
		t.Errorf("%v, %v, %d bytes", kept(t, s, a), kept(t, s, b), s.bytes)
	}
	must.Get(s.Cancel(j.ID))(t)
	must.Do(t, s.Keep(b, []byte("late")))
	if kept(t, s, b) != nil || s.bytes != j.Bytes || state(t, s, j.ID).Bytes != j.Bytes {
		t.Errorf("%v, %d bytes, want %d", kept(t, s, b), s.bytes, j.Bytes)
	}
	states, _, err := s.Usage()
	want := map[State]int{Waiting: 0, Running: 0, Done: 0, Cancelled: 1, Full: 0}
	must.Do(t, err, states, want)
	must.Equal(t, maps.Equal(states, want), true, states, want)
	must.Get(s.Remove(j.ID))(t)
	must.Equal(t, s.bytes, 0)
	must.Do(t, s.Keep(b, []byte("late")))
	must.Do(t, s.Discard(b))
}

// TestPartsAreBounded refuses a part that exceeds the limit; the item can still have its result.
func TestPartsAreBounded(t *testing.T) {
	s := open(t, t.TempDir(), Limits{Bytes: 100})
	j := add(t, s, 1)
	w := take(t, s)
	var full *FullError
	must.As(t, s.Keep(w, make([]byte, 100)), &full)
	put(t, s, w, false)
	must.Equal(t, state(t, s, j.ID).State, Done)
}
