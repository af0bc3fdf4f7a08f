package synthetic

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/msg"
)

// Options say what a cohort is.
type Options struct {
	Layout   string // one of Layouts
	Slides   int    // LeastSlides to MostSlides; those of odd numbers have lesions
	Features int    // features of a patch, 1 to MostFeatures
	Seed     uint64
}

// The sizes of cohorts. With LeastSlides each part of the split has slides of both kinds.
const (
	LeastSlides  = 8
	MostSlides   = 1000
	MostFeatures = 4096
)

// A layout is how a tool names its files.
type layout struct {
	name     string
	form     bagio.FeatureForm
	slides   string // folder of slides
	prefix   string // names of slides begin with it
	features string // folder of features
	coords   string // path of the coordinates alone, with %s for the slide; "" for none
	tables   func(list []row) map[string][][]string
	folds    string // path of the folds of a cross-validation; "" for none
}

// layouts are those of TRIDENT and CLAM, as they were in 2025, STAMP 2 and CAMELYON16, which has no
// features of its own.
var layouts = []layout{
	{"trident", bagio.FormTRIDENT, "slides", "sim", "job/10x_128px_0px_overlap/features_sim",
		"job/10x_128px_0px_overlap/patches/%s_patches.h5", clamTables, ""},
	{"clam", bagio.FormCLAM, "slides", "sim", "features/h5_files", "patches/%s.h5", clamTables, ""},
	{"stamp", bagio.FormSTAMP, "slides", "sim", "features", "", stampTables,
		"crossval/splits.json"},
	{"camelyon", bagio.FormTRIDENT, "images", "test", "job/10x_128px_0px_overlap/features_sim", "",
		camelyonTables, ""},
}

// Layouts returns the names of layouts.
func Layouts() (names []string) {
	for _, l := range layouts {
		names = append(names, l.name)
	}
	return names
}

// A row is a slide of the tables.
type row struct {
	name     string
	positive bool
	part     string // train, val or test
}

// check returns a *core.SettingError for an option that is out of range.
func (o Options) check() error {
	for _, n := range []struct {
		name           string
		is, least, top int
	}{{"slides", o.Slides, LeastSlides, MostSlides}, {"features", o.Features, 1, MostFeatures}} {
		if n.is < n.least || n.is > n.top {
			return &core.SettingError{Setting: n.name, Reason: msg.Sprintf(
				"must be from %d to %d; it is %d", n.least, n.top, n.is)}
		}
	}
	if !slices.Contains(Layouts(), o.Layout) {
		return &core.SettingError{Setting: "layout", Reason: msg.Sprintf("%q is none of %s",
			o.Layout, strings.Join(Layouts(), ", "))}
	}
	return nil
}

// Write writes a cohort into a new folder, which gets its name when all files are written: slides
// as TIFF, features, coordinates, tables of labels and splits, annotations of ASAP, and model.onnx,
// which finds the lesions. Equal options give equal bytes. progress is called after each slide. It
// returns a *core.SettingError for invalid options, and an error if the folder exists.
func Write(ctx context.Context, folder string, o Options, progress func(done, all int)) error {
	if err := o.check(); err != nil {
		return err
	}
	if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
		return msg.Errorf("%s exists; remove it or name another folder", folder)
	}
	part, err := os.MkdirTemp(filepath.Dir(folder), filepath.Base(folder)+".*.tmp")
	if err != nil {
		return msg.Errorf("%s cannot be written: %w", folder, err)
	}
	defer os.RemoveAll(part)
	l := layouts[slices.Index(Layouts(), o.Layout)]
	w := writer{folder: part}
	like := drawTissue(rand.New(rand.NewPCG(o.Seed, MostSlides)))
	var list []row
	for i := range o.Slides {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		r := row{fmt.Sprintf("%s_%03d", l.prefix, i+1), i%2 == 0,
			[]string{"train", "train", "val", "test"}[i/2%4]}
		list = append(list, r)
		random := rand.New(rand.NewPCG(o.Seed, uint64(i)))
		s := simulate(r.name, random, r.positive, o.Features, like)
		w.slide(l, s, o.Features)
		progress(i+1, o.Slides)
	}
	for name, rows := range l.tables(list) {
		w.table(name, rows)
	}
	if l.folds != "" {
		w.bytes(l.folds, stampFolds(list))
	}
	w.bytes("model.onnx", model(o.Features))
	if w.err == nil {
		w.err = errors.Join(os.Chmod(part, 0o755), os.Rename(part, folder))
	}
	if w.err != nil {
		return msg.Errorf("%s cannot be written: %w", folder, w.err)
	}
	return nil
}

// slide writes the files of a slide.
func (w *writer) slide(l layout, s *slide, features int) {
	w.file(filepath.Join(l.slides, s.name+".tif"), s.writeTIFF)
	if s.lesions != nil {
		w.bytes(filepath.Join("annotations", s.name+".xml"), asap(s.lesions))
	}
	f := bagio.FeatureFile{Form: l.form, Name: s.name, Corners: s.corners, PatchSize: side,
		Slide: core.Slide{Width: width, Height: height, Magnification: 10, MPP: microns,
			PatchSize: side}}
	if l.coords != "" {
		w.file(fmt.Sprintf(l.coords, s.name), func(to io.Writer) error { return write(to, f, nil) })
	}
	f.Features = features
	w.file(filepath.Join(l.features, s.name+".h5"), func(to io.Writer) error {
		return write(to, f, s.features)
	})
}

// write writes a file of features, or of coordinates alone.
func write(to io.Writer, f bagio.FeatureFile, features []float32) error {
	head, err := f.Head()
	if err != nil {
		return err
	}
	if _, err := to.Write(head); err != nil {
		return err
	}
	return binary.Write(to, binary.LittleEndian, features)
}
