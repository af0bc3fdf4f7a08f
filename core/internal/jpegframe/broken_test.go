package jpegframe

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

var thorough = flag.Int("thorough", 1, "how many times as many damaged pictures are tried")

// TestBroken joins and decodes 500 damaged pictures of each kind, or more by -thorough, with all
// that readers ask of them before.
func TestBroken(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	colours := image.NewYCbCr(image.Rect(0, 0, 24, 20), image.YCbCrSubsampleRatio420)
	for i := range colours.Y {
		colours.Y[i] = uint8(7 * i)
	}
	grey := &image.Gray{Pix: colours.Y, Stride: colours.YStride, Rect: colours.Rect}
	for kind, m := range []image.Image{colours, grey} {
		var b bytes.Buffer
		must.Do(t, jpeg.Encode(&b, m, nil))
		for i := range 500 * *thorough {
			data := damage.Bytes(b.Bytes(), random)
			damage.Ends(fmt.Sprintf("kind %d, damaged picture %d", kind, i), func() { try(data) })
		}
	}
}

// try decodes a picture of unknown bytes, unless its header claims many pixels.
func try(data []byte) {
	if Unread(data) != "" || Check(data) != nil {
		return
	}
	transform, ok := AdobeTransform(data)
	joined, err := Join(nil, data, ok && transform == 0)
	if err != nil {
		return
	}
	for _, stream := range [][]byte{data, joined} {
		c, err := jpeg.DecodeConfig(bytes.NewReader(stream))
		if err == nil && c.Width*c.Height <= 1<<16 {
			_, _ = Decode(bytes.NewReader(stream))
		}
	}
}
