package sizes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestCheck(t *testing.T) {
	old := file
	defer func() { file = old }()
	file = []byte(`{"program": 1000}`)
	t.Setenv("SIZES", "")
	for _, c := range []struct {
		test, name string
		bytes      int64
		good       bool
	}{
		{"10 % more", "program", 1100, true},
		{"above", "program", 1101, false},
		{"much less", "program", 500, true},
		{"not recorded", "other", 1, false},
	} {
		t.Run(c.test, func(t *testing.T) {
			must.Equal(t, Check(c.name, c.bytes) == nil, c.good, c.name, c.bytes)
		})
	}
	t.Run("record", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "sizes.txt")
		t.Setenv("SIZES", out)
		for _, n := range []int64{2000, 3000} {
			must.Do(t, Check("program, stripped", n))
		}
		const want = "2000 program, stripped\n3000 program, stripped\n"
		must.Equal(t, string(must.Get(os.ReadFile(out))(t)), want)
	})
}
