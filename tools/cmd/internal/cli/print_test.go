package cli

import (
	"bytes"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

func TestSigned(t *testing.T) {
	for v, want := range map[float64]string{0: "+0.0000", .5: "+0.5000", -.25: "-0.2500",
		1e-5: "+1.0e-05", -1e6: "-1.0e+06", math.NaN(): "-"} {
		must.Equal(t, Signed(v), want, v)
	}
	must.Equal(t, Short(.5), "0.5000")
	must.Equal(t, Short(-.5), "-0.5000")
}

func TestTable(t *testing.T) {
	numbers := Table{}
	numbers.Add("class", "±", "n")
	numbers.Add("a", "1", "10")
	words := Table{Words: true, rows: numbers.rows}
	for want, table := range map[string]Table{
		"  class  ±   n\n  -----  -  --\n  a      1  10\n": numbers,
		"  class  ±  n\n  -----  -  --\n  a      1  10\n":  words,
	} {
		var b bytes.Buffer
		if table.Write(&b); b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
}

// A writer that is not a terminal receives no progress.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := NewProgress(&b, "things")
	p.Update(1, 2)
	p.End()
	must.Equal(t, p == nil, true, p, b.String())
	must.Equal(t, b.Len() <= 0, true, p, b.String())
	p = &Progress{w: &b, what: "things"}
	p.Update(1, 2)
	p.Update(2, 2) // within a tenth of a second: not shown
	p.End()
	must.Equal(t, b.String(), "\r\033[K1 of 2 things\r\033[K", "a terminal gets")
}

// A terminal shows the progress, whose estimate ignores stored results.
func TestPace(t *testing.T) {
	(*Progress)(nil).UpdateStored(1, 0, 2) // no terminal
	var b bytes.Buffer
	p := Progress{w: &b, what: "bags", start: time.Now().Add(-10 * time.Second)}
	p.UpdateStored(150, 50, 350)
	must.Equal(t, b.String(), "\r\033[K150 of 350 bags, about 21 s left", "a terminal gets")
}

func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		spent      time.Duration
		done, left int
		want       string
	}{
		{time.Second, 10, 100, ""},
		{10 * time.Second, 0, 100, ""},
		{10 * time.Second, 100, 0, ""},
		{10 * time.Second, 100, 200, ", about 21 s left"},
		{time.Minute, 100, 500, ", about 5 min left"},
	} {
		must.Equal(t, remaining(c.spent, c.done, c.left), c.want, c.spent, c.done, c.left)
	}
}

// TestWriteNotes prints at most three notes, and the number of the others.
func TestWriteNotes(t *testing.T) {
	for n, want := range map[int]string{
		0: "", 3: "  note: 0\n  note: 1\n  note: 2\n",
		5: "  note: 0\n  note: 1\n  note: 2\n  note: 2 more with --json\n",
	} {
		var notes []string
		for i := range n {
			notes = append(notes, strconv.Itoa(i))
		}
		var to bytes.Buffer
		if WriteNotes(&to, notes); to.String() != want {
			t.Errorf("%d notes: %q, want %q", n, to.String(), want)
		}
	}
}
