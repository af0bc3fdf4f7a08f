package bagio

import (
	"image"
	"io/fs"

	"github.com/bagscope/bagscope/core/internal/tilenames"
	"github.com/bagscope/bagscope/core/slide"
)

// isWholeSlide reports whether a file is one of a whole slide of DICOM.
func isWholeSlide(s *source) bool { return slide.IsDICOM(s.name, s, s.size) }

// isOMEZarr reports whether a file is an OME-Zarr picture.
func isOMEZarr(s *source, l Limits) bool { return slide.IsZarr(s.name, s, s.size, l.Memory) }

// SlideIn returns the file of the whole slide that a folder is: the document of an OME-Zarr
// picture, the first of tiles that have places in their names, or the file with the largest level
// of DICOM files. It returns "" for other folders. tileNames is Options.TileNames.
// Errors are those of [ReadFolder].
func SlideIn(fsys fs.FS, l Limits, tileNames string) (string, error) {
	if name := slide.ZarrIn(fsys); name != "" {
		return name, nil
	}
	if name, _ := slide.TilesIn(fsys, tileNames); name != "" {
		return name, nil
	}
	l = l.withDefaults()
	members, _, err := dicomsIn(fsys, l)
	if err != nil {
		return "", err
	}
	largest, err := wholeSlideOf(members, l)
	if err != nil || largest == nil {
		return "", err
	}
	return largest.name, nil
}

// takesTiles reports whether tiles of a size are a slide: the caller makes sets of slides, and the
// model does not take the tiles themselves.
func (o Options) takesTiles(size image.Point) bool {
	if o.Slide == nil || o.TileNames == tilenames.None {
		return false
	}
	for _, channels := range []int{1, 3} {
		if _, fits := reshape([]int{channels, size.Y, size.X}, o.InstanceShape); fits {
			return false
		}
	}
	return true
}

// readDICOMs returns the bag of several DICOM files, which are the slices of a series or parts of a
// whole slide.
func readDICOMs(members []seriesFile, name string, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	largest, err := wholeSlideOf(members, l)
	if err != nil {
		return nil, err
	}
	if largest == nil {
		return readSeries(members, name, o)
	}
	s, done, err := largest.open()
	if err != nil {
		return nil, err
	}
	defer done()
	if o.Slide != nil {
		return setFromSlide(s, o)
	}
	o.Limits = l
	return setFromPicture(s, o)
}

// wholeSlideOf returns the file with the largest level of a whole slide, or nil if the files are
// those of none.
func wholeSlideOf(members []seriesFile, l Limits) (*seriesFile, error) {
	var largest *seriesFile
	var series string
	pixels := int64(0)
	for i := range members {
		s, done, err := members[i].open()
		if err != nil {
			return nil, err
		}
		if !isWholeSlide(s) {
			done()
			continue
		}
		f, err := openDICOMFile(s, l)
		if err != nil {
			done()
			return nil, err
		}
		m := f.Matrix
		f.Close()
		done()
		if m == nil || !m.ShowsTissue() {
			continue
		}
		if largest != nil && f.Series != series {
			return nil, bad("the folder", "it holds several whole slides; give a file of one of "+
				"them, or put each into a folder of its own")
		}
		series = f.Series
		if n := int64(m.Width) * int64(m.Height); n > pixels {
			largest, pixels = &members[i], n
		}
	}
	return largest, nil
}

// slideBeside returns the caller's set of the slide of tiles that a folder is, from its first one.
func (o Options) slideBeside(fsys fs.FS, first string) (*Set, error) {
	f, err := fsys.Open(first)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	o.Limits = o.Limits.withDefaults()
	data, err := o.Limits.Memory.ReadAll(f, info.Size(), "reading "+first)
	if err != nil {
		return nil, err
	}
	return setFromSlide(inMemory(first, data), o)
}

// readOMEZarr returns the bag of the OME-Zarr picture that a folder is, from its document.
func readOMEZarr(fsys fs.FS, document string, o Options) (*Set, error) {
	data, err := readRegular(fsys, document, 0, o.Limits.withDefaults())
	if err != nil {
		return nil, err
	}
	s := inMemory(document, data)
	s.beside = fsys
	if o.Slide != nil {
		return setFromSlide(s, o)
	}
	o.Limits = o.Limits.withDefaults()
	return setFromPicture(s, o)
}
