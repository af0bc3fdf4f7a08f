package train

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// TestJobTrainsAgainIfNetworkIsUseless trains a network whose weights decay to 0, which needs all
// attempts, and one that reaches its last epoch, which needs one.
func TestJobTrainsAgainIfNetworkIsUseless(t *testing.T) {
	c := small(t, network.MINet)
	c.Recipe.Decay, c.Recipe.Rate = 100, 1e-2
	job := Job{Set: c.Set, Kind: network.MINet, Out: t.TempDir(), Recipe: &c.Recipe, Epochs: 6,
		Patience: 1}
	r := must.Get(job.Run(t.Context()))(t)
	must.Equal(t, r.Attempts, attempts, r.History)
	must.Equal(t, r.BeatsBaseline, false, r.History)
	if left, err := filepath.Glob(filepath.Join(job.Out, "digits", "0",
		"*.checkpoint*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	job.Out, job.Epochs = t.TempDir(), 1
	must.Equal(t, must.Get(job.Run(t.Context()))(t).Attempts, 1, "one epoch")
	must.Get(os.Stat(job.file(".onnx")))(t)
}

// TestReportHasSeedOfBestAttempt uses a rate at which no weight changes. The least loss then
// belongs to the best initial parameters, which are not the first.
func TestReportHasSeedOfBestAttempt(t *testing.T) {
	job := tiny(t)
	job.Recipe.Rate, job.Epochs, job.Patience = 1e-12, 3, 1
	r := must.Get(job.Run(t.Context()))(t)
	must.Equal(t, r.Attempts, attempts, r.Seed)
	must.Equal(t, r.Seed != dataset.Seeds[0], true, r.Attempts, r.Seed)
	c := must.Get(job.config())(t)
	c.Seed, c.Checkpoint = r.Seed, ""
	must.Equal(t, reflect.DeepEqual(run(t, c).History, r.History), true, r.Seed, r.History)
	if again, err := job.Run(t.Context()); err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("the second run reports %+v, %v, want %+v", again, err, r)
	}
}

func TestBaselineScores(t *testing.T) {
	bags := []dataset.Example{{Target: []float32{1, 0}}, {Target: []float32{1, 0}},
		{Target: []float32{1, 0}}, {Target: []float32{0, 1}}}
	entropy := -.75*math.Log(.75) - .25*math.Log(.25)
	for scale, want := range map[core.Scale]float64{core.ScaleLogits: entropy,
		core.ScaleSigmoidLogits: entropy, core.ScaleRaw: .1875} {
		must.Equal(t, math.Abs(baseline(scale, bags, bags).Loss-want) <= 1e-6, true, scale, want)
	}
	counts := []dataset.Example{{Target: []float32{0}}, {Target: []float32{1}},
		{Target: []float32{5}}}
	if got := baseline(core.ScaleRaw, counts, counts); !(math.Abs(got.Error-2) <= 1e-6) ||
		got.Accuracy != 0 {
		t.Errorf("who says 2 of 0, 1 and 5 scores %+v", got)
	}
}
