package main

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// nativeChild returns the native engine as a child without a process.
func nativeChild(t *testing.T, folder string) *child {
	requestsIn, requestsOut := io.Pipe()
	repliesIn, repliesOut := io.Pipe()
	done := make(chan error)
	go func() { done <- serveNative(t.Context(), folder, requestsIn, repliesOut) }()
	t.Cleanup(func() {
		requestsOut.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &child{name: "bagscope", in: requestsOut, requests: json.NewEncoder(requestsOut),
		replies: json.NewDecoder(repliesIn)}
}

// TestMeasureNativeEngines measures the small model with the native engines. The others are
// missing.
func TestMeasureNativeEngines(t *testing.T) {
	root, tiny := tinySubject()
	folder := t.TempDir()
	must.Do(t, tiny.stage(t.Context(), root, folder))
	missing := errors.New("the engine is missing")
	b := &bench{
		only: regexp.MustCompile("milli|coalitions|aopc|forward"),
		pace: pace{rounds: 3, warmUp: 1, loopMS: 1, rowMS: 1000},
		engines: &engines{
			running: map[runner]*child{{engineOurs, targetNative}: nativeChild(t, folder)},
			missing: map[runner]error{{enginePeer, targetNative}: missing,
				{engineOurs, targetBrowser}: missing},
		},
	}
	must.Do(t, b.subject(t.Context(), tiny))
	must.EqualSlices(t, b.report.Skipped, []string{"the engine is missing"})
	must.Equal(t, len(b.report.Rows), 2*len(tiny.tasks), b.report.Rows)
	for _, r := range b.report.Rows {
		if !(r.MedianMS > 0) || r.MinMS > r.MedianMS || r.MaxMS < r.MedianMS || r.Rounds < 1 ||
			r.Rounds > 3 {
			t.Errorf("%+v", r)
		}
		loop := r.Engine == enginePlain && r.Task != taskForward
		must.Equal(t, loop, r.Coalitions > 0, r.Job, r.Engine, r.Measured, r.Coalitions)
		must.Equal(t, r.Measured <= r.Coalitions, true, r.Job, r.Engine, r.Measured, r.Coalitions)
	}
}

func TestNativeEngineRepliesWithErrors(t *testing.T) {
	c := nativeChild(t, t.TempDir())
	for _, r := range []Request{
		{Op: "unknown"},
		{Op: "measure", Task: taskForward, Subject: &Subject{ID: "none"}, Repeat: 1},
	} {
		if _, err := c.call(r); err == nil || !strings.HasPrefix(err.Error(), "bagscope: ") {
			t.Errorf("%+v gives %v", r, err)
		}
	}
	must.Do(t, must.Err(c.call(Request{Op: "ready"})), "after errors")
}

func TestStartReportsMissingAndEndedPrograms(t *testing.T) {
	must.Fail(t, must.Err(start("x", nil, filepath.Join(t.TempDir(), "none"))))
	c, err := start("true", nil, "true")
	if err != nil {
		t.Skip(err)
	}
	defer c.close()
	must.Fail(t, must.Err(c.call(Request{Op: "ready"})))
}

func TestClamp(t *testing.T) {
	for _, c := range []struct {
		v            float64
		lo, hi, want int
	}{{0.2, 1, 7, 1}, {3.9, 1, 7, 3}, {1e300, 1, 7, 7}, {100, 3, 2, 2}} {
		must.Equal(t, clamp(c.v, c.lo, c.hi), c.want, c.v, c.lo, c.hi)
	}
}

func TestMachineVersions(t *testing.T) {
	must.Equal(t, output("no-such-program-here"), "", "a missing program prints")
	t.Chdir("../../..")
	must.Equal(t, regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(ortVersion()), true)
}
