package heatmap_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	coredraw "github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/heatmap"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

var update = flag.Bool("update", false, "write testdata/maps.txt")

// oneOf returns one of a list.
func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// drawnMap returns an explanation of patches of random sizes and places.
func drawnMap(r *rand.Rand) (*core.Bag, *core.Report, heatmap.Options) {
	n := 1 + r.IntN(40)
	bag, report := explained(n)
	side, wide := oneOf(r, 1, 3, 16, 64, 100, 256), oneOf(r, 20, 40, 300, 600)
	for i := range bag.Boxes {
		at := image.Pt(r.IntN(wide), r.IntN(wide))
		if r.IntN(2) == 0 {
			at = at.Div(side).Mul(side)
		}
		bag.Boxes[i] = image.Rectangle{at, at.Add(image.Pt(side, side+r.IntN(2)))}
	}
	switch r.IntN(4) {
	case 0:
		bag.Slide = nil
	case 1:
		bag.Slide = &core.Slide{Width: wide, Height: wide / 2, Unit: core.Microns}
	case 2:
		bag.Slide = &core.Slide{Width: wide + side, Height: wide + side, MPP: .3}
	default:
		bag.Slide = &core.Slide{MPP: oneOf(r, 0, .25, 1.7)}
	}
	o := heatmap.Options{Scale: oneOf(r, 0, 0, 0, 1, 2, 8)}
	if r.IntN(3) == 0 {
		o.Removed = []int{r.IntN(n)}
	}
	return bag, report, o
}

// written returns what both files of a map hold: the pixels of all tiles, and the fields of the
// directories without the places and lengths of compressed tiles.
func written(t *testing.T, m *heatmap.Map) string {
	out := fmt.Sprint(m.Width, m.Height, m.Scale, m.Microns, len(m.Classes))
	must.Do(t, m.WriteDZI(t.Context(), len(m.Classes)-1, "x", func(path string, data []byte) error {
		if strings.HasSuffix(path, ".dzi") {
			out += string(data)
			return nil
		}
		tile := must.Get(png.Decode(bytes.NewReader(data)))(t)
		plain := image.NewNRGBA(tile.Bounds())
		draw.Draw(plain, plain.Rect, tile, image.Point{}, draw.Src)
		out += fmt.Sprint(path, plain.Rect, crc32.ChecksumIEEE(plain.Pix))
		return nil
	}))
	var file bytes.Buffer
	must.Do(t, m.WriteOME(t.Context(), &file))
	out += directories(file.Bytes(), int(binary.LittleEndian.Uint64(file.Bytes()[8:])))
	s := must.Get(slide.Open("a.ome.tif", bytes.NewReader(file.Bytes()), int64(file.Len())))(t)
	for at, l := range s.Levels {
		pixels := must.Get(s.Region(at, image.Rect(0, 0, l.Width, l.Height)))(t)
		out += fmt.Sprint(l.Width, l.Height, crc32.ChecksumIEEE(pixels.Pix))
	}
	return out
}

// directories returns the fields of the directories of a BigTIFF from one at a place on.
func directories(file []byte, at int) (out string) {
	sizes := map[uint16]int{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 16: 8, 18: 8}
	number := func(at int) int { return int(binary.LittleEndian.Uint64(file[at:])) }
	for at != 0 {
		n := number(at)
		for i := range n {
			entry := file[at+8+20*i:]
			tag, kind := binary.LittleEndian.Uint16(entry), binary.LittleEndian.Uint16(entry[2:])
			count := int(binary.LittleEndian.Uint64(entry[4:]))
			value := entry[12:20]
			if size := sizes[kind] * count; size > 8 {
				value = file[number(at+8+20*i+12):][:size]
			} else {
				value = value[:size]
			}
			out += fmt.Sprint(" ", tag, kind, count)
			switch tag {
			case 324, 325: // tiles
			case 330: // smaller levels
				for k := range count {
					out += directories(file, int(binary.LittleEndian.Uint64(value[8*k:])))
				}
			default:
				out += fmt.Sprintf("=%q", value)
			}
		}
		at = number(at + 8 + 20*n)
	}
	return out
}

// TestMaps writes maps of random patches, and records the progress of writing them.
func TestMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	var names, results []string
	for n := range 50 {
		bag, report, o := drawnMap(r)
		o.Options.ClassNames = []string{"a", "b"}
		steps := ""
		o.Progress = func(done, total int) { steps += fmt.Sprint(done, total) }
		m, err := heatmap.New(bag, report, o)
		result := fmt.Sprintf("%T", err)
		if err == nil {
			result = written(t, m) + steps
		}
		names, results = append(names, fmt.Sprint(n)), append(results, result)
	}
	testfile.Recorded(t, "testdata/maps.txt", *update, names, results)
}

// A filling writer fails from a number of bytes on.
type filling struct {
	left int
	err  error
}

func (f *filling) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, f.err
	}
	return len(p), nil
}

// TestWritersStop fills the disk and ends the context everywhere in both forms: the error is that
// of the disk, or the cause.
func TestWritersStop(t *testing.T) {
	bag, report := explained(12)
	for i := range bag.Boxes {
		bag.Boxes[i] = image.Rect(50*i, 20*i, 50*i+60, 20*i+60)
	}
	bag.Slide = nil
	m := must.Get(heatmap.New(bag, report, heatmap.Options{Scale: 2,
		Options: coredraw.Options{ClassNames: []string{"a", "b"}}}))(t)
	full := errors.New("the disk is full")
	for name, write := range map[string]func(ctx context.Context, w io.Writer) error{
		"OME": m.WriteOME,
		"ZIP": func(ctx context.Context, w io.Writer) error { return m.WriteZIP(ctx, 0, "x", w) },
		"DZI": func(ctx context.Context, w io.Writer) error {
			return m.WriteDZI(ctx, 1, "x", func(path string, data []byte) error {
				_, err := w.Write(append([]byte(path), data...))
				return err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var whole bytes.Buffer
			must.Do(t, write(t.Context(), &whole))
			for room := 0; room < whole.Len(); room += 1 + whole.Len()/19 {
				w := &filling{room, full}
				must.Is(t, write(t.Context(), w), full, room)
			}
			for looks := 0; ; looks += 1 + looks/3 {
				ctx := &games.Ending{Context: context.Background(), Looks: looks}
				err := write(ctx, io.Discard)
				if ctx.Looks >= 0 {
					must.Do(t, err)
					break
				}
				must.Equal(t, err != nil, true, looks+1)
			}
		})
	}
}
