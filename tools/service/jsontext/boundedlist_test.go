package jsontext

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestFew(t *testing.T) {
	for text, want := range map[string]int{
		`[1,2]`: 2, `[]`: 0, `null`: 0, `["a,b","\",",["c","d"],{"e":1,"f":2}]`: 4,
		`[[[1,2],[3,4]]]`: 1, `[` + strings.Repeat(`{},`, maxListLength-1) + `{}]`: maxListLength,
	} {
		var f BoundedList[any]
		must.Do(t, json.Unmarshal([]byte(text), &f))
		must.Equal(t, len(f), want, text)
	}
	var f BoundedList[struct{}]
	if err := json.Unmarshal([]byte(`[`+strings.Repeat(`{},`, maxListLength)+`{}]`),
		&f); err == nil || !strings.Contains(err.Error(), "1025 values") || f != nil {
		t.Errorf("%v, %d values", err, len(f))
	}
	must.Fail(t, json.Unmarshal([]byte(`{"a":1}`), &f))
}
