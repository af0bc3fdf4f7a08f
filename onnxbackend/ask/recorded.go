package ask

import (
	"image"
	"math"
	"strconv"

	"github.com/bagscope/bagscope/core"
)

// UnmarshalJSON implements json.Unmarshaler: null is not a number.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	v, err := strconv.ParseFloat(string(data), 64)
	*n = Number(v)
	return err
}

// Recorded returns what pictures need of an explanation that was read from JSON: its scores, and a
// bag with the places of its instances and without values. Numbers that JSON has as null are not
// numbers. It returns a *core.BagError if there are no scores, or lists do not fit each other.
func (e *Explanation) Recorded() (*core.Bag, *core.Report, error) {
	bag := &core.Bag{Name: e.Bag.Name, Shape: []int{1}}
	if s := e.Slide; s != nil {
		bag.Slide = &core.Slide{Name: s.Name, Width: s.Width, Height: s.Height,
			Magnification: float64(s.Magnification), MPP: float64(s.MPP), PatchSize: s.PatchSize,
			Overlap: s.Overlap, Unit: s.Unit}
	}
	for _, b := range e.Boxes {
		bag.Boxes = append(bag.Boxes, image.Rect(b[0], b[1], b[2], b[3]))
	}
	report := &core.Report{Prediction: floats(e.Prediction), Output: e.Output, Units: e.Units,
		Seed: e.Seed}
	for n, s := range e.Explanations {
		if n == 0 {
			bag.Values = make([]float32, len(s.Scores))
		}
		if k := bag.Len(); len(s.Scores) != k || len(s.Evident) != k || s.Class < 0 ||
			s.Class >= min(len(e.Classes), len(e.Prediction)) {
			return nil, nil, &core.BagError{Bag: bag.Name, Reason: "the lists of its explanation " +
				"do not fit each other; explain it again"}
		}
		report.Explanations = append(report.Explanations, core.Explanation{Method: s.Method,
			Class: s.Class, Scores: floats(s.Scores), Unit: s.Unit, StdErr: floats(s.StdErr),
			Freedom: float64(s.Freedom), Low: floats(s.Low), High: floats(s.High),
			Neutral: float64(s.Neutral), Evident: s.Evident, Notes: s.Notes})
	}
	return bag, report, bag.Validate()
}

// floats is the inverse of Numbers.
func floats(v []Number) []float64 {
	if v == nil {
		return nil
	}
	return ListOf(v, func(x Number) float64 { return float64(x) })
}
