package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// tiny is a package with known gaps in its tests, user one whose test uses it.
const (
	tiny = "tools/dev/mutate/testdata/tiny"
	user = "tools/dev/mutate/testdata/user"
)

// aboveHigh is the change of tiny that only the test of user notices.
const aboveHigh = "Clamp | guard | `v > high → (v > high) && false` |"

// TestMeasureFindsKnownGaps tries all mutants of tiny, by its own tests and by those of user too.
func TestMeasureFindsKnownGaps(t *testing.T) {
	t.Chdir("../../..")
	known := must.Get(parseEquivalents("# No order of equal numbers.\n\n" + tiny +
		"/tiny.go Clamp compare\nv < low → v <= low\n\tboth return low if v equals it\n"))(t)
	gaps := []string{
		"Clamp | compare | `v > high → v >= high` |",
		"Counter.Add | constant | `v < 0 → v < 1` |",
		"Counter.Add | compare | `v < 0 → v <= 0` |",
		"Counter.Add | equality | `v == 100 → v != 100` |",
		"Counter.Add | constant | `v == 100 → v == 101` |",
		"Counter.Add | constant | `v == 100 → v == 0` |",
		"Counter.Add | assignment | `c.last = v → ` |",
		"Untested | early return | `→ return *new(int)`; no test runs it |",
		"Untested | constant | `v * 2 → v * 0`; no test runs it |",
		"Untested | constant | `v * 2 → v * 3`; no test runs it |",
		"Untested | arithmetic | `v * 2 → v / 2`; no test runs it |",
	}
	for _, c := range []struct {
		name   string
		others []string
		want   []string
	}{
		{"own tests", nil, append(slices.Clone(gaps), aboveHigh)},
		{"and those of its user", []string{user}, gaps},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := must.Get(measure(t.Context(), target{tiny, c.others}, 1000, 1, known))(t)
			var got []string
			for _, s := range r.survivors {
				_, row, _ := strings.Cut(s.row(), " "+tiny+"/tiny.go:")
				_, row, _ = strings.Cut(row, " ")
				got = append(got, row)
			}
			slices.Sort(got)
			slices.Sort(c.want)
			must.EqualSlices(t, got, c.want)
			must.Equal(t, r.tried, 30, r.left)
			must.Equal(t, len(r.left) <= 0, true, r.tried, r.left)
		})
	}
}

// TestRedundantTests finds the test of tiny that repeats a part of another one.
func TestRedundantTests(t *testing.T) {
	t.Chdir("../../..")
	list := must.Get(redundantTests(t.Context(), target{folder: tiny}, 1000, 1, nil))(t)
	if len(list) != 1 || list[0].name != "TestClampBelow" || list[0].lines != 5 ||
		list[0].noticed == 0 || list[0].noticed >= list[0].tried {
		t.Errorf("redundant tests %+v", list)
	}
}

// TestMeasureRejectsStaleEquivalents lists a change that the code does not have.
func TestMeasureRejectsStaleEquivalents(t *testing.T) {
	t.Chdir("../../..")
	known := map[string]string{tiny + "/tiny.go Clamp compare\nv < 3 → v <= 3": "it was removed"}
	_, err := measure(t.Context(), target{folder: tiny}, 1, 1, known)
	must.Fail(t, err, "v < 3 → v <= 3")
}

// TestSampleKeepsItsChoice removes a function: the rest of the sample stays as it was.
func TestSampleKeepsItsChoice(t *testing.T) {
	t.Chdir("../../..")
	p := must.Get(readPackage(t.Context(), tiny))(t)
	all := candidates(p)
	without := slices.DeleteFunc(slices.Clone(all), func(m *mutant) bool {
		return m.function.Name.Name == "First"
	})
	before := must.Get(sample(all, 12, 5, p.check))(t)
	var want []string
	of := map[string]int{}
	for _, m := range before {
		if of[m.change.operator]++; of[m.change.operator] > 3 {
			t.Errorf("more than 3 of 12 mutants change a %s", m.change.operator)
		}
		if m.function.Name.Name != "First" {
			want = append(want, m.key)
		}
	}
	var got []string
	for _, m := range must.Get(sample(without, 12, 5, p.check))(t) {
		got = append(got, m.key)
	}
	must.Equal(t, len(want) != len(before), true, len(want), len(before), len(got))
	must.Equal(t, len(got), 12, len(want), len(before))
	for _, key := range want {
		must.Equal(t, slices.Contains(got, key), true, key)
	}
	other := must.Get(sample(all, 12, 6, p.check))(t)
	if !slices.ContainsFunc(other, func(m *mutant) bool { return !slices.Contains(before, m) }) {
		t.Error("another seed chooses the same mutants")
	}
}

// TestPrintMarksNewSurvivors compares a result with a table in which lines have moved.
func TestPrintMarksNewSurvivors(t *testing.T) {
	s := survivor{"core/a.go", 3, "T.f", "logic", "a || b → a && b", true}
	r := result{folder: "core", tried: 4, survivors: []survivor{s}}
	text := table(targets{{folder: "core"}}, map[string]entry{"core": r.entry(0)})
	moved := s
	moved.line = 77
	other := s
	other.shown = "a || c → a && c"
	r.survivors = []survivor{moved, other}
	var b bytes.Buffer
	r.print(&b, survivorLines(text))
	want := "| core | 4 | 2 | 50 % |\n" +
		"    | core/a.go:77 T.f | logic | `a \\|\\| b → a && b` |\n" +
		"new | core/a.go:3 T.f | logic | `a \\|\\| c → a && c` |\n"
	must.Equal(t, b.String(), want)
}

// TestTableKeepsOtherPackages measures one of two packages; a third is listed and not measured yet.
func TestTableKeepsOtherPackages(t *testing.T) {
	listed := targets{{folder: "core"}, {folder: "core/draw"}, {folder: "wasm/wire"}}
	first := result{folder: "core", tried: 4, survivors: []survivor{
		{"core/a.go", 3, "T.f", "logic", "a || b → a && b", true}}}
	second := result{folder: "core/draw", tried: 6, survivors: []survivor{
		{"core/draw/b.go", 5, "g", "slice", "x[1:] → x[1+1:]", false}}}
	rows := parseTable(table(listed, map[string]entry{"core": first.entry(0),
		"core/draw": second.entry(0), "removed": second.entry(0)}))
	first.survivors = nil
	rows["core"] = first.entry(366)
	want := `| core | 4 | 4 | 100 % | 1971-01-02 |
| core/draw | 6 | 5 | 83 % | 1970-01-01 |
| wasm/wire | | | | never |
| all | 10 | 9 | 90 % | |

| place | change | code |
| --- | --- | --- |
` + "| core/draw/b.go:5 g | slice | `x[1:] → x[1+1:]`; no test runs it |\n"
	got := table(listed, rows)
	if _, got, _ := strings.Cut(got, "| --- | --- | --- | --- | --- |\n"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestPartsTakeTurns has five packages in parts of one or two, one part each day.
func TestPartsTakeTurns(t *testing.T) {
	listed := targets{{folder: "a"}, {folder: "b"}, {folder: "c"}, {folder: "d"}, {folder: "e"}}
	var days []string
	for day := range int64(4) {
		text := ""
		for _, p := range listed.part(3, 20_000+day) {
			text += p.folder
		}
		days = append(days, text)
	}
	must.EqualSlices(t, days, []string{"c", "ad", "be", "c"})
	must.Equal(t, len(listed.part(1, 7)), len(listed))
}

// TestPackagesAreComplete finds the packages of the folders whose tests are measured. Each is
// listed, to be measured or with the reason why it is not.
func TestPackagesAreComplete(t *testing.T) {
	t.Chdir("../../..")
	listed, left, err := parsePackages(packagesText)
	must.Do(t, err)
	known := map[string]bool{} // whether the folder was found
	for folder := range left {
		known[folder] = false
	}
	for _, p := range listed {
		if _, twice := known[p.folder]; twice {
			t.Errorf("%s is listed twice", p.folder)
		}
		known[p.folder] = false
		for _, other := range p.others {
			if strings.HasPrefix(other, "-") || other == "tests" {
				continue // arguments of pytest
			}
			if filepath.Ext(other) == ".ts" {
				other = filepath.Join(p.folder, other)
			}
			must.Do(t, must.Err(os.Stat(other)), p.folder)
		}
	}
	for _, root := range []string{"core", "onnxbackend", "wasm", "tools/service"} {
		must.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "testdata" || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			files, err := filepath.Glob(filepath.Join(path, "*.go"))
			folder := filepath.ToSlash(path)
			if _, ok := known[folder]; !ok && slices.ContainsFunc(files, func(name string) bool {
				return !strings.HasSuffix(name, "_test.go")
			}) {
				t.Errorf("%s is not in %s; list it, or leave it out with a reason", folder,
					packagesFile)
			}
			known[folder] = true
			return err
		}))
	}
	for folder, found := range known {
		if _, err := os.Stat(folder); !found && err != nil {
			t.Errorf("%s is listed: %v", folder, err)
		}
	}
}

// TestListsAreValid reads the lists beside the program.
func TestListsAreValid(t *testing.T) {
	must.Get(parseEquivalents(equivalentText))(t)
	failed := func(text string) error {
		_, _, err := parsePackages(text)
		return err
	}
	for name, err := range map[string]error{
		"no colon":           failed("core\n"),
		"left out, no cause": failed("not core:\n"),
		"no reason":          second(parseEquivalents("core/a.go f compare\na < b → a <= b\n")),
	} {
		must.Equal(t, err != nil, true, name)
	}
}

func second[T any](_ T, err error) error { return err }
