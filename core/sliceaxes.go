package core

import (
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// SliceAxes says where the instances, the rows and the columns of a volume go. The zero value says
// nothing.
type SliceAxes struct {
	text    string
	Patient bool // toward a side of the patient, else along an axis of the file
	Ways    [3]AxisWay
}

// An AxisWay is a direction along an axis, from its end if Back is set. The axes of the patient
// grow to the right, to the front and to the head.
type AxisWay struct {
	Axis int
	Back bool
}

// ParseSliceAxes reads three letters: R or L, A or P, S or I, each once, for sides of the patient,
// or i, j and k for the axes of the file. It returns a *SettingError for other texts.
func ParseSliceAxes(text string) (SliceAxes, error) {
	if ways, ok := axisWays(text, "ijk", 1); ok {
		return SliceAxes{text, false, ways}, nil
	}
	if ways, ok := axisWays(text, "RLAPSI", 2); ok {
		return SliceAxes{text, true, ways}, nil
	}
	return SliceAxes{}, &SettingError{Setting: "slice-axes", Reason: msg.Sprintf("%q is not three "+
		"letters of R or L, A or P, S or I, such as SPL, or of i, j and k, such as kij", text)}
}

// axisWays reads a letter for each axis of a list that has some directions for each. ok is false
// for other texts.
func axisWays(text, letters string, directions int) (ways [3]AxisWay, ok bool) {
	var taken [3]bool
	if len(text) != len(ways) {
		return ways, false
	}
	for i := range ways {
		at := strings.IndexByte(letters, text[i])
		if at < 0 || taken[at/directions] {
			return ways, false
		}
		ways[i] = AxisWay{at / directions, at%directions == 1}
		taken[ways[i].Axis] = true
	}
	return ways, true
}

// String returns the letters, "" for the zero value.
func (a SliceAxes) String() string { return a.text }
