package draw

import (
	"errors"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

func zeros(shape []int) *core.Bag {
	bag := &core.Bag{Shape: shape}
	bag.Values = make([]float32, 4*bag.Stride())
	return bag
}

func TestDrawErrors(t *testing.T) {
	bag, report := shapes(3, 1, 8, 8), waves(3, 2)
	var setting *core.SettingError
	var broken *core.BagError
	for _, c := range []struct {
		name string
		draw func() (*Scene, error)
		want any
	}{
		{"a method that is not there", func() (*Scene,
			error) {
			return Strip(bag, report, Options{Method: "single"})
		}, &setting},
		{"a class that is not there", func() (*Scene,
			error) {
			return Strip(bag, report, Options{Classes: []int{2}})
		}, &setting},
		{"an empty report", func() (*Scene,
			error) {
			return Bars(bag, &core.Report{}, Options{})
		}, &setting},
		{"scores of another bag", func() (*Scene,
			error) {
			return Strip(bag, waves(4, 1), Options{})
		}, &broken},
		{"vectors as a strip", func() (*Scene,
			error) {
			return Strip(vectors(3, 4), nil, Options{})
		}, &broken},
		{"no boxes", func() (*Scene, error) { return Overlay(bag, hill(9, 9), nil, Options{}) },
			&broken},
		{"no coordinates", func() (*Scene, error) { return Map(bag, nil, Options{}) }, &broken},
		{"empty boxes", func() (*Scene, error) {
			return Map(boxed(image.Rectangle{}), nil, Options{})
		}, &broken},
		{"boxes beyond any slide", func() (*Scene, error) {
			return Map(boxed(image.Rect(math.MinInt32, 0, math.MaxInt32, 1)), nil, Options{})
		}, &broken},
		{"an empty bag", func() (*Scene, error) {
			return Auto(&core.Bag{Shape: []int{2}}, nil,
				nil, Options{})
		}, &broken},
		{"a narrow picture", func() (*Scene,
			error) {
			return Strip(bag, nil, Options{Width: 20})
		}, &setting},
		{"a scale", func() (*Scene, error) { return Strip(bag, nil, Options{Scale: 9}) },
			&setting},
		{"a cell", func() (*Scene, error) { return Strip(bag, nil, Options{Cell: -1}) },
			&setting},
		{"names", func() (*Scene, error) { return Strip(bag, nil, Options{NameWidth: -1}) },
			&setting},
		{"colours", func() (*Scene, error) {
			return Strip(bag, nil, Options{Colours: "red-green"})
		}, &setting},
		{"an opacity", func() (*Scene, error) {
			return Strip(bag, nil,
				Options{Opacity: math.NaN()})
		}, &setting},
		{"a negative strongest score", func() (*Scene, error) {
			return Strip(bag, report, Options{Strongest: -1})
		}, &setting},
		{"a negative height", func() (*Scene, error) {
			return Strip(bag, report, Options{Height: -1})
		}, &setting},
		{"an infinite strongest score", func() (*Scene, error) {
			return Strip(bag, report, Options{Strongest: math.Inf(1)})
		}, &setting},
		{"a strongest score of classes with scales of their own", func() (*Scene, error) {
			return Strip(bag, report, Options{Strongest: 1, PerClass: true})
		}, &setting},
		{"a strongest score of two units", func() (*Scene, error) {
			mixed := waves(3, 2)
			mixed.Explanations[1].Unit = "months"
			return Strip(bag, mixed, Options{Strongest: 1})
		}, &setting},
		{"an order of two instances", func() (*Scene, error) {
			return Strip(bag, report, Options{Order: []int{0, 1}})
		}, &setting},
		{"an order with an instance twice", func() (*Scene, error) {
			return Strip(bag, report, Options{Order: []int{0, 1, 1}})
		}, &setting},
		{"a top", func() (*Scene, error) { return Strip(bag, nil, Options{Top: -1}) }, &setting},
		{"a removed instance", func() (*Scene,
			error) {
			return Strip(bag, nil, Options{Removed: []int{3}})
		}, &setting},
	} {
		t.Run(c.name, func(t *testing.T) {
			if p, err := c.draw(); p != nil || err == nil || !errors.As(err, c.want) {
				t.Errorf("%s: %v, want a %T", c.name, err, c.want)
			}
		})
	}
}

// TestUnusualContentNeverPanics draws extreme values, scores, names and boxes.
func TestUnusualContentNeverPanics(t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.MaxFloat64, 5e-324, -1}
	r := rand.New(rand.NewPCG(5, 6))
	img := hill(40, 30)
	for range 60 {
		k := 1 + r.IntN(9)
		bag := shapes(k, 1+2*r.IntN(2), 4+r.IntN(6), 4+r.IntN(6))
		report := waves(k, 1+r.IntN(3))
		for range 5 {
			bag.Values[r.IntN(len(bag.Values))] = float32(odd[r.IntN(len(odd))])
			e := report.Explanations[r.IntN(len(report.Explanations))]
			e.Scores[r.IntN(k)] = odd[r.IntN(len(odd))]
		}
		for range k {
			bag.Boxes = append(bag.Boxes, image.Rect(r.IntN(80)-20, r.IntN(80)-20, r.IntN(80)-20,
				r.IntN(80)-20))
		}
		o := Options{Width: 120 + r.IntN(400), Dark: r.IntN(2) == 0,
			ClassNames: []string{"Lymphknoten – größer", "良性", "\x00\xff"}, Top: r.IntN(3),
			Sorted: true}
		for name, draw := range map[string]func() (*Scene, error){
			"strip":   func() (*Scene, error) { return Strip(bag, report, o) },
			"overlay": func() (*Scene, error) { return Overlay(bag, img, report, o) },
			"bars":    func() (*Scene, error) { return Bars(bag, report, o) },
			"map":     func() (*Scene, error) { return Map(bag, report, o) },
		} {
			var limit *LimitError
			var broken *core.BagError
			refused := func(err error) bool {
				return errors.As(err, &limit) || name == "map" && errors.As(err, &broken)
			}
			if _, err := draw(); err != nil && !refused(err) {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// TestHiddenCharactersOfNames: a drawing shows the control characters of names as package msg does.
func TestHiddenCharactersOfNames(t *testing.T) {
	for kind, draw := range map[string]func(*core.Bag, *core.Report, Options) (*Scene, error){
		"bars": Bars, "strip": Strip,
	} {
		t.Run(kind, func(t *testing.T) {
			of := func(name string) *picture {
				bag := shapes(6, 8, 8)
				bag.Name = name
				report := waves(6, 2)
				for i := range report.Explanations {
					report.Explanations[i].Method = name
				}
				return drawn(t)(draw(bag, report, Options{ClassNames: []string{name, name}}))
			}
			must.EqualSlices(t, of("a\u202e\x1b").Pix, of(`a\u202e\x1b`).Pix,
				"hidden characters are not escaped")
		})
	}
}

func TestHugeBagsAreBounded(t *testing.T) {
	const k = 10_000
	for name, draw := range map[string]func() (*Scene, error){
		"strip": func() (*Scene, error) {
			return Strip(shapes(k, 1, 4, 4), waves(k, 4),
				Options{Scale: 2})
		},
		"bars": func() (*Scene, error) { return Bars(vectors(k, 3), waves(k, 2), Options{}) },
		"rows": func() (*Scene, error) { return Bars(vectors(maxSide, 1), nil, Options{}) },
	} {
		t.Run(name, func(t *testing.T) {
			p := drawn(t)(draw())
			if area := p.Rect.Dx() * p.Rect.Dy(); area > maxPixels ||
				max(p.Rect.Dx(), p.Rect.Dy()) > maxSide {
				t.Errorf("%s: %v", name, p.Rect)
			}
		})
	}
	for name, draw := range map[string]func() (*Scene, error){
		"classes": func() (*Scene, error) {
			return Bars(vectors(2, 1), waves(2, 200),
				Options{})
		},
		"strips": func() (*Scene, error) {
			return Strip(shapes(3, 4, 4), waves(3, 20_000),
				Options{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := draw()
			var limit *LimitError
			must.Equal(t, errors.As(err, &limit), true, name, err)
			must.Equal(t, limit.Requested > limit.Limit, true, name, err)
		})
	}
}
