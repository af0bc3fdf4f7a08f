package core

import (
	"errors"
	"testing"
)

// TestParseSliceAxes reads axes of files and of patients, and refuses other letters.
func TestParseSliceAxes(t *testing.T) {
	for text, want := range map[string]SliceAxes{
		"kij": {"kij", false, [3]AxisWay{{2, false}, {0, false}, {1, false}}},
		"SPL": {"SPL", true, [3]AxisWay{{2, false}, {1, true}, {0, true}}},
		"RIA": {"RIA", true, [3]AxisWay{{0, false}, {2, true}, {1, false}}},
	} {
		if got, err := ParseSliceAxes(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "ki", "kijk", "kkj", "RLS", "spl", "kiS", "xyz", "é1"} {
		var setting *SettingError
		if got, err := ParseSliceAxes(text); !errors.As(err, &setting) || got != (SliceAxes{}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
