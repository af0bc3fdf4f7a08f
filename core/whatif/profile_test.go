package whatif_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

// TestProfileValues reads values as users write them, for inputs of one and of three numbers.
func TestProfileValues(t *testing.T) {
	for _, c := range []struct {
		text string
		size int
		want [][]float64
		says string
	}{
		{"40,50, 6e1", 1, [][]float64{{40}, {50}, {60}}, ""},
		{"40", 1, [][]float64{{40}}, ""},
		{"0,0,1; 1,0,0;", 3, [][]float64{{0, 0, 1}, {1, 0, 0}}, ""},
		{"2", 3, [][]float64{{2}}, ""}, // one number for all elements
		{strings.Repeat("1,", whatif.MostProfile) + "1", 1, nil, "more than 1000 values"},
		{"40;50", 1, nil, `"40;50" is not a finite number`},
		{"1,2", 3, nil, `"1,2" has 2 numbers, and the covariate takes 3`},
		{"inf", 1, nil, `"inf" is not a finite number`},
		{"", 1, nil, `"" is not a finite number`},
	} {
		t.Run(c.text[:min(len(c.text), 20)], func(t *testing.T) {
			got, err := whatif.ProfileValues(c.text, c.size)
			checkSetting(t, err, "values", c.says)
			must.Equal(t, reflect.DeepEqual(got, c.want), true, got, c.want)
		})
	}
}

// TestProfileGrid takes steps between the values that the bags of a file state.
func TestProfileGrid(t *testing.T) {
	bags := func(values ...float64) (list [][]core.Covariate) {
		for _, v := range values {
			list = append(list, []core.Covariate{{Name: "age", Values: []float64{v}}})
		}
		return append(list, nil) // a bag that states nothing
	}
	for _, c := range []struct {
		name  string
		bags  [][]core.Covariate
		size  int
		steps int
		want  [][]float64
		says  string
	}{
		{"whole", bags(63, 50, 71), 1, 4, [][]float64{{50}, {57}, {64}, {71}}, ""},
		{"few whole", bags(0, 2), 1, 0, [][]float64{{0}, {1}, {2}}, ""},
		{"fractions", bags(.5, 1.5), 1, 3, [][]float64{{.5}, {1}, {1.5}}, ""},
		{"far apart", bags(-1.5e308, 1.5e308), 1, 3, [][]float64{{-1.5e308}, {0}, {1.5e308}}, ""},
		{"one value", bags(63, 63), 1, 0, nil, "do not state two different values"},
		{"no values", nil, 1, 0, nil, "do not state two different values"},
		{"several numbers", bags(63, 50), 3, 0, nil, "such as 0,0,0; 1,1,1"},
		{"many numbers", bags(63, 50), 5, 0, nil, "such as 0; 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := whatif.ProfileGrid(core.CovariateInput{Name: "age", Size: c.size}, c.bags,
				c.steps)
			checkSetting(t, err, "values", c.says)
			must.Equal(t, reflect.DeepEqual(got, c.want), true, got, c.want)
		})
	}
}

// TestFindCovariate finds an input by its name, or the only one.
func TestFindCovariate(t *testing.T) {
	both := []core.CovariateInput{{Name: "age", Size: 1}, {Name: "stage", Size: 3}}
	for name, want := range map[string]int{"age": 1, "stage": 3} {
		must.Equal(t, must.Get(whatif.FindCovariate(both, name))(t).Size, want, name)
	}
	must.Equal(t, must.Get(whatif.FindCovariate(both[:1], ""))(t).Name, "age", "the only one")
	_, err := whatif.FindCovariate(both, "")
	checkSetting(t, err, "covariate", `name one of "age", "stage"`)
	must.As(t, must.Err(whatif.FindCovariate(nil, "age")), new(*core.UnavailableError))
}

// checkSetting fails unless an error is that of a setting and says a text; "" means no error.
func checkSetting(t *testing.T, err error, setting, says string) {
	t.Helper()
	var wrong *core.SettingError
	if says == "" && err != nil || says != "" && (!errors.As(err, &wrong) ||
		wrong.Setting != setting || !strings.Contains(wrong.Reason, says)) {
		t.Errorf("the error is %v, want one of %s that says %q", err, setting, says)
	}
}
