package csvfile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestCell compares cells with those of testdata/cells.json, which a test of the page reads, too.
func TestCell(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/cells.json"))(t)
	var cells map[string]string
	must.Do(t, json.Unmarshal(text, &cells))
	must.Equal(t, len(cells) >= 20, true, len(cells))
	for text, want := range cells {
		must.Equal(t, Cell(text), want, text)
	}
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	rows := [][]string{{"name", "score"}, {`=a,"b"`, "-0.5"}}
	must.Do(t, Write(&b, rows))
	got := must.Get(csv.NewReader(&b).ReadAll())(t)
	must.EqualSlices(t, got[1], []string{`'=a,"b"`, "-0.5"}, got)
	must.Equal(t, rows[1][0], `=a,"b"`, "the caller's row is")
	must.Is(t, Write(full{}, rows), errFull, "a writer without room gives")
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
