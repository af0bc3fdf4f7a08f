package bagio

import (
	"encoding/binary"
	"image"
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// le returns numbers as little-endian bytes.
func le(t *testing.T, numbers any) []byte {
	t.Helper()
	return must.Get(binary.Append(nil, binary.LittleEndian, numbers))(t)
}

func TestReadRaw(t *testing.T) {
	s, err := ReadRaw("b", Raw{Type: "<f8", Shape: []int{2, 2}, Data: le(t,
		[]float64{1, 2, 3, 0.1}), Labels: []int{0, -1}, Places: []float64{0, 0, 16, 32},
		Slide: &core.Slide{PatchSize: 8, MPP: 0.5}}, Options{ZeroCopy: true})
	must.Do(t, err)
	b := must.Get(s.Bag(0))(t)
	must.EqualSlices(t, b.Values, []float32{1, 2, 3, 0.1}, b)
	must.Equal(t, b.Name, "b", b)
	must.EqualSlices(t, b.Labels, []int{0, -1}, b)
	must.Equal(t, b.Boxes[1], image.Rect(16, 32, 24, 40), b.Boxes, b.Slide)
	must.Equal(t, b.Slide.MPP, 0.5, b.Boxes, b.Slide)
	s, err = ReadRaw("b", Raw{Type: "|u1", Shape: []int{2, 1}, Data: []byte{7, 9},
		Places: []float64{0, 0, 5, 0}}, Options{})
	if err != nil || len(s.Notes()) != 1 || s.slide.PatchSize != 5 {
		t.Errorf("without a patch size: %v, %v", s, err)
	}
}

func TestReadRawRejects(t *testing.T) {
	data := le(t, []float32{1, 2, 3, 4})
	for name, r := range map[string]Raw{
		"type":        {Type: "<c8", Shape: []int{2, 2}, Data: data},
		"objects":     {Type: "|O", Shape: []int{2, 2}, Data: data},
		"quoted type": {Type: "<f4'", Shape: []int{2, 2}, Data: data},
		"no type":     {Shape: []int{2, 2}, Data: data},
		"text":        {Type: "<U1", Shape: []int{2, 2}, Data: data},
		"length":      {Type: "<f4", Shape: []int{2, 3}, Data: data},
		"negative":    {Type: "<f4", Shape: []int{-2, -2}, Data: data},
		"one axis":    {Type: "<f4", Shape: []int{4}, Data: data},
		"rank":        {Type: "<f4", Shape: make([]int, 33), Data: data},
		"labels":      {Type: "<f4", Shape: []int{2, 2}, Data: data, Labels: []int{1}},
		"places":      {Type: "<f4", Shape: []int{2, 2}, Data: data, Places: make([]float64, 6)},
		"no place": {Type: "<f4", Shape: []int{2, 2}, Data: data,
			Places: []float64{0, 0, 1, math.NaN()}},
		"no instances": {Type: "<f4", Shape: []int{0, 2}, Places: []float64{}},
		"crossed boxes": {Type: "<f4", Shape: []int{1, 4}, Data: data,
			Places: []float64{9, 9, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadRaw("b", r, Options{})
			var format *FormatError
			must.As(t, err, &format)
		})
	}
	var limit *LimitError
	must.As(t,
		must.Err(ReadRaw("b", Raw{Type: "<f4", Shape: []int{math.MaxInt, math.MaxInt}}, Options{})),
		&limit)
}
