package csvfile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestCell compares cells with those of testdata/cells.json, which a test of the page reads, too.
func TestCell(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/cells.json"))(t)
	var cells map[string]string
	must.Do(t, json.Unmarshal(text, &cells))
	if len(cells) < 20 {
		t.Fatalf("only %d cells", len(cells))
	}
	for text, want := range cells {
		if got := Cell(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	rows := [][]string{{"name", "score"}, {`=a,"b"`, "-0.5"}}
	must.Do(t, Write(&b, rows))
	got, err := csv.NewReader(&b).ReadAll()
	if want := []string{`'=a,"b"`, "-0.5"}; err != nil || !slices.Equal(got[1], want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if rows[1][0] != `=a,"b"` {
		t.Errorf("the caller's row is %q", rows[1])
	}
	if err := Write(full{}, rows); !errors.Is(err, errFull) {
		t.Errorf("a writer without room gives %v", err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
