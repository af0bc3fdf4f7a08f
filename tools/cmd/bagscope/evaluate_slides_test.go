package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
	"github.com/bagscope/bagscope/tools/train/synthetic"
)

// lesionModel writes a model whose scores are the means of three features, as logits. Instances
// with label 1 support its first class.
func lesionModel(t *testing.T) string {
	m := ot.MeanHead(3)
	m.Metadata = map[string]string{"bagscope": `{"output": "logits", "truth": [` +
		`{"support": [1]}, {}, {}]}`}
	return writeTemp(t, "lesions.onnx", m.Bytes())
}

// A cohort is simulated once for all tests.
var camelyon = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "camelyon-*")
	if err != nil {
		return "", err
	}
	folder := filepath.Join(dir, "cohort")
	return folder, synthetic.Write(context.Background(), folder, synthetic.Options{
		Layout: "camelyon", Slides: synthetic.LeastSlides, Features: 3, Seed: 3}, func(int, int) {})
})

// camelyonArgs evaluate the simulated cohort that testdata/camelyon.py judges.
func camelyonArgs(t *testing.T, more ...string) []string {
	folder := must.Get(camelyon())(t)
	return append([]string{"evaluate", "--model", lesionModel(t), "--bags",
		filepath.Join(folder, "job"), "--annotations", filepath.Join(folder, "annotations"),
		"--slide-labels", filepath.Join(folder, "reference.csv"), "--method", "single,one_removed",
		"--output", "prob"}, more...)
}

// within is the largest difference to the numbers of testdata/camelyon.py, which has its own
// lesions, detections and metrics.
const within = 1e-6

// TestEvaluateSlides compares FROC, NDCG, AUPRC and their errors with an independent program. Both
// methods have one random baseline on each bag, so that the difference of their AOPC-R is that of
// AOPC.
func TestEvaluateSlides(t *testing.T) {
	var want struct {
		Slides, Lesions int
		Methods         map[string]struct {
			FROC, SEM, AOPC float64
			Sensitivity     []float64
			NDCG, AUPRC     struct {
				Mean, SEM float64
				N         int
			}
		}
	}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/camelyon.json"))(t), &want))
	text := succeed(t, camelyonArgs(t, "--json")...)
	var got struct {
		clitest.Statistics
		FROC []frocJSON
	}
	clitest.Decode(t, text, &got)
	must.Equal(t, len(got.FROC), 2, text)
	near := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= within) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for i, method := range []string{"single", "one_removed"} {
		w, f := want.Methods[strings.Replace(method, "_", "", 1)], got.FROC[i]
		if f.Method != method || f.Slides != want.Slides || f.Lesions != want.Lesions {
			t.Errorf("%+v, want %d slides and %d lesions", f, want.Slides, want.Lesions)
		}
		near(method+" FROC", float64(f.FROC), w.FROC)
		near(method+" FROC's error", float64(f.SEM), w.SEM)
		for n, s := range f.Sensitivity {
			near(method+" sensitivity", float64(s), w.Sensitivity[n])
		}
		for name, m := range map[string]struct {
			Mean, SEM float64
			N         int
		}{"ndcg": w.NDCG, "auprc": w.AUPRC} {
			s := got.Stat(t, method, name)
			near(method+" "+name, s.Mean, m.Mean)
			near(method+" "+name+"'s error", s.SEM, m.SEM)
			must.Equal(t, s.N, m.N, method, name)
		}
	}
	near("difference of AOPC-R",
		got.Stat(t, "single", "aopc_r").Mean-got.Stat(t, "one_removed", "aopc_r").Mean,
		want.Methods["single"].AOPC-want.Methods["oneremoved"].AOPC)
}

// TestEvaluateSlidesShown shows FROC in the table and in the CSV file.
func TestEvaluateSlidesShown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "table.csv")
	text := succeed(t, camelyonArgs(t, "--csv", file)...)
	must.Contain(t, text, "FROC of CAMELYON16, 8 slides with 7 lesions", "0.857 ± 0.061")
	rows := readCSV(t, file)
	if !slices.ContainsFunc(rows, func(row []string) bool {
		return row[0] == "single" && row[1] == "froc" && strings.HasPrefix(row[2], "0.857")
	}) {
		t.Errorf("%v", rows)
	}
}

// TestEvaluateSlidesRefuses names slides that cannot be judged, and folders that do not fit.
func TestEvaluateSlidesRefuses(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "reference.csv")
	must.Do(t, os.WriteFile(table, []byte("slide,type\ntest_001.svs,Tumor\ntest_002,Tumor\n"+
		"test_003.tif,normal\ntest_004,Normal\n"), 0o600))
	args := camelyonArgs(t, "--json")
	args[slices.Index(args, "--slide-labels")+1] = table
	text := succeed(t, args...)
	var unusable struct{ Unusable []unusableJSON }
	clitest.Decode(t, text, &unusable)
	must.Equal(t, len(unusable.Unusable), 5, unusable)
	must.Equal(t, strings.Contains(unusable.Unusable[0].Reason, "no file of it"), true, unusable)
	must.Equal(t, strings.Contains(unusable.Unusable[1].Reason, "no row of this slide"), true,
		unusable)
	for want, more := range map[string][]string{
		"has no file of features that ends in .h5": {"--bags", dir},
		"--slide-labels needs --annotations":       {"--annotations", ""},
		"has no label in row 1": {"--slide-labels",
			writeTemp(t, "one.csv", []byte("test_001\n"))},
		"needs --split":      {"--part", "val"},
		"none of train, val": {"--part", "all"},
		"without features, such as other": {"--split", writeTemp(t, "split.csv",
			[]byte(",train,val,test\n0,,,other\n"))},
	} {
		must.Contain(t, refused(t, append(camelyonArgs(t), more...)...), want)
	}
}

// TestEvaluateSlidesMemory: what annotations take counts against --memory, for one slide at a time.
func TestEvaluateSlidesMemory(t *testing.T) {
	folder, large := filepath.Join(must.Get(camelyon())(t), "annotations"), t.TempDir()
	for _, e := range must.Get(os.ReadDir(folder))(t) {
		data := must.Get(os.ReadFile(filepath.Join(folder, e.Name())))(t)
		data = append(data, strings.Repeat(" ", 4e6)...)
		must.Do(t, os.WriteFile(filepath.Join(large, e.Name()), data, 0o600))
	}
	args := camelyonArgs(t, "--workers", "1", "--annotations", large)
	succeed(t, append(args, "--memory", "40")...)
	must.Contain(t, refused(t, append(args, "--memory", "18")...), "reading test_001.xml")
}

// TestEvaluateSplit evaluates the slides of a part of a split, with labels in the table of CLAM,
// and job folders without annotations. A slide has the same numbers in every part.
func TestEvaluateSplit(t *testing.T) {
	table := writeTemp(t, "labels.csv", []byte("case_id,slide_id,label\n1,test_001,tumor_tissue\n"+
		"1,test_002,normal_tissue\n2,test_003.svs,tumor_tissue\n3,test_005,tumor_tissue\n"))
	split := writeTemp(t, "splits_0.csv", []byte(",train,val,test\n0,test_001,,test_005\n"+
		"1,test_004,,test_002\n2,test_003,,test_006\n3,,,test_007\n4,,,test_008\n"))
	args := camelyonArgs(t, "--json", "--split", split)
	args[slices.Index(args, "--slide-labels")+1] = table
	var got struct{ FROC []frocJSON }
	clitest.Decode(t, succeed(t, args...), &got)
	if len(got.FROC) != 2 || got.FROC[0].Slides != 2 || got.FROC[0].Lesions != 2 {
		t.Errorf("%+v", got)
	}
	plain := []string{"evaluate", "--json", "--model", lesionModel(t), "--bags",
		filepath.Join(must.Get(camelyon())(t), "job"), "--method", "guided_shap", "--metrics",
		"aopc-r"}
	means := map[string]float64{}
	for part, more := range map[string][]string{"all": nil, "train": {"--split", split, "--part",
		"train"}, "rest": {"--split", split}} {
		var s clitest.Statistics
		clitest.Decode(t, succeed(t, append(plain, more...)...), &s)
		stat := s.Stat(t, "guided_shap", "aopc_r")
		means[part] = stat.Mean * float64(stat.N)
	}
	must.Equal(t, math.Abs((means["train"]+means["rest"])-means["all"]) <= 1e-9, true, means)
}

// TestEvaluateStamp takes the labels of a cohort in the layout of STAMP from its two tables: the
// numbers are those without labels, because annotations mark the same slides, and a table that says
// otherwise is refused.
func TestEvaluateStamp(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "stamp")
	must.Do(t, synthetic.Write(t.Context(), folder, synthetic.Options{Layout: "stamp",
		Slides: synthetic.LeastSlides, Features: 3, Seed: 3}, func(int, int) {}))
	tables := filepath.Join(folder, "clini_table.csv") + "," +
		filepath.Join(folder, "slide_table.csv")
	args := []string{"evaluate", "--model", lesionModel(t), "--bags",
		filepath.Join(folder, "features"), "--slide-mpp", "1", "--annotations",
		filepath.Join(folder, "annotations"), "--method", "single", "--output", "prob", "--json"}
	var with, without struct {
		Bags    int
		Methods []struct{ Metrics map[string]float64 }
	}
	clitest.Decode(t, succeed(t, append(args, "--slide-labels", tables)...), &with)
	clitest.Decode(t, succeed(t, args...), &without)
	must.Equal(t, reflect.DeepEqual(with, without), true, with, without)
	must.Equal(t, len(with.Methods) != 0, true, with, without)
	all := string(must.Get(os.ReadFile(filepath.Join(folder, "clini_table.csv")))(t))
	must.Do(t, os.WriteFile(filepath.Join(folder, "clini_table.csv"),
		[]byte(strings.ReplaceAll(all, "normal", "tumor")), 0o600))
	var stdout, stderr strings.Builder
	if program.Run(t.Context(), append(args, "--slide-labels", tables), &stdout, &stderr); !strings.
		Contains(stdout.String()+stderr.String(), "says that it has lesions") {
		t.Errorf("%s%s", stdout.String(), stderr.String())
	}
}
