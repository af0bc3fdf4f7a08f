package core

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestParseWindows reads one window and several, writes them again, and refuses other texts.
func TestParseWindows(t *testing.T) {
	for text, want := range map[string]Windows{"40,400": {{40, 400}},
		" -600 , 1.5e3;40,400": {{-600, 1500}, {40, 400}}} {
		got := must.Get(ParseWindows(text))(t)
		must.EqualSlices(t, got, want, text)
		must.EqualSlices(t, must.Get(ParseWindows(got.String()))(t), got)
	}
	for _, text := range []string{"", "40", "40,", "40,0", "40,-1", "NaN,1", "1,NaN", "Inf,1",
		"1,Inf", "a,b", "40,400;", "40,400,1", strings.Repeat("1,1;", 16) + "1,1"} {
		var setting *SettingError
		if got, err := ParseWindows(text); !errors.As(err, &setting) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestWindowPixel compares pixels of the soft-tissue window with values by hand.
func TestWindowPixel(t *testing.T) {
	w := Windows{{40, 400}, {0, 2}}
	for v, want := range map[float64]byte{-1000: 0, -160: 0, 40: 128, 140: 191, 240: 255, 3000: 255,
		math.Inf(1): 255} {
		must.Equal(t, w.Of(0).Pixel(v), want, v)
	}
	must.Equal(t, w.Of(1).Pixel(-0.5), 64, "the window of a channel is another one")
	must.Equal(t, (Windows{{0, 2}}).Of(5).Pixel(1), 255, "the window of a channel is another one")
}

// TestParseSampling reads distances of pixels and of slices, and refuses other texts.
func TestParseSampling(t *testing.T) {
	for text, want := range map[string]Sampling{"0.8": {Pixels: .8}, " 1 , 2.5 ": {Pixels: 1,
		Slices: 2.5}, "fit": {Fit: true}, "fit,3": {Fit: true, Slices: 3}} {
		want.text = text
		if got, err := ParseSampling(text); err != nil || got != want || got.String() != text {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "NaN", "Inf", "1e99", "1,", "1,0", "1,fit", ",1",
		"1,2,3", "fitted", "Fit"} {
		var setting *SettingError
		if got, err := ParseSampling(text); !errors.As(err, &setting) || got != (Sampling{}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
