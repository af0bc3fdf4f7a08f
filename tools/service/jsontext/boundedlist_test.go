package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFew(t *testing.T) {
	for text, want := range map[string]int{
		`[1,2]`: 2, `[]`: 0, `null`: 0, `["a,b","\",",["c","d"],{"e":1,"f":2}]`: 4,
		`[[[1,2],[3,4]]]`: 1, `[` + strings.Repeat(`{},`, maxListLength-1) + `{}]`: maxListLength,
	} {
		var f BoundedList[any]
		if err := json.Unmarshal([]byte(text), &f); err != nil || len(f) != want {
			t.Errorf("%.40s: %d values, %v", text, len(f), err)
		}
	}
	var f BoundedList[struct{}]
	if err := json.Unmarshal([]byte(`[`+strings.Repeat(`{},`, maxListLength)+`{}]`),
		&f); err == nil || !strings.Contains(err.Error(), "1025 values") || f != nil {
		t.Errorf("%v, %d values", err, len(f))
	}
	if err := json.Unmarshal([]byte(`{"a":1}`), &f); err == nil {
		t.Error("an object is no list")
	}
}
