package main

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func TestSigned(t *testing.T) {
	for v, want := range map[float64]string{0: "+0.0000", .5: "+0.5000", -.25: "-0.2500", 1e-5: "+1.0e-05", -1e6: "-1.0e+06", math.NaN(): "-"} {
		if got := Signed(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
	if Short(.5) != "0.5000" || Short(-.5) != "-0.5000" {
		t.Errorf("%q %q", Short(.5), Short(-.5))
	}
}

func TestClassTitle(t *testing.T) {
	if a, b := classTitle(2, "2"), classTitle(2, "two"); a != "2" || b != "2 two" {
		t.Errorf("%q, %q", a, b)
	}
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
		if err := table.Write(&b); err != nil || b.String() != want {
			t.Errorf("%q, %v, want %q", b.String(), err, want)
		}
	}
}

// TestProgress: what is no terminal gets none.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := NewProgress(&b, "things")
	p.Update(1, 2)
	p.End()
	if p != nil || b.Len() > 0 {
		t.Errorf("progress %v wrote %q", p, b.String())
	}
	p = &Progress{w: &b, what: "things"}
	p.Update(1, 2)
	p.Update(2, 2) // within a tenth of a second: not shown
	p.End()
	if got := b.String(); got != "\r\033[K1 of 2 things\r\033[K" {
		t.Errorf("a terminal gets %q", got)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestFullDisk: an output that cannot be written is a failure, not silence.
func TestFullDisk(t *testing.T) {
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"version"}, full{}, &stderr); code != ExitFailed || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
	if err := WriteFile(t.TempDir()+"/x/y", func(io.Writer) error { return nil }); err == nil {
		t.Error("a file in no folder was written")
	}
}
