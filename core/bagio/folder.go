package bagio

import (
	"cmp"
	"errors"
	"image"
	"image/color"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/internal/tilenames"
	"github.com/bagscope/bagscope/core/internal/zarr"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
)

// A File is a file in memory, or one of Size bytes that Reader reads; Data is then nil.
type File struct {
	Name   string
	Data   []byte
	Reader io.ReaderAt
	Size   int64
	// Width and Height are above 0 for the pixels of a picture that is decoded already: red, green,
	// blue and alpha, 0..255, not premultiplied, row by row.
	Width, Height int
}

// source returns the content of the file.
func (f File) source() (*source, error) {
	if f.Reader != nil {
		return newSource(f.Name, f.Reader, f.Size)
	}
	return inMemory(f.Name, f.Data), nil
}

// picture opens the file as a picture.
func (f File) picture(l Limits) (*pictureFile, error) {
	s, err := f.source()
	if err != nil {
		return nil, err
	}
	if f.Width > 0 || f.Height > 0 {
		return openPixels(s, f.Width, f.Height, l)
	}
	return openPicture(s, l)
}

// read reads the bags of the file.
func (f File) read(o Options) (*Set, error) {
	switch {
	case f.Width > 0 || f.Height > 0:
		o.Limits = o.Limits.withDefaults()
		return setFromOpened(f.Name, o, func() (*pictureFile, error) {
			return f.picture(o.Limits)
		})
	case f.Reader != nil:
		return readFrom(f.Name, f.Reader, f.Size, o)
	}
	return read(inMemory(f.Name, f.Data), o)
}

// held returns the file in memory. Its size must be within the limits.
func (f File) held(l Limits) (File, error) {
	if f.Reader == nil {
		return f, nil
	}
	s, err := newSource(f.Name, f.Reader, f.Size)
	if err != nil {
		return f, err
	}
	f.Data, err = s.take(0, s.size, l)
	f.Reader = nil
	return f, err
}

// ReadFolder reads the pictures of a folder as one bag. Each picture is an instance, in the natural
// order of names (2.png before 10.png). All must have the same size. Other files and folders are
// ignored and listed in a note. Values are raw pixels, shaped (picture, channel, row, column). The
// number of channels is that of o.InstanceShape; by default 1 if all pictures are grey, else 3.
// Names such as "slide_x512_y1024.png" are the places of pictures, see Options.TileNames, and
// "class1" in a name is the label of its instance.
//
// A folder may be a Zarr store, whose features are a bag or several, see Read, or an OME-Zarr
// picture, which is read like the file of a picture. One of torchmil has folders: features (or
// features_NAME, see Options.Array), labels, patch_labels and coords, with an array NAME.npy for
// each bag; the last three may be missing, but not all of them.
//
// A folder without pictures may hold a DICOM series, also in the folders in it: each slice is an
// instance, in the order of positions in the patient. Or it holds NIfTI files, each a bag of
// slices. Errors are a *FormatError, a *LimitError, a *QuestionError for several series, or those
// of fsys.
func ReadFolder(fsys fs.FS, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	if document := slide.ZarrIn(fsys); document != "" {
		return readOMEZarr(fsys, document, o)
	}
	if first, size := slide.TilesIn(fsys, o.TileNames); first != "" && o.takesTiles(size) {
		return o.slideBeside(fsys, first)
	}
	if zarr.Root(fsys) == "." {
		return ofKind("Zarr")(plausible(setFromStore(cmp.Or(o.Name, "store"), fsys, o)))
	}
	if t, err := findTorchmil(fsys, entries, o); err != nil || t != nil {
		if err != nil {
			return nil, err
		}
		return ofKind("torchmil")(plausible(t.set(o)))
	}
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return pictureName(e.Name()) }) {
		members, others, err := dicomsIn(fsys, l)
		if err != nil {
			return nil, err
		}
		if len(members) > 0 {
			return withOthers(others, "DICOM")(readDICOMs(members, cmp.Or(o.Name, "series"), o))
		}
		for _, e := range entries {
			if !e.IsDir() && volumeName(e.Name()) {
				members = append(members, seriesFile{e.Name(), func() (*source, func(), error) {
					return openRegular(fsys, e.Name(), l)
				}})
			}
		}
		if len(members) > 0 {
			return withOthers(len(entries)-len(members), "NIfTI")(readVolumes(members, o))
		}
	}
	var files []File
	var left []string
	total := int64(0)
	for _, e := range entries {
		if e.IsDir() || !pictureName(e.Name()) {
			left = append(left, e.Name())
			continue
		}
		data, err := readRegular(fsys, e.Name(), total, l)
		if err != nil {
			return nil, err
		}
		total += int64(len(data))
		files = append(files, File{Name: e.Name(), Data: data})
	}
	if len(files) == 0 {
		return nil, bad("the folder", "it holds no %s picture and no DICOM or NIfTI file",
			pictureNames("or"))
	}
	s, err := setFromPictures(files, o)
	if err == nil && len(left) > 0 {
		s.notes = append(s.notes, "ignored files that are not pictures: "+strings.Join(left, ", "))
	}
	return s, err
}

// readRegular reads a file after files of before bytes. The sizes are checked before it is read, so
// that memory stays within the limit. Opening a pipe could wait forever and a device could have no
// end, so that they are a *FormatError.
func readRegular(fsys fs.FS, name string, before int64, l Limits) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, bad(name, "it is not a regular file")
	}
	sum := name + " and the files before it"
	if err := l.bytes(sum, before+info.Size()); err != nil {
		return nil, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The file can grow while it is read.
	data, err := l.Memory.ReadAll(io.LimitReader(f, l.Bytes-before+1), info.Size(), "reading "+name)
	if err != nil {
		return nil, err
	}
	return data, l.bytes(sum, before+int64(len(data)))
}

// pictureName reports whether the name of a file is that of a picture. Names that begin with a dot
// are those of hidden files, such as the ones that macOS writes beside pictures.
func pictureName(name string) bool {
	ending := strings.ToLower(path.Ext(name))
	return !strings.HasPrefix(name, ".") && slices.ContainsFunc(pictureKinds,
		func(k pictureKind) bool { return slices.Contains(k.endings, ending) })
}

// ReadFiles reads the files that a user selected together. One file is read by Read or ReadFrom.
// Several files must be pictures, DICOM or NIfTI files and are read like a folder, see ReadFolder,
// or be features and their places, see PlacesBeside. It returns the errors of Read, and a
// *FormatError for no file or for one among several that is not a picture.
func ReadFiles(files []File, o Options) (*Set, error) {
	switch len(files) {
	case 0:
		return nil, bad("", "no file was given")
	case 1:
		return plausible(files[0].read(o))
	}
	if a := findParted(files); a != nil {
		return plausible(a.read(o))
	}
	if members, others := dicomsOf(files); len(members) > 0 {
		name := cmp.Or(o.Name, "series")
		return withOthers(others, "DICOM")(plausible(readDICOMs(members, name, o)))
	}
	if !slices.ContainsFunc(files, func(f File) bool { return !volumeName(f.Name) }) {
		var volumes []seriesFile
		for _, f := range files {
			volumes = append(volumes, seriesFile{f.Name, func() (*source, func(), error) {
				s, err := f.source()
				return s, func() {}, err
			}})
		}
		return readVolumes(volumes, o)
	}
	files = slices.Clone(files) // the caller's list stays as it is
	l, total := o.Limits.withDefaults(), int64(0)
	for i, f := range files {
		if total += f.Size; total > l.Bytes {
			return nil, l.bytes(f.Name+" and the files before it", total)
		}
		f, err := f.held(l)
		if err != nil {
			return nil, err
		}
		files[i] = f
		if f.Width == 0 && f.Height == 0 && pictureKindOf(f.Data) == nil {
			return nil, bad(f.Name, "it is not a %s picture; several files together must "+
				"all be pictures, one for each instance", pictureNames("or"))
		}
	}
	return setFromPictures(files, o)
}

// setFromPictures returns one bag of whole pictures.
func setFromPictures(files []File, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	if err := l.instances("the pictures", int64(len(files))); err != nil {
		return nil, err
	}
	// The caller's list stays as it is.
	files = slices.SortedFunc(slices.Values(files),
		func(a, b File) int { return naturalOrder(a.Name, b.Name) })
	shape, err := commonShape(files, o, l)
	if err != nil {
		return nil, err
	}
	n, err := l.elements("the pictures", shape)
	if err != nil {
		return nil, err
	}
	if err := l.reserve("the pictures", int64(n)); err != nil {
		return nil, err
	}
	pixels := make([]byte, 0, n) // one picture is decoded at a time
	var notes []string           // those of the first picture that has any
	for _, f := range files {
		var own []string
		if pixels, own, err = appendPicture(pixels, f, shape[1], l); err != nil {
			return nil, err
		}
		if notes == nil {
			notes = own
		}
	}
	name := cmp.Or(o.Name, "pictures")
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = path.Base(f.Name)
	}
	s, err := oneBag(name, &Array{Shape: shape, dtype: dtype{kind: 'u', size: 1}, data: pixels,
		file: name}, o)
	if err != nil {
		return nil, err
	}
	s.instanceNames, s.kind = telling(names), "pictures"
	s.notes = append(s.notes, notes...)
	return s, s.placeByNames(names, pixels, o, l)
}

// placeByNames sets the places and labels that the names of pictures state, and the picture that
// they form. It returns a *QuestionError if names do not say which number is x.
func (s *Set) placeByNames(names []string, pixels []byte, o Options, l Limits) error {
	if len(s.shape) != 3 {
		return nil
	}
	file := s.array.file
	found, err := tilenames.Read(names, image.Pt(s.shape[2], s.shape[1]), o.TileNames,
		func(i int) (*tilenames.Edges, error) { return s.edges(pixels, i), nil })
	if question := (*tilenames.Question)(nil); errors.As(err, &question) {
		return tileQuestion(file, question)
	}
	if found == nil || err != nil {
		return err
	}
	s.labels = found.Labels
	p := &places{file: file, axes: 4}
	for _, b := range found.Boxes {
		p.corners = append(p.corners, float64(b.Min.X), float64(b.Min.Y), float64(b.Max.X),
			float64(b.Max.Y))
	}
	p.note("%s", msg.Text(found.Note))
	if err := s.place(p, ground{unit: pixel, stated: "the names of the pictures"}); err != nil {
		return err
	}
	if m := s.mosaic(pixels, l); m != nil {
		s.pictures = []image.Image{m}
	}
	for _, b := range s.boxes {
		s.slide.Width, s.slide.Height = max(s.slide.Width, b.Max.X), max(s.slide.Height, b.Max.Y)
	}
	return nil
}

// tileQuestion returns the question which number of the names of tiles is x.
func tileQuestion(file string, q *tilenames.Question) *QuestionError {
	out := &QuestionError{File: file, Seen: q.Error(), Option: "tile-names"}
	for _, order := range tilenames.Orders {
		out.Answers = append(out.Answers, Answer{order[0], order[1]})
	}
	out.Answers = append(out.Answers, Answer{tilenames.None, "they are no places"})
	return out
}

// edges returns the edges of picture i of a set, (N, channels, height, width) of bytes.
func (s *Set) edges(pixels []byte, i int) *tilenames.Edges {
	e, high, wide := &tilenames.Edges{}, s.shape[1], s.shape[2]
	for c := range s.shape[0] {
		plane := pixels[(i*s.shape[0]+c)*high*wide:][:high*wide]
		e.Top = append(e.Top, plane[:wide]...)
		e.Bottom = append(e.Bottom, plane[len(plane)-wide:]...)
		for at := 0; at < len(plane); at += wide {
			e.Left, e.Right = append(e.Left, plane[at]), append(e.Right, plane[at+wide-1])
		}
	}
	return e
}

// appendPicture appends the pixels of a picture, and returns its notes. The decoded picture is not
// kept.
func appendPicture(
	pixels []byte, f File, channels int, l Limits,
) (_ []byte, notes []string, err error) {
	p, err := f.picture(l)
	if err != nil {
		return nil, nil, err
	}
	if err := l.reserve(f.Name, p.bytes); err != nil {
		return nil, nil, err
	}
	defer l.Memory.Release(p.bytes)
	img, err := p.decode()
	if err != nil {
		return nil, nil, err
	}
	return appendPlanes(pixels, onWhite(img), img.Bounds(), channels), p.notes, nil
}

// commonShape returns the shape of the array of all pictures, without decoding them.
func commonShape(files []File, o Options, l Limits) ([]int, error) {
	total := int64(0)
	grey := true // all pictures are grey, so that one channel holds all of them
	var width, height int
	for i, f := range files {
		if total += int64(len(f.Data)); total > l.Bytes {
			return nil, l.bytes(f.Name+" and the files before it", total)
		}
		p, err := f.picture(l)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			width, height = p.width, p.height
		}
		if p.width != width || p.height != height {
			return nil, bad(f.Name, "it has %d x %d pixels and %s has %d x %d; all pictures "+
				"of a bag must have the same size", p.width, p.height, files[0].Name, width, height)
		}
		grey = grey && p.grey
	}
	channels, err := channelsOf(files[0].Name, o.InstanceShape)
	if err != nil {
		return nil, err
	}
	if channels == 0 {
		channels = 3
		if grey {
			channels = 1
		}
	}
	return []int{len(files), channels, height, width}, nil
}

// isGrey reports whether a colour model has only greys.
func isGrey(m color.Model) bool {
	if p, ok := m.(color.Palette); ok {
		return !slices.ContainsFunc(p, func(c color.Color) bool {
			r, g, b, _ := c.RGBA()
			return r != g || g != b
		})
	}
	return m == color.GrayModel || m == color.Gray16Model
}

// naturalOrder compares names. Runs of digits compare as numbers of any length, without leading
// zeros; names that differ only in these are in the order of their bytes.
func naturalOrder(first, second string) int {
	a, b := first, second
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m == 0 || n == 0 {
			if a[0] != b[0] {
				return int(a[0]) - int(b[0])
			}
			m, n = 1, 1
		} else {
			x, y := strings.TrimLeft(a[:m], "0"), strings.TrimLeft(b[:n], "0")
			if c := cmp.Or(len(x)-len(y), strings.Compare(x, y)); c != 0 {
				return c
			}
		}
		a, b = a[m:], b[n:]
	}
	return cmp.Or(len(a)-len(b), strings.Compare(first, second))
}

// digits returns the number of digits at the start of s.
func digits(s string) int {
	n := strings.IndexFunc(s, func(c rune) bool { return c < '0' || c > '9' })
	if n < 0 {
		return len(s)
	}
	return n
}
