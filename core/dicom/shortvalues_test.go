package dicom

import (
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/internal/must"
)

// TestShortValues compares samples of 16 bits with what is computed for each alone.
func TestShortValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for stored := 1; stored <= 16; stored++ {
		for signed := range 2 {
			p := dicomtest.Grey(dicomtest.Explicit)
			p.Stored, p.High, p.Signed = stored, stored-1+random.IntN(17-stored), signed
			for i := range p.Pixels {
				p.Pixels[i] = byte(random.Uint32())
			}
			p.More = func(w *dicomtest.Writer) {
				w.Text(dicomtest.Intercept, "DS", "-1024.5")
				w.Text(dicomtest.Slope, "DS", "1.7")
			}
			frame := must.Get(readAll("a.dcm", p.File()))(t)[0]
			got := make([]float32, frame.Len())
			frame.Values(got)
			for i, v := range got {
				if want := float32(frame.value(i)); v != want {
					t.Fatalf("%d bits up to bit %d, signed %d: sample %d is %v, want %v", stored,
						p.High, signed, i, v, want)
				}
			}
		}
	}
}
