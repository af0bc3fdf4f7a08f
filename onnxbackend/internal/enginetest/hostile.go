package enginetest

import (
	"errors"
	"flag"
	"runtime/metrics"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/expose"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
)

// Thorough is the flag that multiplies the number of broken files, of random operators and models,
// and of rounds of opening and closing.
var Thorough = flag.Int("thorough", 1, "how many times as many broken files and random models "+
	"are tried, and rounds of opening and closing run")

// Tight are the limits under which broken files are used, so that each is quickly done.
var Tight = onnxbackend.Limits{
	Elements: 1 << 20, RunBytes: 1 << 24, Work: 1 << 26, LoopTrips: 1 << 10,
}

// FileBytes are the bytes that one file may make be allocated in all, most of which are not held at
// the same time.
const FileBytes = 64 << 20

// Limits are the limits of the stages that a model passes through.
type Limits struct {
	Decoding decode.Limits
	Runs     machine.Limits
}

// LimitsOf returns the limits that Open derives from its option, with defaults for those that are
// not set. Tests of operators need them to build a graph without Open.
func LimitsOf(l onnxbackend.Limits) Limits {
	decoding, runs := expose.Limits(l)
	return Limits{decoding, runs}
}

// CheckTyped fails the test if an error, or one of several joined errors, has no type by which
// its caller can recognize it.
func CheckTyped(t testing.TB, err error) {
	t.Helper()
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range several.Unwrap() {
			CheckTyped(t, err)
		}
		return
	}
	var (
		format      *onnxbackend.FormatError
		gap         *onnxbackend.UnsupportedError
		missing     *onnxbackend.MissingError
		limit       *onnxbackend.LimitError
		run         *onnxbackend.RunError
		bag         *core.BagError
		setting     *core.SettingError
		nonFinite   *core.NonFiniteError
		unavailable *core.UnavailableError
	)
	for _, kind := range []any{&format, &gap, &missing, &limit, &run, &bag, &setting, &nonFinite,
		&unavailable} {
		if errors.As(err, kind) && err.Error() != "" {
			return
		}
	}
	t.Errorf("%v (%T) has no type of its own", err, err)
}

// Allocated returns the bytes that the process has allocated since it started.
func Allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
