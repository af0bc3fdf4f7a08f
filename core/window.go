package core

import (
	"math"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Window maps values, such as Hounsfield units, to pixels: those from Center - Width/2 to
// Center + Width/2 to 0..255 (PS3.3, C.11.2.1.3.2).
type Window struct{ Center, Width float64 }

// Windows are one window for all channels of an instance, or one for each; none for values as they
// are.
type Windows []Window

// mostWindows bounds the channels that windows make.
const mostWindows = 16

// ParseWindows reads centres and widths, such as "40,400" or "40,400; 600,1500". It returns a
// *SettingError for other texts.
func ParseWindows(text string) (Windows, error) {
	var out Windows
	parts := strings.SplitN(text, ";", mostWindows+1)
	for _, part := range parts {
		left, right, _ := strings.Cut(part, ",")
		center, err := strconv.ParseFloat(strings.TrimSpace(left), 64)
		width, err2 := strconv.ParseFloat(strings.TrimSpace(right), 64)
		if err != nil || err2 != nil || !(math.Abs(center) < math.MaxFloat32) ||
			!(width > 0 && width < math.MaxFloat32) || len(out) == mostWindows {
			return nil, &SettingError{Setting: "window", Reason: msg.Sprintf("%q is not a centre "+
				"and a width above 0, such as 40,400, nor several with semicolons between them, "+
				"at most %d", text, mostWindows)}
		}
		out = append(out, Window{center, width})
	}
	return out, nil
}

// String returns the windows in the form that ParseWindows reads, "" for none.
func (w Windows) String() string {
	var parts []string
	for _, one := range w {
		parts = append(parts, msg.Sprintf("%v,%v", one.Center, one.Width))
	}
	return strings.Join(parts, "; ")
}

// Of returns the window of a channel. There must be one for all, or one for each.
func (w Windows) Of(channel int) Window { return w[channel%len(w)] }

// Pixel returns the pixel of a value that is not NaN, rounded.
func (w Window) Pixel(v float64) byte {
	return byte(math.Round(255 * min(max((v-w.Center)/w.Width+0.5, 0), 1)))
}
