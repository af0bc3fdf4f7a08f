package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// TestSynthesize writes a cohort whose slides can be cut and encoded again: the places of its
// coordinates are those of its features.
func TestSynthesize(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "cohort")
	must.Contain(t, succeed(t, "synthesize", "--layout", "clam", "--out", folder),
		"8 simulated slides")
	for _, name := range []string{"slides/sim_001.tif", "patches/sim_008.h5", "labels.csv",
		"features/h5_files/sim_001.h5", "splits/splits_0_bool.csv", "annotations/sim_007.xml"} {
		must.Get(os.Stat(filepath.Join(folder, name)))(t)
	}
	for text, args := range map[string][]string{
		"exists; remove it": {"--layout", "clam", "--out", folder},
		"is none of":        {"--layout", "histoqc", "--out", folder + "2"},
		"from 8 to 1000":    {"--layout", "clam", "--out", folder + "2", "--slides", "7"},
		"--layout":          {"--out", folder + "2"},
	} {
		code, _, problem := bagscope(t, append([]string{"synthesize"}, args...)...)
		must.Equal(t, code != cli.ExitDone, true, args, code, problem)
		must.Equal(t, strings.Contains(problem, text), true, args, code, problem)
	}
}
