package study

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/train/dataset"
)

// made is a report of known numbers: two architectures, one method of the paper and a random order.
func made() *Report {
	r := &Report{Set: &dataset.Set{Name: "tiger", Title: "Tiger"}, Terms: "n = 5", Seed: 3,
		Small: 4}
	rows := func(method string, scores ...float64) (out []metric.Row) {
		for _, s := range scores {
			out = append(out, metric.Row{Method: method,
				Values: []metric.Value{{Metric: metric.NameAOPCR, Score: s}}})
		}
		return out
	}
	a := Architectures()
	r.add(File{Architecture: a[2], Repeat: 0},
		[]*Result{{Rows: rows("single", .10, .20)}, {Rows: rows(metric.RowRandom, 0, .02)}})
	r.add(File{Architecture: a[2], Repeat: 1}, []*Result{{Rows: rows("single", .30, .40)}})
	r.add(File{Architecture: a[0], Repeat: 0}, []*Result{{Rows: rows("single", .5)}})
	r.sort()
	return r
}

// TestTableOfKnownNumbers compares with numbers computed by hand. The numbers .1 .2 .3 .4 have the
// mean .25 and the error sqrt(.05/3/4) = .0645. The means of the repeats are .15 and .35, with the
// error .1. Overall is (.5 + .25)/2.
func TestTableOfKnownNumbers(t *testing.T) {
	tables := made().Tables()
	if len(tables) != 1 || len(tables[0].Rows) != 2 || tables[0].Trivial {
		t.Fatalf("%+v", tables)
	}
	row := tables[0].Rows[0]
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("the mean of MI-Net", row.Cells[0].Mean, .5)
	near("the mean of MI-Attn", row.Cells[1].Mean, .25)
	near("its error", row.Cells[1].SEM, math.Sqrt(.05/3/4))
	near("its error over repeats", row.Cells[1].RepeatSEM, .1)
	near("the overall mean", row.Overall.Mean, .375)
	near("the paper's value", row.Paper, .115)
	near("the difference", row.Difference(), .26)
	if random := tables[0].Rows[1]; random.Method != metric.RowRandom ||
		!math.IsNaN(random.Paper) || !math.IsNaN(random.Cells[0].Mean) {
		t.Errorf("%+v", random)
	}
}

// TestBehindComparesSameBags compares with the best overall mean. True labels are not a method.
func TestBehindComparesSameBags(t *testing.T) {
	r := &Report{Set: &dataset.Set{Name: "tiger", Title: "Tiger"}}
	bag := func(scores map[string]float64) *Result {
		out := &Result{}
		for _, method := range []string{"single", "milli", "inherent", metric.RowOracle} {
			if s, ok := scores[method]; ok {
				out.Rows = append(out.Rows, metric.Row{Method: method,
					Values: []metric.Value{{Metric: metric.NameAOPCR, Score: s}}})
			}
		}
		return out
	}
	a := Architectures()
	r.add(File{Architecture: a[0]}, []*Result{bag(map[string]float64{"single": .1, "milli": .3,
		metric.RowOracle: .9}), bag(map[string]float64{"single": .5, "milli": .7,
		metric.RowOracle: .9})})
	r.add(File{Architecture: a[2]}, []*Result{bag(map[string]float64{"single": .2, "milli": .3,
		"inherent": 0})})
	rows := map[string]metric.Stat{}
	for _, row := range r.Tables()[0].Rows {
		rows[row.Method] = row.Behind
	}
	for method, want := range map[string]float64{"single": -.15, "inherent": -.3,
		"milli": math.NaN(), metric.RowOracle: math.NaN()} {
		if got := rows[method].Mean; !(math.Abs(got-want) <= 1e-12 ||
			math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s is %v behind, want %v", method, got, want)
		}
	}
	var b bytes.Buffer
	must.Do(t, r.Markdown(&b))
	must.Contain(t, b.String(), "| Inherent | – | 0.000 | 0.000 | 0.042 | -0.042 | -0.300 |")
}

func TestOverallErrorIsRootMeanSquare(t *testing.T) {
	nan := math.NaN()
	got := overall([]metric.Stat{{Mean: .2, SEM: .03, N: 5}, {Mean: nan, SEM: nan},
		{Mean: .4, SEM: .04, N: 7}})
	must.Equal(t, math.Abs(got.Mean-.3) <= 1e-12, true, got)
	must.Equal(t, math.Abs(got.SEM-math.Sqrt((.0009+.0016)/2)) <= 1e-12, true, got)
	must.Equal(t, got.N, 12, got)
}

func TestReportFormats(t *testing.T) {
	r := made()
	for form, c := range map[string]struct {
		write func(*bytes.Buffer) error
		lines []string
	}{
		"Markdown": {func(b *bytes.Buffer) error { return r.Markdown(b) }, []string{
			"# Tiger",
			"MI-Net: repeat 0 (bags: 1); MI-Attn: repeats 0, 1 (bags: 3). n = 5; seed 3.",
			"| Method | MI-Net | MI-Attn | Overall | Paper | Difference | Behind the best |",
			"| Single | 0.500 | 0.250 ± 0.065 (0.100) | 0.375 | 0.115 | +0.260 | – |",
			"| Random order | – | 0.010 ± 0.010 | 0.010 ± 0.010 | – | – | – |",
			"Bags of one or two instances, left out as in the paper: 4.",
		}},
		"CSV": {func(b *bytes.Buffer) error { return r.CSV(b) }, []string{
			"dataset,metric,method,model,mean,",
			"tiger,aopc-r,single,mi_net,0.5,,1,",
			"tiger,aopc-r,single,overall,0.375,",
			",0.115,0.26",
		}},
		"LaTeX": {func(b *bytes.Buffer) error { return r.LaTeX(b) }, []string{
			`\begin{tabular}{lrrrrr}`,
			`Method & MI-Net & MI-Attn & Overall & Paper & Difference \\`,
			`Single & \boldmath{$0.500$} & \boldmath{$0.250 \pm 0.065$} & ` +
				`\boldmath{$0.375$} & $0.115$ & $+0.260$ \\`,
			`Random order & -- & $0.010 \pm 0.010$ & $0.010 \pm 0.010$ & -- & -- \\`,
		}},
	} {
		var b bytes.Buffer
		must.Do(t, c.write(&b))
		for _, line := range c.lines {
			if !strings.Contains(b.String(), line) {
				t.Errorf("%s lacks %q:\n%s", form, line, b.String())
			}
		}
	}
}

// TestSummaryMarksDifferences has a mean of .325, which differs from the paper's .115 by more than
// two errors of .1. The paper has no random order.
func TestSummaryMarksDifferences(t *testing.T) {
	r := made()
	r.add(File{Architecture: Architectures()[0], Repeat: 1},
		[]*Result{{Rows: []metric.Row{{Method: "single",
			Values: []metric.Value{{Metric: metric.NameAOPCR, Score: .3}}}}}})
	var b bytes.Buffer
	must.Do(t, Summary(&b, []*Report{r, r}))
	for _, line := range []string{
		"## AOPC-R",
		"| Tiger | – | 0.325 ± 0.100 | –",
		"| the paper | – | 0.115 | –",
		"| difference | – | **+0.210** | –",
		"Of 2 means that the paper has too, " +
			"0 are within two of our standard errors of the paper's.",
	} {
		must.Contain(t, b.String(), line)
	}
}

// TestLaTeXColumnsAndTables checks the caption, the column of errors over repeats, and the table
// without trivial items, in which another method may be the best.
func TestLaTeXColumnsAndTables(t *testing.T) {
	r := made()
	tex := func() string {
		var b bytes.Buffer
		must.Do(t, r.LaTeX(&b))
		return b.String()
	}
	if text := tex(); strings.Contains(text, "repeats") ||
		strings.Contains(text, "any order solves") || strings.Count(text, `\begin{tabular}`) != 1 {
		t.Errorf("one table and no error over repeats are wanted:\n%s", text)
	}
	score := func(method string, score float64, trivial bool) metric.Row {
		return metric.Row{Method: method, Values: []metric.Value{{Metric: metric.NameAOPCR,
			Score: score, Trivial: trivial}}}
	}
	r.add(File{Architecture: Architectures()[0], Repeat: 1}, []*Result{{Rows: []metric.Row{
		score("single", .3, true), score("milli", -.1, true), score("milli", .3, false),
		score("milli", .9, false),
	}}})
	text := tex()
	for _, line := range []string{
		`AOPC-R on Tiger: mean $\pm$ standard error over all bags and classes.`,
		`Method & MI-Net & MI-Attn & Overall & Over repeats & Paper & Difference \\`,
		`Single & \boldmath{$0.400 \pm 0.100$} & \boldmath{$0.250 \pm 0.065$} & ` +
			`\boldmath{$0.325 \pm 0.084$} & $0.100$ & $0.115$ & $+0.210$ \\`,
		`AOPC-R on Tiger, without the items that any order solves: mean $\pm$`,
		`Single & $0.500$ & \boldmath{$0.250 \pm 0.065$} & \boldmath{$0.375$} \\`,
		`MILLI & \boldmath{$0.600 \pm 0.300$} & -- & $0.600 \pm 0.300$ \\`,
	} {
		must.Contain(t, text, line)
	}
}

func TestPaperValuesHaveKnownNames(t *testing.T) {
	count := 0
	titles := rowTitles()
	for set, metrics := range paper {
		if _, err := dataset.Open(set, t.TempDir(), dataset.Options{}); err == nil ||
			strings.Contains(err.Error(), "is unknown") {
			t.Errorf("%s is no data set: %v", set, err)
		}
		for name, methods := range metrics {
			for method, v := range methods {
				count++
				known := false
				for _, m := range titles {
					known = known || m[0] == method
				}
				if !known || v <= 0 || v >= 1 {
					t.Errorf("%s, %s, %s: %v", set, name, method, v)
				}
			}
		}
	}
	must.Equal(t, count, 9*9)
	if v, ok := Paper("crc", metric.NameNDCG, "milli"); !ok || v != .786 {
		t.Errorf("MILLI on CRC has %v", v)
	}
}
