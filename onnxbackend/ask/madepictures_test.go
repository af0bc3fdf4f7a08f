package ask

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

// cell is the side of the patches that made pictures are cut into.
const cell = 8

// cut returns a picture of random sides, in cells, that is read in patches.
func cut(r *rand.Rand, name string, data func(wide, high int) []byte) madeFile {
	across, down := 1+r.IntN(4), 1+r.IntN(4)
	return madeFile{name: name, data: data(across*cell, down*cell), instances: across * down,
		options: bagio.Options{Patch: bagio.PatchOptions{Size: cell}}}
}

// deep returns a grey picture of 16 bits whose samples use some of them.
func deep(t *testing.T, r *rand.Rand, bits int) madeFile {
	return cut(r, "picture.png", func(wide, high int) []byte {
		p := image.NewGray16(image.Rect(0, 0, wide, high))
		for i := range wide * high {
			p.SetGray16(i%wide, i/wide, color.Gray16{Y: uint16(r.IntN(1 << bits))})
		}
		p.SetGray16(0, 0, color.Gray16{Y: uint16(1<<bits - 1)})
		var out bytes.Buffer
		must.Do(t, png.Encode(&out, p))
		return out.Bytes()
	})
}

// pictureKinds makes pictures, volumes and matrices.
var pictureKinds = map[string]func(t *testing.T, r *rand.Rand) madeFile{
	"PNG of 16 bits": func(t *testing.T, r *rand.Rand) madeFile { return deep(t, r, 16) },
	"PNG of 13 or 14 bits": func(t *testing.T, r *rand.Rand) madeFile {
		f := deep(t, r, 13+r.IntN(2))
		f.truth = []string{"dark"}
		return f
	},
	"PNG of 10 to 12 bits": func(t *testing.T, r *rand.Rand) madeFile {
		bits := 10 + r.IntN(3)
		f := deep(t, r, bits)
		f.truth, f.instances = []string{"few bits"}, 0
		f.says = fmt.Sprintf("%d", bits)
		return f
	},
	"PNG of a palette": func(t *testing.T, r *rand.Rand) madeFile {
		return cut(r, "picture.png", func(wide, high int) []byte {
			p := image.NewPaletted(image.Rect(0, 0, wide, high),
				color.Palette{color.White, color.Black, color.RGBA{R: 200, A: 255}})
			for i := range p.Pix {
				p.Pix[i] = byte(r.IntN(3))
			}
			var out bytes.Buffer
			must.Do(t, png.Encode(&out, p))
			return out.Bytes()
		})
	},
	"PNG cut off": func(t *testing.T, r *rand.Rand) madeFile {
		f := deep(t, r, 16)
		f.data = f.data[:len(f.data)/2]
		f.instances, f.truth = 0, []string{"damage"}
		return f
	},
	"DICOM": func(_ *testing.T, r *rand.Rand) madeFile { return dicomOf(r, 0) },
	"DICOM cut off": func(_ *testing.T, r *rand.Rand) madeFile {
		f := dicomOf(r, 1+r.IntN(100))
		f.instances, f.truth = 0, []string{"damage"}
		return f
	},
	"NIfTI volume": func(_ *testing.T, r *rand.Rand) madeFile { return niftiOf(r, 4, 0) },
	"NIfTI of complex numbers": func(_ *testing.T, r *rand.Rand) madeFile {
		f := niftiOf(r, 32, 0)
		f.instances, f.truth = 0, []string{"complex"}
		return f
	},
	"NIfTI cut off": func(_ *testing.T, r *rand.Rand) madeFile {
		f := niftiOf(r, 4, 1+r.IntN(20))
		f.instances, f.truth = 0, []string{"damage"}
		return f
	},
	"MATLAB matrix": func(_ *testing.T, r *rand.Rand) madeFile {
		k, d := sizes(r)
		return madeFile{name: "bag.mat", data: matlab("features", k, d, normal(r, k*d)),
			instances: k, width: d}
	},
	"ARFF of bags": func(_ *testing.T, r *rand.Rand) madeFile {
		text, instances := "@relation bags\n@attribute id {a,b,c}\n@attribute bag relational\n"+
			"@attribute f0 numeric\n@attribute f1 numeric\n@end bag\n@attribute class {0,1}\n"+
			"@data\n", 0
		for i, id := range []string{"a", "b", "c"}[:1+r.IntN(3)] {
			text += id + `,"`
			for j := range 1 + r.IntN(9) {
				if j > 0 {
					text += `\n`
				}
				text += fmt.Sprintf("%.4f,%.4f", r.NormFloat64(), r.NormFloat64())
				instances++
			}
			text += fmt.Sprintf("\",%d\n", i%2)
		}
		return madeFile{name: "bags.arff", data: []byte(text), instances: instances, width: 2}
	},
}

// dicomOf returns a grey DICOM picture without its last bytes.
func dicomOf(r *rand.Rand, less int) madeFile {
	return cut(r, "picture.dcm", func(wide, high int) []byte {
		p := dicomtest.Grey(dicomtest.Explicit)
		p.Width, p.Height, p.Allocated, p.Stored, p.High = wide, high, 8, 8, 7
		p.Pixels = []byte(noise(r, wide*high))
		data := p.File()
		return data[:len(data)-min(less, wide*high)]
	})
}

// niftiOf returns a volume of a type of NIfTI, without its last bytes.
func niftiOf(r *rand.Rand, kind uint16, less int) madeFile {
	wide, high, k := 2+r.IntN(6), 2+r.IntN(6), 2+r.IntN(9)
	head, le := make([]byte, 352), binary.LittleEndian
	le.PutUint32(head, 348)
	for i, n := range []int{3, wide, high, k, 1, 1, 1, 1} {
		le.PutUint16(head[40+2*i:], uint16(n))
		le.PutUint32(head[76+4*i:], math.Float32bits(1)) // sides of a voxel
	}
	size := map[uint16]int{4: 2, 32: 8}[kind]
	le.PutUint16(head[70:], kind)
	le.PutUint16(head[72:], uint16(8*size))
	le.PutUint32(head[108:], math.Float32bits(352))
	le.PutUint16(head[254:], 1)
	for i := range 3 { // the axes of the file are those of the patient
		le.PutUint32(head[280+20*i:], math.Float32bits(1))
	}
	copy(head[344:], "n+1")
	data := append(head, noise(r, wide*high*k*size)...)
	return madeFile{name: "volume.nii", data: data[:len(data)-less], instances: k,
		width: wide * high}
}

// matlab returns a file of MATLAB 5 with a matrix.
func matlab(name string, rows, columns int, values []float32) []byte {
	le := binary.LittleEndian
	element := func(kind uint32, data []byte) []byte {
		out := append(le.AppendUint32(le.AppendUint32(nil, kind), uint32(len(data))), data...)
		return append(out, make([]byte, -len(data)&7)...)
	}
	var numbers []byte
	for j := range columns {
		for i := range rows {
			numbers = le.AppendUint64(numbers, math.Float64bits(float64(values[i*columns+j])))
		}
	}
	body := element(6, []byte{6, 0, 0, 0, 0, 0, 0, 0})
	body = append(body, element(5, le.AppendUint32(le.AppendUint32(nil, uint32(rows)),
		uint32(columns)))...)
	body = append(append(body, element(1, []byte(name))...), element(9, numbers)...)
	head := fmt.Sprintf("%-124s\x00\x01IM", "MATLAB 5.0 MAT-file")
	return append([]byte(head), element(14, body)...)
}

// A page is a picture of a made slide: grey, of one tile.
type page struct{ wide, high int }

// tiffOf returns a TIFF file of pages, the first with a description.
func tiffOf(r *rand.Rand, description string, pages ...page) []byte {
	le := binary.LittleEndian
	out := []byte("II*\x00\x08\x00\x00\x00")
	for i, p := range pages {
		text := append([]byte(description), 0, 0, 0, 0)
		at := uint32(len(out) + 2 + 12*10 + 4)
		pixels := at + uint32(len(text))
		out = le.AppendUint16(out, 10)
		for _, v := range [][2]uint32{{254, 0}, {256, uint32(p.wide)}, {257, uint32(p.high)},
			{258, 8}, {262, 1}, {270, at}, {322, uint32(p.wide)}, {323, uint32(p.high)},
			{324, pixels}, {325, uint32(p.wide * p.high)}} {
			kind, count := uint16(4), uint32(1)
			if v[0] == 270 {
				kind, count = 2, uint32(len(text))
			}
			out = le.AppendUint16(le.AppendUint16(out, uint16(v[0])), kind)
			out = le.AppendUint32(le.AppendUint32(out, count), v[1])
		}
		next := pixels + uint32(p.wide*p.high)
		if i == len(pages)-1 {
			next = 0
		}
		out = append(le.AppendUint32(out, next), text...)
		out = append(out, noise(r, p.wide*p.high)...)
	}
	return out
}

// slideKinds makes slides.
var slideKinds = map[string]func(t *testing.T, r *rand.Rand) madeFile{
	"slide": func(_ *testing.T, r *rand.Rand) madeFile {
		return madeSlide(r, []float64{.25, .5, 1}[r.IntN(3)], 4, 2, 1)
	},
	"level order": func(_ *testing.T, r *rand.Rand) madeFile {
		f := madeSlide(r, 0, 1, 4, 2)
		f.truth, f.says = []string{"level order"}, "page 2 is its largest picture"
		return f
	},
	"microns": func(_ *testing.T, r *rand.Rand) madeFile {
		f := madeSlide(r, []float64{250, .00025, 25}[r.IntN(3)], 4, 2)
		f.truth = []string{"microns"}
		return f
	},
	"enlarged": func(_ *testing.T, r *rand.Rand) madeFile {
		f := madeSlide(r, .5, 4, 2)
		f.microns, f.truth = .1+.1*r.Float64(), []string{"enlarged"}
		return f
	},
	"slide cut off": func(_ *testing.T, r *rand.Rand) madeFile {
		f := madeSlide(r, .5, 4)
		f.data = f.data[:8+r.IntN(len(f.data)/2)]
		f.instances, f.truth = 0, []string{"damage"}
		return f
	},
}

// madeSlide returns a slide of Aperio with its microns, or a TIFF file if they are 0, whose pages
// have so many times a side.
func madeSlide(r *rand.Rand, microns float64, times ...int) madeFile {
	side := 16 * (2 + r.IntN(3))
	var pages []page
	for _, n := range times {
		pages = append(pages, page{n * side, n * side})
	}
	text := "made"
	if microns > 0 {
		text = fmt.Sprintf("Aperio Image Library v12\r\n64x64 |AppMag = 20|MPP = %v|", microns)
	}
	return madeFile{name: "slide.tif", data: tiffOf(r, text, pages...), instances: 1}
}

// slideSentences opens a slide and its patches, and returns the notes or the error.
func slideSentences(t *testing.T, f madeFile) ([]string, error) {
	s, err := slide.Open(f.name, bytes.NewReader(f.data), int64(len(f.data)))
	if err != nil {
		return []string{err.Error()}, err
	}
	p, err := patches.Open(t.Context(), "slide", s, patches.Options{WholeSlide: true,
		GridOptions: slide.GridOptions{PatchSize: 16, Microns: f.microns}})
	if err != nil {
		return []string{err.Error()}, err
	}
	return p.Notes(), nil
}
