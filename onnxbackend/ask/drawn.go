package ask

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/annotation"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
)

// A DrawnFile names a file that belongs to a slide, or a folder that has one for each slide.
type DrawnFile struct {
	Path  string // a path in Files, with slashes; "" for none
	Files fs.FS  // nil takes the files beside the slide
}

// mostDrawn bounds the bytes of a file that is read whole.
const mostDrawn = 1 << 30

// read returns the file for a slide in the Memory of ctx, and its name. endings are those of files
// in a folder, after the name of the slide with or without its own ending, in the order of trust.
// It returns a *core.SettingError, which names the setting, for a file that cannot be read.
func (d DrawnFile) read(ctx context.Context, setting, slide string, beside fs.FS,
	endings []string,
) (name string, data []byte, err error) {
	files := d.Files
	if files == nil {
		files = beside
	}
	if files == nil {
		return "", nil, wrong(setting, "it names the file %s beside the slide, but the slide has "+
			"no files beside it here; name a slide in a folder", msg.Quoted(d.Path))
	}
	name = d.Path
	if !fs.ValidPath(name) {
		return "", nil, wrong(setting, "%s is no path of a file in the folder of the slide: it "+
			"must not begin with / nor contain ..", msg.Quoted(name))
	}
	info, err := fs.Stat(files, name)
	if err == nil && info.IsDir() {
		if name, err = d.within(files, slide, endings); err != nil {
			return "", nil, wrong(setting, "the folder %s cannot be read: %v", msg.Quoted(d.Path),
				err)
		}
		if name == "" {
			return "", nil, nil
		}
		info, err = fs.Stat(files, name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, wrong(setting, "there is no file %s", msg.Quoted(name))
	case err != nil:
		return "", nil, wrong(setting, "%s cannot be read: %v", msg.Quoted(name), err)
	case !info.Mode().IsRegular(): // opening a pipe waits for its writer
		return "", nil, wrong(setting, "%s is not a regular file", msg.Quoted(name))
	case info.Size() > mostDrawn:
		return "", nil, wrong(setting, "%s has %d bytes; at most %d are read", msg.Quoted(name),
			info.Size(), mostDrawn)
	}
	if err := quota.MemoryOf(ctx).Reserve(info.Size(), "reading "+path.Base(name)); err != nil {
		return "", nil, err
	}
	f, err := files.Open(name)
	if err != nil {
		return "", nil, wrong(setting, "%s cannot be read: %v", msg.Quoted(name), err)
	}
	defer f.Close()
	data = make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return "", nil, wrong(setting, "%s cannot be read: %v", msg.Quoted(name), err)
	}
	return path.Base(name), data, nil
}

// within returns the path of the file for a slide in the folder d.Path, or "". HistoQC writes a
// folder for each slide, named like its file.
func (d DrawnFile) within(files fs.FS, slide string, endings []string) (string, error) {
	names := []string{slide, SlideName(slide)}
	for _, folder := range append([]string{""}, names...) {
		entries, err := fs.ReadDir(files, path.Join(d.Path, folder))
		if err != nil && folder == "" {
			return "", err
		}
		for _, ending := range endings {
			for _, name := range names {
				if slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
					return e.Name() == name+ending && !e.IsDir()
				}) {
					return path.Join(d.Path, folder, name+ending), nil
				}
			}
		}
	}
	return "", nil
}

// Endings of files in a folder: annotations and masks, before them those of GrandQC, which say what
// is clean, and before these those of HistoQC, which are tissue only.
var (
	areaEndings = []string{".geojson", ".geojson.gz", ".xml", ".annotations", ".png", ".tif",
		".tiff", ".json"}
	excludeEndings = append([]string{"_mask.png", "_MASK.png"}, areaEndings...)
	tissueEndings  = append([]string{"_mask_use.png"}, excludeEndings...)
)

// For returns the annotations of a slide in the folder d, with the name of their file; nil if there
// are none. Errors are those of a file that cannot be read.
func (d DrawnFile) For(ctx context.Context, setting, slide string) (string, []byte, error) {
	return d.read(ctx, setting, slide, nil, areaEndings)
}

// readDrawn reads the tissue and what is excluded of a slide, whose file has a name, into o. A
// folder must have the tissue of every slide; what a folder does not exclude stays. Errors are
// those of annotation.ReadArea, and a *core.SettingError for a file that cannot be read.
func (l Lay) readDrawn(
	ctx context.Context, slide string, beside fs.FS, o *patches.Options,
) error {
	slide = path.Base(strings.ReplaceAll(slide, "\\", "/"))
	area := func(d DrawnFile, setting string, endings []string) (*annotation.Area, error) {
		if d.Path == "" {
			return nil, nil
		}
		name, data, err := d.read(ctx, setting, slide, beside, endings)
		if err != nil || data == nil {
			return nil, err
		}
		return annotation.ReadArea(ctx, name, data)
	}
	var err error
	if o.Drawn, err = area(l.Tissue, "tissue", tissueEndings); err != nil {
		return err
	}
	if l.Tissue.Path != "" && o.Drawn == nil {
		return wrong("tissue", "the folder %s has no file for the slide %s, such as %s or %s",
			msg.Quoted(l.Tissue.Path), msg.Quoted(slide), msg.Quoted(SlideName(slide)+".png"),
			msg.Quoted(slide+"_mask_use.png"))
	}
	excluded, err := area(l.Exclude, "exclude", excludeEndings)
	if excluded != nil {
		o.Excluded = append(o.Excluded, excluded)
	}
	return err
}

// placesEndings are those of files of places: of TRIDENT before features, of CLAM, and of tables.
var placesEndings = []string{"_patches.h5", ".h5", ".hdf5", ".csv", ".tsv", ".npz"}

// readPlaces reads the places of the patches of a slide, whose file has a name, into o. Errors are
// those of bagio.ReadPlaces, and a *core.SettingError for a file that cannot be read and for
// settings of a grid.
func (l Lay) readPlaces(
	ctx context.Context, name string, beside fs.FS, s *slide.Slide, o *patches.Options,
) error {
	if l.Tissue.Path != "" || l.Exclude.Path != "" || l.WholeSlide || l.Threshold != 0 ||
		l.MinTissue != 0 || l.Overlap != nil {
		return wrong("places", "they are exactly those of %s; omit what lays a grid on tissue: "+
			"tissue, exclude, whole-slide, tissue-threshold, min-tissue and overlap",
			msg.Quoted(l.Places.Path))
	}
	name = path.Base(strings.ReplaceAll(name, "\\", "/"))
	file, data, err := l.Places.read(ctx, "places", name, beside, placesEndings)
	if err != nil {
		return err
	}
	if data == nil {
		return wrong("places", "the folder %s has no file for the slide %s, such as %s",
			msg.Quoted(l.Places.Path), msg.Quoted(name), msg.Quoted(SlideName(name)+".h5"))
	}
	o.PlacesFile = file
	o.Places, err = bagio.ReadPlaces(file, data, bagio.Options{
		SlideMPP: cmp.Or(o.SlideMicrons, s.MicronsX, o.UsualMicrons),
		Limits:   bagio.LimitsIn(quota.MemoryOf(ctx))}, name, SlideName(name))
	if err != nil {
		return err
	}
	if o.Microns < 0 {
		if o.Places.Guessed {
			return wrong("mpp", "%s does not state how large a patch is; state how many microns "+
				"a pixel of a patch covers", msg.Quoted(file))
		}
		o.Microns = 0
	}
	return nil
}

// Open opens a slide and lays its patches with the options that l.Options has returned. name is
// that of its file, called the file or folder that the caller named, beside is Slides.Beside.
// Errors are those of packages slide, patches and annotation, those of bagio.ReadPlaces, and a
// *core.SettingError for a file that cannot be read.
func (l Lay) Open(ctx context.Context, called, name string, r io.ReaderAt, size int64,
	beside fs.FS, o patches.Options,
) (*patches.Patches, error) {
	s, err := slide.OpenWith(name, r, size, slide.Options{Memory: quota.MemoryOf(ctx),
		Beside: beside, Bands: o.Bands, TileNames: l.TileNames})
	if err != nil {
		return nil, err
	}
	switch {
	case o.Microns >= 0 || l.Microns != nil || l.Places.Path != "":
	case s.Tiles() != nil:
		o.Microns = 0
	default:
		return nil, wrong("mpp", "neither the options nor a model card (key \"patch\": "+
			"{\"mpp\": 0.5}) state the microns that a pixel of a patch covers; 0 takes the pixels "+
			"of the full resolution")
	}
	read := l.readDrawn
	if l.Places.Path != "" {
		read = func(ctx context.Context, slide string, beside fs.FS, o *patches.Options) error {
			return l.readPlaces(ctx, slide, beside, s, o)
		}
	}
	if err := read(ctx, called, beside, &o); err != nil {
		return nil, err
	}
	return patches.Open(ctx, SlideName(called), s, o)
}
