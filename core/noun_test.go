package core_test

import (
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

func TestParseNoun(t *testing.T) {
	for text, want := range map[string]core.Noun{
		"digit": {One: "digit", Several: "digits"}, "patch": {One: "patch", Several: "patches"},
		"box": {One: "box", Several: "boxes"}, "lens": {One: "lens", Several: "lenses"},
		"body": {One: "body", Several: "bodies"}, "day": {One: "day", Several: "days"},
		"brush":                       {One: "brush", Several: "brushes"},
		" nucleus ,nuclei ":           {One: "nucleus", Several: "nuclei"},
		"Zelle, Zellen":               {One: "Zelle", Several: "Zellen"},
		strings.Repeat("ä", 40) + "y": {},
		"":                            {}, " , ": {}, "cell,": {}, ",cells": {}, "a\nb": {},
		strings.Repeat("a", 50): {}, "a, " + strings.Repeat("b", 50): {},
	} {
		got, err := core.ParseNoun(text)
		var setting *core.SettingError
		must.Equal(t, got, want, text)
		must.Equal(t, errors.As(err, &setting), want == core.Noun{}, text)
		if again, _ := core.ParseNoun(got.String()); again != got {
			t.Errorf("%q is read as %+v", got.String(), again)
		}
	}
	if n := (core.Noun{One: "a", Several: "b"}); n.Of(1) != "a" || n.Of(0) != "b" ||
		n.Or(core.Noun{One: "c"}) != n || (core.Noun{}).Or(n) != n {
		t.Errorf("%+v", n)
	}
}

func TestNounOf(t *testing.T) {
	card, file := core.Noun{One: "digit", Several: "digits"}, core.Noun{One: "slice"}
	placed := &core.Bag{Boxes: []image.Rectangle{}}
	for n, c := range []struct {
		card core.Noun
		bag  *core.Bag
		want string
	}{
		{card, &core.Bag{Noun: file}, "digit"}, {core.Noun{}, &core.Bag{Noun: file}, "slice"},
		{card, placed, "digit"}, {core.Noun{}, placed, "patch"},
		{core.Noun{}, &core.Bag{}, "instance"},
	} {
		must.Equal(t, core.NounOf(c.card, c.bag).One, c.want, n)
	}
	must.Equal(t, (&core.Bag{Shape: []int{1}, Values: []float32{1, 2},
		Noun: file}).Select([]int{1}).Noun, file, "a part of the bag has the noun")
}

// FuzzParseNoun checks that every noun is read again from its text.
func FuzzParseNoun(f *testing.F) {
	f.Add("nucleus, nuclei")
	f.Add("body")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := core.ParseNoun(text)
		if err != nil {
			return
		}
		if again, err := core.ParseNoun(n.String()); again != n {
			t.Errorf("%q: %+v, then %+v, %v", text, n, again, err)
		}
	})
}
