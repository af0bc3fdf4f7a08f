package methods

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestClassesOfDataSets: the paper explains all classes of some data sets, and of others the
// negative one and those that a bag has.
func TestClassesOfDataSets(t *testing.T) {
	bag := &core.Bag{Class: []int{2, 0, 3}}
	own := 0
	for _, s := range AllSettings() {
		found := must.Get(Settings(s.Name))(t)
		var want []int
		if s.OwnClasses {
			own++
			want = []int{0, 2, 3}
		}
		must.EqualSlices(t, found.Classes(bag), want, s.Name)
		must.Equal(t, found.Title, s.Title, s.Name)
	}
	must.Equal(t, own != 0, true, own)
	must.Equal(t, own != len(AllSettings()), true, own)
	var e *core.SettingError
	_, err := Settings("none")
	must.As(t, err, &e)
	must.Contain(t, e.Reason, "use one of")
}

// TestSettingsOfPaper compares the settings with the paper's, which METHODS section 1 lists.
func TestSettingsOfPaper(t *testing.T) {
	text := string(must.Get(os.ReadFile("../METHODS.md"))(t))
	_, text, _ = strings.Cut(text, "### Settings per data set")
	text, _, _ = strings.Cut(text, "###")
	rows := regexp.MustCompile(`(?m)^\| (\S+?),? .*?\| (\d+) +\| (\S+) +\| (\S+) +\| (\d+) +\|$`).
		FindAllStringSubmatch(text, -1)
	all := AllSettings()
	must.Equal(t, len(rows), len(all))
	for i, row := range rows {
		s, o := all[i], all[i].Options
		var got []float64
		for _, v := range row[2:] {
			got = append(got, must.Get(strconv.ParseFloat(v, 64))(t))
		}
		want := []float64{float64(o.Samples), o.Alpha, o.Beta, float64(o.MeanBag)}
		must.EqualSlices(t, got, want, s.Title, row[0])
		must.Equal(t, strings.HasPrefix(s.Title, row[1]), true, s.Title, want, row[0])
		must.Equal(t, o.Repeats, strings.Contains(row[0], "repeats allowed"), s.Title, want, row[0])
	}
}
