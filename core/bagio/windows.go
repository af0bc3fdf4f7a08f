package bagio

import (
	"cmp"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// takeWindows returns the windows of values that are not pixels, and removes those that the caller
// states from the options: a reader that does not call it refuses them, see newSet.
func (o *Options) takeWindows() (core.Windows, error) {
	stated := o.Window
	if stated == "" {
		return o.UsualWindow, nil
	}
	o.Window = ""
	return core.ParseWindows(stated)
}

// channelsUnder returns the number of channels of slices under windows for instances of a shape;
// usual is what slices have if neither determines it.
func channelsUnder(name string, shape []int, w core.Windows, usual int) (int, error) {
	if len(w) > 1 && len(shape) == 3 && shape[0] == len(w) {
		return len(w), nil
	}
	channels, err := channelsOf(name, shape)
	switch {
	case err != nil:
		return 0, err
	case len(w) > 1 && channels > 0 && channels != len(w):
		return 0, bad(name, "%d windows are stated, and the model takes channels: %d; state one "+
			"window for all channels, or one for each", len(w), channels)
	case len(w) > 1:
		return len(w), nil
	}
	return cmp.Or(channels, usual), nil
}

// windowNote says what values became.
func windowNote(w core.Windows) string {
	return msg.Sprintf("Values became pixels 0 to 255 under the window %s, centre and width.",
		msg.Text(w.String()))
}

// addPixels appends numbers under a window, as bytes.
func (v *values) addPixels(numbers []float32, w core.Window) {
	for _, x := range numbers {
		v.bytes = append(v.bytes, w.Pixel(float64(x)))
	}
}
