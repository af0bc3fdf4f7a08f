package bagio

import (
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestReadPlaces reads three places from files with and without features, and from tables.
func TestReadPlaces(t *testing.T) {
	file := FeatureFile{Name: "s", PatchSize: 16, Overlap: 4, Microns: 1, Corners: []image.Point{
		{5, 7}, {200, 3}, {37, 7}}, Slide: core.Slide{PatchSize: 32, MPP: .5}}
	alone := must.Get(file.Head())(t)
	file.Features = 2
	features := append(must.Get(file.Head())(t), make([]byte, 4*2*3)...)
	for name, c := range map[string]struct {
		data    []byte
		side    int
		guessed bool
	}{
		"places.h5":   {alone, 32, false},
		"features.h5": {features, 32, false},
		"sizes.csv": {[]byte("x,y,width,height\n5,7,32,32\n200,3,32,32\n37,7,32,32\n"), 32,
			false},
		"boxes.csv": {[]byte("x0,y0,x1,y1\n5,7,37,39\n200,3,232,35\n37,7,69,39\n"), 32, false},
		"slides.csv": {[]byte("slide,x,y\nother,1,1\ns,5,7\ns,200,3\ns,37,7\n"),
			163, true},
		"features.csv": {[]byte("bag,x,y,f1,f2\ns,5,7,1,2\ns,200,3,1,2\ns,37,7,1,2\n"), 163, true},
		"plain.csv":    {[]byte("x,y\n5,7\n200,3\n37,7\n"), 163, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := must.Get(ReadPlaces(name, c.data, Options{}, "s.svs", "s"))(t)
			must.Equal(t, p.Guessed, c.guessed, p.Notes)
			for i, b := range p.Boxes {
				if b.Min != file.Corners[i] || !c.guessed && b.Dx() != c.side {
					t.Errorf("box %d is %v", i, b)
				}
			}
			must.Equal(t, len(p.Boxes), 3)
		})
	}
	for name, c := range map[string]struct{ text, want string }{
		"no places.csv": {"f1,f2\n1,2\n", "no columns of places, such as x and y"},
		"others.csv":    {"slide,x,y\na,1,1\nb,5,7\n", "none is called"},
		"no rows.csv":   {"x,y\n", "no rows of data"},
	} {
		_, err := ReadPlaces(name, []byte(c.text), Options{}, "s")
		var format *FormatError
		must.Equal(t, errors.As(err, &format), true, name, err)
		must.Equal(t, strings.Contains(err.Error(), c.want), true, name, err)
	}
}

// TestReadPlacesInMicrons turns micrometres into pixels of the slide that is open.
func TestReadPlacesInMicrons(t *testing.T) {
	table := []byte("x_um,y_um\n0,0\n8,0\n16,0\n")
	p := must.Get(ReadPlaces("um.csv", table, Options{SlideMPP: .5}))(t)
	must.EqualSlices(t, []image.Point{p.Boxes[1].Min, p.Boxes[2].Min},
		[]image.Point{{16, 0}, {32, 0}}, p.Boxes, p.Notes)
	var bag *core.BagError
	must.As(t, must.Err(ReadPlaces("um.csv", table, Options{})), &bag)
}
