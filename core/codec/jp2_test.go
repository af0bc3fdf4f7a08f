package codec

import (
	"errors"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestCodeStream finds the code stream behind boxes of each form of length, and refuses files whose
// boxes do not hold one.
func TestCodeStream(t *testing.T) {
	stream := []byte{0xff, 0x4f, 0xff, 0x51, 1, 2}
	box := func(length []byte, name string, content ...byte) []byte {
		return slices.Concat(length[:4], []byte(name), length[4:], content)
	}
	file := func(boxes ...[]byte) []byte {
		return slices.Concat([]byte(signature), slices.Concat(boxes...))
	}
	other := box([]byte{0, 0, 0, 10}, "ftyp", 7, 8)
	last := box([]byte{0, 0, 0, 0}, "jp2c", stream...)
	wide := func(length byte, name string, content ...byte) []byte {
		return box([]byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, length}, name, content...)
	}
	for name, data := range map[string][]byte{
		"no file":         stream,
		"32 bits":         file(other, box([]byte{0, 0, 0, 14}, "jp2c", stream...), other),
		"64 bits":         file(wide(22, "jp2c", stream...)),
		"up to its end":   file(other, last),
		"64 bits before ": file(wide(17, "free", 1), last),
	} {
		must.EqualSlices(t, must.Get(CodeStream(data))(t), stream, name)
	}
	for name, data := range map[string][]byte{
		"nothing":     file(),
		"no stream":   file(other),
		"a long box":  file(box([]byte{0, 0, 0, 15}, "jp2c", stream...)),
		"a short box": file(box([]byte{0, 0, 0, 7}, "jp2c", stream...)),
		"a long one of 64": file(box([]byte{0, 0, 0, 1, 255, 0, 0, 0, 0, 0, 0, 22}, "jp2c",
			stream...)),
		"half a length": file([]byte{0, 0, 0, 1, 'j', 'p', '2', 'c', 0}),
	} {
		got, err := CodeStream(data)
		var e *FormatError
		must.Equal(t, errors.As(err, &e), true, name, got, err)
	}
}
