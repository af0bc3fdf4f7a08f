package arch

import (
	"os"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestOneWriterOfCSV: all programs that users run write CSV by internal/csvfile, which defuses
// formulas in names.
func TestOneWriterOfCSV(t *testing.T) {
	written := 0
	for _, name := range trackedFiles(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text := must.Get(os.ReadFile("../../../" + name))(t)
		written += strings.Count(string(text), "csvfile.Write(")
		if strings.Contains(string(text), "csv.NewWriter(") &&
			name != "internal/csvfile/csvfile.go" {
			t.Errorf("%s calls csv.NewWriter; use internal/csvfile, which defuses formulas", name)
		}
	}
	must.Equal(t, written >= 4, true, written)
}
