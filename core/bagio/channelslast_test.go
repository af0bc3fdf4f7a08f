package bagio

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
)

// TestChannelsLast reads pictures with their channels last as those with channels first, of each
// type of number, and names the way where the channels differ.
func TestChannelsLast(t *testing.T) {
	const k, high, wide = 2, 2, 3
	value := func(i, y, x, c int) byte { return byte(100*i + 30*y + 10*x + c) }
	array := func(kind byte, size, channels int, last bool) *Array {
		a := &Array{Shape: []int{k, channels, high, wide}, dtype: dtype{kind: kind, size: size},
			file: "x.npy", start: -1}
		if last {
			a.Shape = []int{k, high, wide, channels}
		}
		a.data = make([]byte, k*high*wide*channels*size)
		for i := range k {
			for y := range high {
				for x := range wide {
					for c := range channels {
						at := ((i*channels+c)*high+y)*wide + x
						if last {
							at = ((i*high+y)*wide+x)*channels + c
						}
						a.data[at*size] = value(i, y, x, c)
					}
				}
			}
		}
		return a
	}
	for _, shape := range [][]int{{3, high, wide}, {3, -1, -1}} {
		for _, c := range []struct {
			kind byte
			size int
		}{{'u', 1}, {'u', 2}, {'i', 4}} {
			o := Options{InstanceShape: shape}
			first := must.Get(oneBag("x", array(c.kind, c.size, 3, false), o))(t)
			last := must.Get(oneBag("x", array(c.kind, c.size, 3, true), o))(t)
			a, b := must.Get(first.Bag(0))(t), must.Get(last.Bag(0))(t)
			if !slices.Equal(a.Values, b.Values) || !slices.Equal(b.Shape, []int{3, high, wide}) ||
				a.Raw != b.Raw {
				t.Errorf("%c%d for %v: %v of shape %v, want %v", c.kind, c.size, shape, b.Values,
					b.Shape, a.Values)
			}
			noted := strings.Join(last.Notes(), " ")
			if !strings.Contains(noted, "(2, 2, 3, 3) has its channels last") ||
				strings.Contains(noted, "16 bits") != (c.size == 2) {
				t.Errorf("notes %q", noted)
			}
		}
	}
	// A vector has no channels: pictures become vectors in the order in which they are stored.
	flat := must.Get(oneBag("x", array('u', 1, 3, true), Options{InstanceShape: []int{18}}))(t)
	must.Equal(t, must.Get(flat.Bag(0))(t).Values[1], float32(value(0, 0, 0, 1)))
	_, err := oneBag("x", array('u', 1, 4, true), Options{InstanceShape: []int{3, high, wide}})
	wantError(t, err, "x: an instance has shape (2, 3, 4), but the model takes (3, 2, 3); NumPy "+
		"writes such pictures: python3 -c \"import numpy; numpy.save('rgb.npy', "+
		"numpy.load('FILE')[..., :3])\"")
}

// TestWaysOfChannels follows the commands for arrays of other channels.
func TestWaysOfChannels(t *testing.T) {
	book := advice.Of(t)
	for name, shape := range map[string][]int{
		"four last": {2, 5, 6, 4}, "four first": {2, 4, 5, 6}, "grey": {2, 5, 6},
		"one picture": {3, 5, 6}, "one with channels last": {5, 6, 3},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{InstanceShape: []int{3, 5, 6}}
			dir := t.TempDir()
			a := &Array{Shape: shape, dtype: dtype{kind: 'u', size: 1}, file: "x", start: -1,
				data: make([]byte, product(shape))}
			for i := range a.data {
				a.data[i] = byte(i)
			}
			data := append(npyHeaderBytes("|u1", shape), a.data...)
			must.Do(t, os.WriteFile(filepath.Join(dir, "a.npy"), data, 0o600))
			_, err := Read("a.npy", data, o)
			must.Fail(t, err)
			book.Follow(t, dir, "a.npy", err.Error())
			data = must.Get(os.ReadFile(filepath.Join(dir, "rgb.npy")))(t)
			must.Get(must.Get(Read("rgb.npy", data, o))(t).Bag(0))(t)
		})
	}
}
