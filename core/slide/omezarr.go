package slide

import (
	"archive/zip"
	"cmp"
	"errors"
	"image"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/core/internal/zarr"
	"github.com/bagscope/bagscope/core/internal/zipfile"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

// zarrDocuments are the files of a folder that describe an OME-Zarr picture, of versions 0.5 and
// 0.4.
var zarrDocuments = []string{"zarr.json", ".zattrs"}

// mostDocument bounds the bytes of such a file.
const mostDocument = 1 << 20

// Bounds of a zip archive of chunks, each of which is a member.
const (
	mostMembers    = 1 << 19
	directoryBytes = 64 << 20
)

// IsZarr reports whether a file is an OME-Zarr picture: a zip archive of a store, or the document
// of a folder that is one, zarr.json or .zattrs. It reads the directory of an archive, in m.
func IsZarr(name string, r io.ReaderAt, size int64, m *quota.Memory) bool {
	c := &container{name: name, r: r, size: size, memory: m}
	work := &workspace{container: c}
	defer work.end()
	if isZarrDocument(name) {
		if size > mostDocument || work.take(size) != nil {
			return false
		}
		data := make([]byte, size)
		return c.read(data, 0) == nil && isOMEZarr(data)
	}
	files, err := c.zipped(work)
	return err == nil && files != nil && ZarrIn(files) != ""
}

// InSeveralFiles reports whether a slide has pixels in other files than the one that is opened: a
// Deep Zoom picture, a slide of DICOM, or an OME-Zarr picture in a folder.
func InSeveralFiles(name string, r io.ReaderAt, size int64) bool {
	return IsDZI(name) || IsDICOM(name, r, size) ||
		isZarrDocument(name) && IsZarr(name, r, size, nil)
}

func isZarrDocument(name string) bool { return slices.Contains(zarrDocuments, path.Base(name)) }

// ZarrIn returns the name of the document of a folder that is an OME-Zarr picture, or "".
func ZarrIn(folder fs.FS) string {
	for _, name := range zarrDocuments {
		info, err := fs.Stat(folder, name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > mostDocument {
			continue
		}
		if data, err := fs.ReadFile(folder, name); err == nil && isOMEZarr(data) {
			return name
		}
	}
	return ""
}

// omeKeys are the keys of an OME-Zarr group that is a picture or holds pictures.
var omeKeys = []string{"multiscales", "bioformats2raw.layout", "plate", "well"}

// isOMEZarr reports whether a document is that of such a group.
func isOMEZarr(data []byte) bool {
	v, err := fastjson.ParseBytes(data)
	if err != nil {
		return false
	}
	if attributes := v.Get("attributes"); attributes != nil {
		v = attributes
	}
	ome := omeOf(v)
	return slices.ContainsFunc(omeKeys, func(key string) bool { return ome.Exists(key) })
}

// omeOf returns what attributes state of a picture: they themselves in version 0.4, and their key
// "ome" in 0.5.
func omeOf(attributes *fastjson.Value) *fastjson.Value {
	if ome := attributes.Get("ome"); ome != nil {
		return ome
	}
	return attributes
}

// zipped returns the store in a zip archive, or nil for a file that is none. Its directory takes
// memory of work.
func (c *container) zipped(work *workspace) (fs.FS, error) {
	files, err := c.archive(work, zarrDocuments...)
	if files == nil || err != nil {
		return nil, err
	}
	root := zarr.Root(files)
	if root == "" || root == "." {
		return files, nil
	}
	return fs.Sub(files, root)
}

// archive returns the zip archive that a file is if its directory has one of some texts, or nil.
func (c *container) archive(work *workspace, texts ...string) (*zip.Reader, error) {
	head := make([]byte, min(4, c.size))
	if err := c.read(head, 0); err != nil || string(head) != "PK\x03\x04" {
		return nil, err
	}
	source := zipfile.Source{Size: c.size, Fill: c.read}
	// Most archives are no slides, and their directories are not read for that.
	if named, err := source.Names(directoryBytes, texts...); err != nil || !named {
		return nil, err
	}
	files, err := zipfile.Open(source, zipfile.Bounds{
		Members: mostMembers, Bytes: directoryBytes, Reserve: work.take})
	var format *zipfile.FormatError
	if errors.As(err, &format) {
		return nil, &FormatError{c.name, format.Reason, format.Err}
	}
	return files, err
}

// A zarrStore is the store of an OME-Zarr picture.
type zarrStore struct {
	*container
	files  fs.FS
	limits zarr.Limits
}

// openZarr reads an OME-Zarr picture of version 0.1 to 0.5 (https://ngff.openmicroscopy.org): a zip
// archive, or the document of a folder, whose other files o.Beside has. It must have red, green and
// blue of 8 bits, or one channel, in one plane. Of the pictures that bioformats2raw writes, the
// first one is read. Microns of pixels are those of the largest level. Chunks that are not stored
// have the fill value of their array. Errors are those of [Open].
func openZarr(name string, r io.ReaderAt, size int64, o Options) (*Slide, error) {
	c := &container{name: name, r: r, size: size, memory: o.Memory,
		most: cmp.Or(o.Pixels, mostPixels)}
	// The directory of an archive and the documents stay in memory as long as the slide.
	work := &workspace{container: c}
	z := &zarrStore{container: c, files: o.Beside,
		limits: zarr.Limits{Elements: 1 << 50, Bytes: 1 << 40, Reserve: work.take, Apart: true}}
	s := &Slide{name: name, Format: "OME-Zarr", most: c.most, blocks: newPixelCache(c.memory)}
	err := z.open(work)
	if err == nil {
		err = s.readZarr(z)
	}
	if err == nil {
		err = s.order()
	}
	if err != nil {
		work.end()
		return nil, err
	}
	return s, nil
}

// open opens the store in an archive.
func (z *zarrStore) open(work *workspace) (err error) {
	if !isZarrDocument(z.name) {
		z.files, err = z.zipped(work)
	}
	if z.files == nil && err == nil {
		err = bad(z.name, "an OME-Zarr picture is the folder of this file, which cannot be "+
			"opened here; Python packs it into one file: python3 -c \"import shutil; "+
			"shutil.make_archive('slide.zarr', 'zip', 'FOLDER')\"")
	}
	return err
}

// node returns a group or an array of the store.
func (z *zarrStore) node(at string) (*zarr.Node, error) {
	n, err := zarr.At(z.files, at, z.limits)
	return n, z.error(err)
}

// error returns an error of the store in this package's types. Errors of memory stay as they are.
func (z *zarrStore) error(err error) error {
	var format *zarr.FormatError
	var limit *zarr.LimitError
	switch {
	case errors.As(err, &format):
		return &FormatError{z.name, msg.Sprintf("as an OME-Zarr picture it cannot be read: %s: %s",
			format.Path, msg.Text(format.Reason)), format.Err}
	case errors.As(err, &limit):
		return bad(z.name, "as an OME-Zarr picture it cannot be read: %s: %s", limit.Path,
			msg.Text(limit.What))
	}
	return err
}

// readZarr reads the picture of a store.
func (s *Slide) readZarr(z *zarrStore) error {
	folder := "."
	root, err := z.node(folder)
	if err != nil {
		return err
	}
	ome := omeOf(root.Document)
	switch {
	case ome.Exists("plate") || ome.Exists("well"):
		return bad(s.name, "it is a plate, which holds pictures in folders of folders; give the "+
			"folder of one picture, such as PLATE.zarr/A/1/0")
	case !ome.Exists("multiscales"): // bioformats2raw
		folder = "0"
		first, err := z.node(folder)
		if err != nil {
			return err
		}
		if ome = omeOf(first.Document); fileExists(z.files, "1") {
			s.notes = append(s.notes, msg.Sprintf("%s holds several pictures; the first one is "+
				"read. For another, give its folder, such as 1.", s.name))
		}
	}
	p := &omePicture{zarrStore: z, folder: folder, about: ome.Get("multiscales", "0")}
	if p.about == nil {
		return bad(s.name, "its group %s does not list the levels of a picture", folder)
	}
	if err := p.readAxes(); err != nil {
		return err
	}
	if err := s.addZarrLevels(p); err != nil {
		return err
	}
	s.notes = append(s.notes, p.colourNotes(ome)...)
	return nil
}

func fileExists(files fs.FS, name string) bool {
	_, err := fs.Stat(files, name)
	return err == nil
}

// addZarrLevels adds the levels of a picture and the microns of the largest one.
func (s *Slide) addZarrLevels(p *omePicture) error {
	list := p.about.GetArray("datasets")
	if len(list) == 0 {
		return bad(s.name, "its picture has no levels")
	}
	if len(list) > mostLevels {
		return bad(s.name, "it has more than %d levels", mostLevels)
	}
	widest := 0
	for i, about := range list {
		l, err := p.level(i, path.Join(p.folder, string(about.GetStringBytes("path"))))
		if err != nil {
			return err
		}
		if l.width > widest {
			widest = l.width
			s.MicronsX, s.MicronsY = p.microns(about, p.x), p.microns(about, p.y)
			if s.MicronsX == 0 || s.MicronsY == 0 {
				s.MicronsX, s.MicronsY = 0, 0
			}
		}
		s.Levels = append(s.Levels, Level{Width: l.width, Height: l.height,
			TileWidth: l.block.X, TileHeight: l.block.Y, layout: l.layout})
	}
	return nil
}

// An omePicture is what a store states of a picture.
type omePicture struct {
	*zarrStore
	folder string
	about  *fastjson.Value // an entry of multiscales
	axes   []string        // names of the axes; nil before version 0.3
	units  []string        // their units, or ""
	c      int             // number of the axis of channels, or -1
	y, x   int
}

// readAxes reads the names and units of the axes. Version 0.3 has no units, and before it the axes
// were time, channel, z, y and x.
func (p *omePicture) readAxes() error {
	for _, a := range p.about.GetArray("axes") {
		name := string(a.GetStringBytes("name"))
		if text, err := a.StringBytes(); err == nil {
			name = string(text)
		}
		p.axes = append(p.axes, name)
		p.units = append(p.units, string(a.GetStringBytes("unit")))
	}
	if len(p.axes) == 0 {
		p.axes, p.units = []string{"t", "c", "z", "y", "x"}, make([]string, 5)
	}
	at := func(name string) int { return slices.Index(p.axes, name) }
	if p.c, p.y, p.x = at("c"), at("y"), at("x"); p.x < 0 || p.y < 0 {
		return bad(p.name, "its picture has no axes y and x")
	}
	return nil
}

// micronsOf has the microns of the units of lengths that OME-Zarr names.
var micronsOf = map[string]float64{"angstrom": 1e-4, "nanometer": 1e-3, "micrometer": 1,
	"micron": 1, "um": 1, "µm": 1, "millimeter": 1e3, "centimeter": 1e4, "meter": 1e6}

// microns returns the microns that a pixel of a level covers along an axis: the product of the
// scales of the level and of the picture. It returns 0 if the store does not state them.
func (p *omePicture) microns(level *fastjson.Value, axis int) float64 {
	size, stated := micronsOf[p.units[axis]], false
	for _, of := range []*fastjson.Value{level, p.about} {
		for _, t := range of.GetArray("coordinateTransformations") {
			if scale := t.GetArray("scale"); len(scale) == len(p.axes) {
				size *= scale[axis].GetFloat64()
				stated = true
			}
		}
	}
	if !stated || !(size > 0) || math.IsInf(size, 1) {
		return 0
	}
	return size
}

// level reads the description of a level.
func (p *omePicture) level(number int, at string) (*zarrLevel, error) {
	node, err := p.node(at)
	if err != nil {
		return nil, err
	}
	what := msg.Sprintf("level %d", number)
	a := node.Array
	if a == nil || len(a.Shape) != len(p.axes) {
		return nil, bad(p.name, "%s is no array of %d axes", what, len(p.axes))
	}
	if err := p.supported(a, at); err != nil {
		return nil, err
	}
	const most = 1<<31 - 1
	wide, high := a.Shape[p.x], a.Shape[p.y]
	if wide < 1 || high < 1 || wide > most || high > most {
		return nil, bad(p.name, "%s has %d x %d pixels", what, wide, high)
	}
	unit := a.Unit()
	bytes := int64(1)
	for _, n := range unit {
		if bytes *= int64(n); bytes > 4*p.most || int64(unit[p.x])*int64(unit[p.y]) > p.most {
			return nil, &LimitError{p.name, "a chunk of " + what, int64(unit[p.x]),
				int64(unit[p.y]), p.most, p.asTIFF(a, at)}
		}
	}
	l := &zarrLevel{picture: p, array: a, layout: &layout{
		directory: &directory{container: p.container}, what: what, width: wide, height: high,
		block: image.Pt(unit[p.x], unit[p.y]), tiled: true, samples: p.channels(a.Shape), bits: 8,
		photometric: isRGB}}
	if l.samples == 1 {
		l.photometric = blackIsZero
	}
	l.tile = l.decode
	return l, nil
}

// channels returns the number of channels of a shape.
func (p *omePicture) channels(shape []int) int {
	if p.c < 0 {
		return 1
	}
	return shape[p.c]
}
