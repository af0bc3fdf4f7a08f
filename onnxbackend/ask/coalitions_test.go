package ask

import (
	"testing"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
)

// TestCoalitions parses rows, and rejects those that are no coalitions of the bag.
func TestCoalitions(t *testing.T) {
	z, err := coalitions([]string{"101", "010"}, 3)
	if err != nil || z.Len() != 2 || z.String(0) != "101" || z.String(1) != "010" {
		t.Errorf("got %v, %v", z, err)
	}
	for _, rows := range [][]string{{"10"}, {"1012"}, {"10x"}, {""}} {
		p := must.Get((&Settings{Methods: []string{"milli"}}).Plan())(t)
		must.Equal(t, kind.Of(p.ReplaceRows(rows, 3)), kind.Setting, rows)
	}
}
