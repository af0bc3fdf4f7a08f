package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
)

func TestResizedRepeatsInstances(t *testing.T) {
	bag := &core.Bag{Shape: []int{1}, Values: []float32{1, 2, 3}}
	for k, want := range map[int][]float32{2: {1, 2}, 3: {1, 2, 3}, 7: {1, 2, 3, 1, 2, 3, 1}} {
		must.EqualSlices(t, resized(bag, k).Values, want, k)
	}
}

func TestPreprocessAppliesCard(t *testing.T) {
	raw := func() *core.Bag {
		return &core.Bag{Shape: []int{2, 1, 2}, Values: []float32{0, 51, 102, 255, 255, 0, 51, 204},
			Raw: true}
	}
	bag := raw()
	preprocess(bag, &onnxbackend.Preprocess{Scale: 1. / 255, Mean: []float64{0.5, 0},
		Std: []float64{0.5, 2}})
	want := []float32{-1, -0.6, 0.2, 0.5, 1, -1, 0.1, 0.4}
	for i, v := range want {
		if d := bag.Values[i] - v; d > 1e-6 || d < -1e-6 {
			t.Fatalf("%v, want %v", bag.Values, want)
		}
	}
	must.Equal(t, bag.Raw, false, "the preprocessed bag is marked as raw")
	bag = raw()
	preprocess(bag, &onnxbackend.Preprocess{Scale: 2})
	must.Equal(t, bag.Values[1], 102, "without mean and deviation 51 becomes")
}

// tinySubject returns a subject with the small model of the parity tests. The root is that of the
// repository.
func tinySubject() (root string, s *Subject) {
	return "../../..", &Subject{
		ID: "tiny-12", Model: "tiny", Instances: 12, Settings: "mnist",
		file: "wasm/parity/testdata/tiny.onnx", bags: "wasm/parity/testdata/tiny.csv",
		tasks: []string{taskForward, taskMILLI, taskCoalitions, taskAOPCR},
	}
}

func TestStageWritesModelsBagsAndReasons(t *testing.T) {
	t.Setenv("BAGSCOPE_SHARED", "")
	root, tiny := tinySubject()
	restricted := &Subject{ID: "crc-3", file: "crc.onnx", restricted: true}
	absent := &Subject{ID: "none-3", Model: "none", Instances: 3, file: "none.onnx"}
	made := &Subject{ID: "made-3", Model: "made", Instances: 3,
		made: func() []byte { return gatedAttention(8, 0) }, tasks: []string{taskForward}}
	folder := t.TempDir()
	staged, skipped, err := stage(t.Context(), root, folder,
		[]*Subject{absent, restricted, tiny, made}, onPage)
	must.Do(t, err)
	const wanted = 2
	if len(staged) != wanted || staged[0] != tiny || made.Classes != 2 || len(skipped) < 2 ||
		!strings.HasPrefix(skipped[0], "none-3: a file is missing: ") ||
		!strings.HasPrefix(skipped[1], "crc-3: its model and bags may not be shipped; set ") {
		t.Errorf("staged %d, skipped %q", len(staged), skipped)
	}
	var plans []pagePlan
	text, err := os.ReadFile(filepath.Join(folder, "data/subjects.json"))
	if err == nil {
		err = json.Unmarshal(text, &plans)
	}
	if err != nil || len(plans) != wanted || len(plans[0].Tasks) != 3 {
		t.Errorf("subjects.json is %s, %v", text, err)
	}
	data := must.Get(os.ReadFile(filepath.Join(folder, "data/tiny-12.npy")))(t)
	set := must.Get(bagio.Read("tiny-12.npy", data, bagio.Options{}))(t)
	bag, err := set.Bag(0)
	if err != nil || bag.Len() != 12 || !slices.Equal(bag.Shape, []int{6}) {
		t.Errorf("the bag is %v, %v", bag, err)
	}
	must.Get(os.Stat(filepath.Join(folder, "index.html")))(t)
}

// TestSubjects checks that all subjects have known tasks and names of their own.
func TestSubjects(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range slices.Concat(subjects(), ownSubjects()) {
		must.Equal(t, seen[s.ID], false, s.ID)
		seen[s.ID] = true
		if s.Classes = 2; s.withoutPeers {
			continue // no engine runs a loop for them
		}
		for _, task := range s.tasks {
			must.Do(t, must.Err(coalitionsOf(t.Context(), s, task)), task, s.ID)
		}
	}
	if n := len(quickSubjects(subjects())); n == 0 || n >= len(subjects()) {
		t.Errorf("%d of %d subjects are quick", n, len(subjects()))
	}
}
