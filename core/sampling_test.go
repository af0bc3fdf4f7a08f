package core

import (
	"errors"
	"math"
	"testing"
)

// TestSampleSizeLimit checks that too many coalitions for memory are rejected before allocation,
// where only existing coalitions count.
func TestSampleSizeLimit(t *testing.T) {
	for _, c := range []struct {
		k    int
		s    Sampling
		fits bool
	}{
		{300, Sampling{Samples: 2_000_000}, true},
		{300, Sampling{Samples: 2_000_000_000}, false},
		{100_000, Sampling{}, true},
		{100_000, Sampling{Samples: 1_000_000}, false},
		{3, Sampling{Samples: math.MaxInt}, true},
		{3, Sampling{Samples: math.MaxInt, Repeats: true}, false},
		{30, Sampling{Samples: math.MaxInt}, false},
	} {
		err := c.s.validate("milli", gameOf(t, &fake{task: Task{Instances: c.k, Classes: 1, Scale: ScaleRaw, Negative: -1}}))
		var setting *SettingError
		if c.fits != (err == nil) || err != nil &&
			(!errors.As(err, &setting) || setting.Setting != "samples") {
			t.Errorf("k=%d, %+v: error %v, want none %v", c.k, c.s, err, c.fits)
		}
	}
}
