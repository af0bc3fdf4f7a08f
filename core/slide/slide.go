package slide

import (
	"bytes"
	"cmp"
	"errors"
	"image"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
)

// A Slide is an open slide. Its methods may be called from several goroutines at the same time.
type Slide struct {
	// "Aperio", "Hamamatsu", "Philips", "Leica", "Ventana", "OME-TIFF", "TIFF", "TIFF of bands",
	// "Deep Zoom", "DICOM", "OME-Zarr" or "tiles".
	Format string
	// Levels of the pyramid, the largest first. There is at least one.
	Levels []Level
	// Microns that a pixel of level 0 covers across and down; 0 if the file does not say.
	MicronsX, MicronsY float64
	Magnification      float64 // magnification of the objective; 0 if the file does not say
	// Pictures beside the tissue. Those of the glass may show the name of a patient.
	Associated []Associated
	// Bounds are the pixels of level 0 around what was scanned of a glass, as OpenSlide states them
	// (bounds-x and so on); empty for formats that have no others.
	Bounds image.Rectangle
	// Origin is the DICOM files of level 0, nil for other formats. It must not be changed.
	Origin *core.Origin

	name   string
	notes  []string // which picture of the file is level 0, if there are several
	most   int64    // see Options.Pixels
	bands  *bands   // nil if pixels have colours
	blocks *blockCache[image.RGBA]
	tiles  *Tiles // the tiles that the slide consists of, or nil
}

// Options bound what a slide takes.
type Options struct {
	// Memory reserves what decoding takes, and the blocks that are remembered, before they are
	// allocated, so that methods also return a *quota.MemoryError or a *quota.MemoryBusyError. What
	// methods return is the caller's to reserve. Nil means no bound beside the others.
	Memory *quota.Memory
	// Pixels of a block or a region, which are held together; default 2^26, 8192 x 8192.
	Pixels int64
	// Beside has the files beside the slide, which some slides consist of, too; nil if they cannot
	// be reached.
	Beside fs.FS
	// TileNames is the order of the two numbers in the names of tiles, "xy" or "yx", see OpenTiles;
	// "" is what the tiles say.
	TileNames string
	// Bands reads the numbers of a TIFF file instead of its colours; nil reads colours.
	Bands *core.Bands
}

// mostPixels is the default of Options.Pixels.
const mostPixels = 1 << 26

// A Level is one resolution of a slide.
type Level struct {
	Width, Height         int // pixels
	TileWidth, TileHeight int // pixels of a block, which is decoded at once
	// Pixels of level 0 across that one pixel of this level covers; 1 for level 0.
	Downsample float64
	layout     *layout
}

// An Associated is a picture that is stored beside the tissue.
type Associated struct {
	Kind          string // "thumbnail"; or "label" or "macro", which may name a patient
	Width, Height int
	layout        *layout
}

// Private reports whether the picture may show a name.
func (a Associated) Private() bool { return a.Kind != "thumbnail" }

// mostLevels bounds the levels of a slide; each is at most about half of the one before.
const mostLevels = 64

// Open reads the directories of a slide of size bytes. name is the file's name, for messages. The
// reader is used until the slide is no longer needed.
//
// It returns a *[FormatError] for a damaged file, an *[UnsupportedError] for a kind of slide that
// is not read, and a *[LimitError] if pixels that must be decoded together are too many.
func Open(name string, r io.ReaderAt, size int64) (*Slide, error) {
	return OpenWith(name, r, size, Options{})
}

// OpenWith is [Open] with bounds.
func OpenWith(name string, r io.ReaderAt, size int64, o Options) (*Slide, error) {
	switch {
	case o.Bands != nil && !isTIFF(r):
		return nil, &UnsupportedError{name, "files that are not TIFF", "bands", byGDAL}
	case IsMIRAX(name):
		return nil, bad(name, NotMIRAX)
	case IsDZI(name):
		return openDZI(name, r, size, o)
	case IsDICOM(name, r, size):
		return openDICOM(name, r, size, o)
	case IsZarr(name, r, size, o.Memory):
		return openZarr(name, r, size, o)
	case IsTile(name) && o.Beside != nil:
		return openTiles(name, o.Beside, o)
	case IsTile(name):
		return nil, bad(name, "it is one picture, and no slide; name the folder of the tiles that "+
			"a slide consists of, or libvips converts it: %s", convert)
	}
	if s, err := openZippedTiles(name, r, size, o); s != nil || err != nil {
		return s, err
	}
	c, first, err := openContainer(name, r, size, o)
	if err != nil {
		return nil, err
	}
	list, err := c.directories(first)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, bad(name, "it has no picture")
	}
	// Text is read whole, and decoded XML takes many times its length.
	work := workspace{container: c}
	defer work.end()
	letters := int64(min(list[0].count(tagDescription), mostText))
	if err := work.take(xmlBytes * letters); err != nil {
		return nil, err
	}
	description, err := list[0].text(tagDescription)
	if err != nil {
		return nil, err
	}
	s := &Slide{name: name, most: c.most, blocks: newPixelCache(c.memory)}
	software, err := list[0].text(tagSoftware)
	if err != nil {
		return nil, err
	}
	if err := s.refuse(list, description, software); err != nil {
		return nil, err
	}
	switch {
	case o.Bands != nil:
		err = s.readBands(list, *o.Bands)
	case c.far:
		err = s.readHamamatsu(list)
	case list[0].ofVentana():
		err = s.readVentana(list)
	case strings.HasPrefix(software, "Philips"):
		err = s.readPhilips(list, description)
	case strings.Contains(description, leicaSpace):
		err = s.readLeica(list, description)
	case strings.HasPrefix(description, "Aperio"):
		err = s.readAperio(list, description)
	case isOME(description):
		err = s.readOME(list, description)
	default:
		err = s.readPyramid(list)
	}
	if err != nil {
		return nil, err
	}
	return s, s.order()
}

// OpenShown is [OpenWith] for a slide that is looked at before it is known which bands matter: of a
// file of bands, which has no colours, all are read.
func OpenShown(name string, r io.ReaderAt, size int64, o Options) (*Slide, error) {
	s, err := OpenWith(name, r, size, o)
	if other := (*UnsupportedError)(nil); o.Bands == nil && errors.As(err, &other) && isTIFF(r) {
		o.Bands = &core.Bands{}
		if banded, failed := OpenWith(name, r, size, o); failed == nil {
			return banded, nil
		}
	}
	return s, err
}

// isTIFF reports whether a file begins as TIFF files do.
func isTIFF(r io.ReaderAt) bool {
	head := make([]byte, 4)
	_, err := r.ReadAt(head, 0)
	return (err == nil || err == io.EOF) && IsSlide(head)
}

// Grey reports whether the pixels of the largest level have no colours.
func (s *Slide) Grey() bool { return s.Levels[0].layout.grey() }

// Orientation returns how the file states that its picture is mirrored or turned (TIFF 6.0, tag
// 274): 2 to 8, or 1 for a picture that is not. Pixels are those that are stored.
func (s *Slide) Orientation() int { return s.Levels[0].layout.directory.orientation() }

// PageNotes says which picture of the file is level 0 if a smaller one comes first or others follow
// that are no levels, and how channels are read whose colours the file states otherwise.
func (s *Slide) PageNotes() []string { return s.notes }

// FourthUnread reports whether pixels have a fourth sample beside red, green and blue that is not
// the opacity.
func (s *Slide) FourthUnread() bool {
	l := s.Levels[0].layout
	return l.photometric == isRGB && l.samples == 4 && !l.alpha
}

// OrientationOf returns the orientation in Exif data, which have the form of a TIFF file, or 1.
func OrientationOf(exif []byte) int {
	c, first, err := openContainer("Exif data", bytes.NewReader(exif), int64(len(exif)), Options{})
	if err != nil {
		return 1
	}
	d, _, err := c.directory(first)
	if err != nil {
		return 1
	}
	return d.orientation()
}

// orientation returns the orientation of a picture, 1 to 8. A Deep Zoom picture has no directory.
func (d *directory) orientation() int {
	if d == nil {
		return 1
	}
	if v, err := d.number(tagOrientation, 1); err == nil && v >= 2 && v <= 8 {
		return int(v)
	}
	return 1
}

// IsSlide reports whether a file that begins with head may be a slide: TIFF or BigTIFF. Plain
// pictures are, too: they have one level.
func IsSlide(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	switch string(head[:4]) {
	case "II*\x00", "MM\x00*", "II+\x00", "MM\x00+":
		return true
	}
	return false
}

// refuse returns an error for scanners that store tissue in ways of their own. Pixels of Ventana
// are read as its description says, and its bands are not.
func (s *Slide) refuse(list []*directory, description, software string) error {
	for _, scanner := range []struct {
		name string
		is   bool
	}{
		{"Ventana (BIF)", (!list[0].ofVentana() || list[0].bands) &&
			(strings.Contains(description, "<iScan") ||
				strings.HasPrefix(software, "ScanOutputManager") ||
				slices.ContainsFunc(list, (*directory).ofVentana))},
		{"Trestle", strings.HasPrefix(software, "MedScan")},
	} {
		if scanner.is {
			return unsupported(s.name, "the format of "+scanner.name, byVips+convert)
		}
	}
	return nil
}

// add appends a level.
func (s *Slide) add(d *directory) error {
	l, err := layoutOf(d, "a level")
	if err != nil {
		return err
	}
	return s.addLayout(l)
}

// addLayout appends a level with a layout.
func (s *Slide) addLayout(l *layout) error {
	if len(s.Levels) == mostLevels {
		return bad(s.name, "it has more than %d levels", mostLevels)
	}
	s.Levels = append(s.Levels, Level{Width: l.width, Height: l.height, TileWidth: l.block.X,
		TileHeight: l.block.Y, layout: l})
	return nil
}

// mostAssociated bounds the pictures beside the tissue. Scanners write three.
const mostAssociated = 16

// associate appends a picture beside the tissue, unless it cannot be read or there are too many:
// tissue can be seen without it.
func (s *Slide) associate(kind string, d *directory) {
	if len(s.Associated) == mostAssociated {
		return
	}
	if l, err := layoutOf(d, "the "+kind); err == nil {
		s.Associated = append(s.Associated, Associated{kind, l.width, l.height, l})
	}
}

// order sorts the levels by size, states their downsamples, and checks that they show the same.
func (s *Slide) order() error {
	slices.SortStableFunc(s.Levels, func(a, b Level) int { return cmp.Compare(b.Width, a.Width) })
	for i := range s.Levels {
		l, base := &s.Levels[i], s.Levels[0]
		across := float64(base.Width) / float64(l.Width)
		down := float64(base.Height) / float64(l.Height)
		// Sides are rounded to whole pixels, so that small levels differ by a few.
		tolerance := 2 * (1/float64(l.Width) + 1/float64(l.Height)) * across
		if math.Abs(across-down) > math.Max(tolerance, across/100) {
			return bad(s.name, "a level of %d x %d pixels does not show the same as the largest "+
				"one of %d x %d", l.Width, l.Height, base.Width, base.Height)
		}
		l.Downsample = (across + down) / 2
	}
	s.Levels[0].Downsample = 1
	s.blocks.fit(s.Levels[0], 4)
	return nil
}
