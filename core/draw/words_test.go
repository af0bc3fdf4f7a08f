package draw

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// marked returns English words with a mark around each text.
func marked() *Words {
	w := English
	v := reflect.ValueOf(&w).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.String {
			f.SetString("<" + f.String() + ">")
		}
	}
	w.Title, w.Comma, w.Decimal = "<title>", "; ", ","
	return &w
}

// TestWordsOfPictures draws every kind of legend in words that have marks: no other word is left.
func TestWordsOfPictures(t *testing.T) {
	bag := vectors(4, 1)
	report := func(unit core.Unit, neutral, limit float64) *core.Report {
		r := judged(&core.Report{Explanations: []core.Explanation{
			{Method: "milli", Class: 0, Scores: []float64{2, -1.1, .1, 0}},
			{Method: "milli", Class: 1, Scores: []float64{.5, .4, -.1, .01}},
		}}, neutral, limit)
		r.Explanations[0].Unit, r.Explanations[1].Unit = unit, unit
		return r
	}
	mixed := report(core.UnitLogit, 0, .3)
	mixed.Explanations[1].Unit = "months"
	word := regexp.MustCompile(`[a-z]{2,}`)
	between := regexp.MustCompile(`<[^<>]*>`)
	for _, c := range []struct {
		name   string
		report *core.Report
		o      Options
	}{
		{"probability", report(core.UnitProbability, .25, .3), Options{}},
		{"log-odds", report(core.UnitLogOdds, 0, .3), Options{PerClass: true}},
		{"one class", report(core.UnitLogit, 0, .3), Options{PerClass: true, Classes: []int{0}}},
		{"score", report(core.UnitScore, 0, .3), Options{Strongest: .5, Removed: []int{3}}},
		{"no evidence", report(core.UnitScore, 0, 9), Options{}},
		{"units", mixed, Options{}},
		{"units, by class", mixed, Options{PerClass: true}},
		{"narrow", report(core.UnitScore, 0, .3), Options{Width: 150, Classes: []int{0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.ClassNames, c.o.Words = []string{"A", "B"}, marked()
			must.Contain(t, strings.Join(sceneTexts(t, bag, c.report, c.o), ""), "<title>")
			for _, text := range newLegendOf(t, bag, c.report, c.o) {
				for between.MatchString(text) {
					text = between.ReplaceAllString(text, "")
				}
				if left := strings.ReplaceAll(text, "months", ""); word.MatchString(left) {
					t.Errorf("%q has words of its own", text)
				}
				if strings.Contains(text, ".") {
					t.Errorf("%q has a decimal point", text)
				}
			}
		})
	}
}

// newLegendOf returns the texts of the legend of bars.
func newLegendOf(t *testing.T, bag *core.Bag, report *core.Report, o Options) []string {
	t.Helper()
	o, ls, err := prepare(bag, report, o)
	must.Do(t, err)
	g := newLegend(ls, o)
	return append([]string{g.low, g.high}, strings.Split(g.texts(), "\n")...)
}

// sceneTexts returns the texts of bars.
func sceneTexts(t *testing.T, bag *core.Bag, report *core.Report, o Options) (out []string) {
	t.Helper()
	for _, m := range must.Get(Bars(bag, report, o))(t).Marks {
		out = append(out, m.Text)
	}
	return out
}

// TestRightToLeft compares the places of a legend in both directions: lines end where they began,
// as far from the other side; the scale stays.
func TestRightToLeft(t *testing.T) {
	g := &legend{Words: marked(), ramp: true, low: "−1", high: "+1"}
	g.add(noSample, "one")
	g.add(unclearSample, "two words of a line")
	const width = 400
	left := g.layout(width)
	g.RightToLeft = true
	right := g.layout(width)
	must.Equal(t, right.ramp, left.ramp)
	must.Equal(t, right.highAt, left.highAt)
	from := left.rows[0].at.X // where lines begin beside the ramp
	for i, row := range left.rows {
		must.Equal(t, width-right.rows[i].at.X-textWidth(row.text), row.at.X-from)
		must.Equal(t, right.rows[i].at.Y, row.at.Y)
	}
}
