package core

import (
	"math"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Sampling is how the slices of a volume are sampled before a model gets them. The zero value
// keeps them as they are.
type Sampling struct {
	text   string
	Fit    bool    // each slice is scaled to the size of the model's input
	Pixels float64 // distance of pixels in mm, 0 for that of the file
	Slices float64 // distance of slices in mm, 0 for that of the file
}

// ParseSampling reads the distance of pixels in mm or the word fit, and behind a comma the distance
// of slices in mm: "0.8", "0.8,3", "fit" or "fit,3". It returns a *SettingError for other texts.
func ParseSampling(text string) (Sampling, error) {
	pixels, slices, both := strings.Cut(text, ",")
	s := Sampling{text: text}
	var ok [2]bool
	if s.Fit = strings.TrimSpace(pixels) == "fit"; s.Fit {
		ok[0] = true
	} else {
		s.Pixels, ok[0] = millimetres(pixels)
	}
	if s.Slices, ok[1] = millimetres(slices); ok[0] && (ok[1] || !both) {
		return s, nil
	}
	return Sampling{}, &SettingError{Setting: "spacing", Reason: msg.Sprintf("%q is not the "+
		"distance of pixels in mm or the word fit, nor one of them, a comma and the distance of "+
		"slices in mm, such as 0.8,3", text)}
}

// millimetres reads a distance above 0.
func millimetres(text string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(v > 0 && v < math.MaxFloat32) {
		return 0, false
	}
	return v, true
}

// String returns the text that ParseSampling has read, "" for the zero value.
func (s Sampling) String() string { return s.text }

// MostNeighbours bounds the slices on each side of one that are its channels.
const MostNeighbours = 16
