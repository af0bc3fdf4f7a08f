package slide

import (
	"bytes"
	"encoding/xml"
	"image"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// mostJoints bounds the bytes of the XML of a slide of Ventana, which lists the joints of tiles.
const mostJoints = 1 << 23

// A ventanaArea is a scanned part: tiles that lie beside each other in the grid of the file. Tiles
// of a scanner overlap, so that the pixels of an area are fewer.
type ventanaArea struct {
	column, row  int // its first tile in the grid of the file
	across, down int // tiles
	x, y         float64
}

// A ventanaSlide says where tiles lie. All tiles of a slide have the same distance, the mean of
// those that the scanner measured, weighted by its confidence, as for OpenSlide.
type ventanaSlide struct {
	slide    *Slide
	tile     image.Point
	areas    []ventanaArea
	advance  [2]float64 // distance of tiles across and down
	size     [2]float64 // pixels of level 0
	stitched bool       // false for a file without areas, whose pixels are as they are stored
}

// ofVentana reports whether the XML of a directory is that of Ventana's scanners.
func (d *directory) ofVentana() bool {
	head, err := d.head(tagXML)
	return err == nil && bytes.Contains(head, []byte("<iScan"))
}

// readVentana reads a slide of Ventana (BIF). Levels are the pictures whose descriptions say so.
func (s *Slide) readVentana(list []*directory) error {
	s.Format = "Ventana"
	if err := s.readScan(list[0]); err != nil {
		return err
	}
	v := &ventanaSlide{slide: s}
	first := 0. // magnification of level 0
	for _, d := range list {
		text, err := d.head(tagDescription)
		if err != nil {
			return err
		}
		description := strings.TrimRight(string(text), "\x00")
		if !strings.Contains(description, "level=") {
			switch description {
			case "Label Image", "Label_Image":
				s.associate("macro", d)
			case "Thumbnail":
				s.associate("thumbnail", d)
			}
			continue
		}
		_, magnified, _ := strings.Cut(description, "mag=")
		magnified, _, _ = strings.Cut(magnified, " ")
		scale, err := strconv.ParseFloat(magnified, 64)
		if err != nil || !(scale > 0 && scale < 1e6) {
			return bad(s.name, "a level states the magnification %s", msg.Line(magnified))
		}
		if len(s.Levels) == 0 {
			first = scale
			if err := v.read(d); err != nil {
				return err
			}
		}
		if err := v.add(d, first/scale); err != nil {
			return err
		}
	}
	if len(s.Levels) == 0 {
		return bad(s.name, "it has no level")
	}
	return nil
}

// readScan reads what the XML of the first picture states of the scan.
func (s *Slide) readScan(d *directory) error {
	return s.elements(d, func(t xml.StartElement, _ string) error {
		if t.Name.Local != "iScan" {
			return nil
		}
		stated := attributes(t)
		if planes := strings.TrimSpace(stated["Z-layers"]); planes != "" && planes != "1" {
			return unsupported(s.name, msg.Sprintf("the format of Ventana (BIF) with %s focal "+
				"planes", msg.Line(planes)), "the scanner's program writes one of them")
		}
		number := func(name string) float64 {
			v, err := strconv.ParseFloat(strings.TrimSpace(stated[name]), 64)
			if err != nil || !(v > 0 && v < 1e6) {
				return 0
			}
			return v
		}
		s.Magnification, s.MicronsX = number("Magnification"), number("ScanRes")
		s.MicronsY = s.MicronsX
		return nil
	})
}

// elements calls a function for each element of the XML of a picture, with the name of the one
// around it.
func (s *Slide) elements(d *directory, do func(t xml.StartElement, around string) error) error {
	work := workspace{container: d.container}
	defer work.end()
	if err := work.take(xmlBytes * int64(min(d.count(tagXML), mostJoints))); err != nil {
		return err
	}
	text, err := d.raw(tagXML, mostJoints)
	if err != nil {
		return err
	}
	decoder := xml.NewDecoder(bytes.NewReader(bytes.TrimRight(text, "\x00")))
	decoder.CharsetReader = eightBits
	path := []string{""}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return because(err, s.name, "its description cannot be read")
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := do(t, path[len(path)-1]); err != nil {
				return err
			}
			path = append(path, t.Name.Local)
		case xml.EndElement:
			path = path[:len(path)-1]
		}
	}
}

// read reads the areas and the joints of tiles from the XML of level 0.
func (v *ventanaSlide) read(d *directory) error {
	l, err := layoutOf(d, "level 0")
	if err != nil || !d.has(tagXML) {
		return err
	}
	v.tile, v.stitched = l.block, true
	var joints [2]struct{ offset, weight float64 } // across and down
	var origins []image.Point
	scanned := []bool{}
	err = v.slide.elements(d, func(t xml.StartElement, around string) error {
		stated, wrong := attributes(t), ""
		number := func(name string) float64 {
			n, err := strconv.ParseFloat(strings.TrimSpace(stated[name]), 64)
			if err != nil || !(math.Abs(n) < 1<<31) {
				wrong = name
			}
			return n
		}
		switch {
		case around == "AoiOrigin":
			origins = append(origins, image.Pt(int(number("OriginX")), int(number("OriginY"))))
		case t.Name.Local == "ImageInfo":
			scanned = append(scanned, number("AOIScanned") != 0)
			v.areas = append(v.areas, ventanaArea{across: int(number("NumCols")),
				down: int(number("NumRows")), x: number("Pos-X"), y: number("Pos-Y")})
		case t.Name.Local == "TileJointInfo" && len(scanned) > 0 && scanned[len(scanned)-1]:
			way, name := 0, "OverlapX"
			switch stated["Direction"] {
			case "RIGHT":
			case "UP":
				way, name = 1, "OverlapY"
			default:
				wrong = "Direction"
			}
			weight := number("Confidence")
			joints[way].offset += weight * number(name)
			joints[way].weight += weight
		}
		if wrong != "" {
			return bad(v.slide.name, "its description states no %s where it must", wrong)
		}
		if len(v.areas) > mostAreas || len(origins) > mostAreas {
			return bad(v.slide.name, "it has more than %d scanned parts", mostAreas)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(origins) != len(v.areas) {
		return bad(v.slide.name, "it has %d scanned parts, but states the places of %d",
			len(v.areas), len(origins))
	}
	for i, side := range []int{v.tile.X, v.tile.Y} {
		v.advance[i] = float64(side)
		if joints[i].weight > 0 {
			v.advance[i] -= joints[i].offset / joints[i].weight
		}
		if !(v.advance[i] >= float64(side)/2 && v.advance[i] <= 2*float64(side)) {
			return bad(v.slide.name, "its tiles of %d pixels are %v pixels apart", side,
				v.advance[i])
		}
	}
	return v.place(origins, scanned, l)
}

// place states where the scanned areas begin. In the file, y grows upward.
func (v *ventanaSlide) place(origins []image.Point, scanned []bool, l *layout) error {
	across, down := l.grid()
	var areas []ventanaArea
	top, tiles := 0., 0
	for i, a := range v.areas {
		at := origins[i]
		a.column, a.row = at.X/v.tile.X, at.Y/v.tile.Y
		if !scanned[i] {
			continue
		}
		if at.X%v.tile.X != 0 || at.Y%v.tile.Y != 0 || a.column < 0 || a.row < 0 ||
			a.across < 1 || a.down < 1 || a.across > across-a.column || a.down > down-a.row {
			return bad(v.slide.name, "a scanned part of %d x %d tiles from tile (%d,%d) on does "+
				"not lie in its %d x %d tiles", a.across, a.down, a.column, a.row, across, down)
		}
		if tiles += a.across * a.down; tiles > across*down {
			return bad(v.slide.name, "its scanned parts take more tiles together than its %d x %d",
				across, down)
		}
		a.x, a.y = math.Trunc(a.x), math.Trunc(a.y)
		top = max(top, a.y+v.height(a))
		areas = append(areas, a)
	}
	if len(areas) == 0 {
		return bad(v.slide.name, "it has no scanned part")
	}
	v.areas = areas
	for i := range v.areas {
		a := &v.areas[i]
		a.y = top - a.y - v.height(*a)
		width := float64(a.across-1)*v.advance[0] + float64(v.tile.X)
		v.size[0] = max(v.size[0], a.x+width)
		v.size[1] = max(v.size[1], a.y+float64(a.down-1)*v.advance[1]+float64(v.tile.Y))
		if a.x < 0 || a.y < 0 {
			return bad(v.slide.name, "a scanned part lies outside of the slide")
		}
		v.slide.Bounds = v.slide.Bounds.Union(image.Rect(int(a.x), int(a.y),
			int(math.Ceil(a.x+width)), int(math.Ceil(a.y+v.height(*a)))))
	}
	return nil
}

// height returns the height of an area in whole pixels, as OpenSlide takes it.
func (v *ventanaSlide) height(a ventanaArea) float64 {
	return math.Trunc(float64(a.down-1)*v.advance[1] + float64(v.tile.Y))
}

// add appends a level. down is its downsample.
func (v *ventanaSlide) add(d *directory, down float64) error {
	if !v.stitched {
		return v.slide.add(d)
	}
	l, err := layoutOf(d, "a level")
	if err != nil {
		return err
	}
	wide, high := math.Ceil(v.size[0]/down), math.Ceil(v.size[1]/down)
	if l.block != v.tile || down != math.Trunc(down) || down < 1 ||
		down > float64(min(v.tile.X, v.tile.Y)) || !(wide >= 1 && high >= 1 &&
		wide < 1<<31 && high < 1<<31) ||
		wide/float64(l.block.X)*high/float64(l.block.Y) > mostGrid {
		return bad(v.slide.name, "a level of tiles of %d x %d pixels is %v times smaller than "+
			"level 0, of %d x %d", l.block.X, l.block.Y, down, v.tile.X, v.tile.Y)
	}
	tile := func(column, row int) (*image.RGBA, error) {
		at := image.Pt(column*l.block.X, row*l.block.Y)
		block := image.Rectangle{at, at.Add(l.block)}
		return v.slide.collage(block, v.parts(l, down, block))
	}
	return v.slide.addLayout(&layout{directory: l.directory, what: l.what, tiled: true,
		width: int(wide), height: int(high), block: l.block, samples: l.samples, bits: l.bits,
		photometric: l.photometric, tile: tile})
}

// parts returns the pixels of the tiles of level 0 in a level, as far as they may lie in a
// block, row by row: later ones are on top, as for OpenSlide.
func (v *ventanaSlide) parts(l *layout, down float64, block image.Rectangle) iter.Seq[part] {
	wide, high := float64(v.tile.X)/down, float64(v.tile.Y)/down
	// reach returns the tiles of an area that may lie between two pixels.
	reach := func(from, to int, begin, advance float64, n int) (first, last int) {
		first = int((float64(from)*down-begin)/advance) - 3
		last = int((float64(to)*down-begin)/advance) + 1
		return max(0, first), min(n-1, last)
	}
	return func(yield func(part) bool) {
		for _, a := range v.areas {
			top, bottom := reach(block.Min.Y, block.Max.Y, a.y, v.advance[1], a.down)
			left, right := reach(block.Min.X, block.Max.X, a.x, v.advance[0], a.across)
			for row := top; row <= bottom; row++ {
				for column := left; column <= right; column++ {
					x, y := float64(a.column+column)*wide, float64(a.row+row)*high
					p := part{layout: l, from: image.Rect(int(x), int(y), int(math.Ceil(x+wide)),
						int(math.Ceil(y+high))), at: image.Pt(
						int(math.Round((a.x+float64(column)*v.advance[0])/down)),
						int(math.Round((a.y+float64(row)*v.advance[1])/down)))}
					if !yield(p) {
						return
					}
				}
			}
		}
	}
}
