package jpegframe

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestCheck refuses thousands of scans, and not what looks like scans in a segment or behind the
// end.
func TestCheck(t *testing.T) {
	var one bytes.Buffer
	must.Do(t, jpeg.Encode(&one, image.NewGray(image.Rect(0, 0, 16, 16)), nil))
	whole, end := one.Bytes(), one.Len()-2
	scan := whole[bytes.Index(whole, []byte{0xff, startOfScan}):end]
	many := bytes.Repeat([]byte{0xff, startOfScan}, 1000)
	segment := append([]byte{0xff, 0xe1, byte((len(many) + 2) >> 8), byte(len(many) + 2)}, many...)
	for _, c := range []struct {
		name   string
		stream []byte
		scans  int
	}{
		{"one", whole, 1},
		{"a hundred", append(bytes.Repeat(scan, 99), whole[end:]...), 100},
		{"thousands", append(bytes.Repeat(scan, 3999), whole[end:]...), 4000},
		{"in a segment", append(append([]byte{}, segment...), whole[2:]...), 1},
		{"behind the end", append(append([]byte{}, whole[end:]...), many...), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			stream := c.stream
			switch c.name {
			case "in a segment":
				stream = append(append([]byte{}, whole[:2]...), stream...)
			case "a hundred", "thousands", "behind the end":
				stream = append(append([]byte{}, whole[:end]...), stream...)
			}
			must.Equal(t, scans(stream), c.scans)
			must.Equal(t, Check(stream) != nil, c.scans > mostScans)
		})
	}
}
