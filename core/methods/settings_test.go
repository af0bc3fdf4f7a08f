package methods

import (
	"errors"
	"slices"
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
		if got := found.Classes(bag); !slices.Equal(got, want) || found.Title != s.Title {
			t.Errorf("%s: %q, classes %v, want %v", s.Name, found.Title, got, want)
		}
	}
	if own == 0 || own == len(AllSettings()) {
		t.Errorf("%d data sets have classes of their own", own)
	}
	var e *core.SettingError
	if _, err := Settings("none"); !errors.As(err, &e) || !strings.Contains(e.Reason, "use one of") {
		t.Error(err)
	}
}
