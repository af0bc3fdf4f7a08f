package inspection

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// Found is the JSON of what files of bags hold. It lists no bags and instances, and has nothing
// that identifies a patient in the headers of DICOM files; notes may have names of files.
type Found struct {
	Kind      string       `json:"kind"`
	Bags      int          `json:"bags"`                // 0 for a picture or a slide, not cut
	Instances [2]int       `json:"instances"`           // the fewest and the most of a bag
	Instance  string       `json:"instance"`            // what an instance is called
	Shape     []int        `json:"shape"`               // of an instance, or of a picture
	Raw       bool         `json:"raw"`                 // values are pixels 0 to 255
	Spacing   []ask.Number `json:"spacing,omitempty"`   // mm between rows and between columns
	Thickness ask.Number   `json:"thickness,omitempty"` // mm of a slice
	Classes   map[int]int  `json:"classes,omitempty"`   // bags of each class
	Labelled  bool         `json:"labelled"`            // instances have labels
	Levels    [][2]int     `json:"levels,omitempty"`    // width and height of those of a slide
	MPP       ask.Number   `json:"mpp,omitempty"`       // microns that a pixel of level 0 covers
	// Question says why files can be read in several ways, one of which must be stated.
	Question string   `json:"question,omitempty"`
	Choices  []Choice `json:"choices,omitempty"`
	Notes    []string `json:"notes"`

	instances string // the noun for Instances[1]
}

// A Choice is an option of reading with a value, and what is the case if it is right.
type Choice struct {
	Option  string `json:"option"`
	Value   string `json:"value"`
	Meaning string `json:"meaning"`
}

var errSlide = errors.New("the file is a whole slide")

// Find reads as much of a file or folder of bags as says what it holds, without a model: of DICOM
// series and slides their headers. A file that can be read in several ways is no error.
func Find(ctx context.Context, path string, o bagio.Options) (*Found, error) {
	o.Deferred = true
	o.Slide = func(string, io.ReaderAt, int64) (*bagio.Set, error) { return nil, errSlide }
	set, err := cli.ReadBags(ctx, path, o)
	var question *bagio.QuestionError
	var setting *core.SettingError
	switch {
	case err == nil:
		return ofSet(set)
	case errors.Is(err, errSlide):
		s, file, err := slidefiles.Open(ctx, path, o.TileNames)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return ofSlide(s), nil
	case errors.As(err, &question):
		f := &Found{Question: question.Seen, Notes: []string{}}
		for _, a := range question.Answers {
			f.Choices = append(f.Choices, Choice{question.Option, a.Value, a.Meaning})
		}
		return f, nil
	case errors.As(err, &setting) && setting.Setting == "patch size" && o.Patch.Size == 0:
		return ofPicture(path, o.Limits)
	}
	return nil, err
}

// ofSet describes bags.
func ofSet(set *bagio.Set) (*Found, error) {
	f := &Found{Kind: set.Kind(), Bags: set.Len(), Classes: map[int]int{},
		Notes: ask.List(set.Notes())}
	for i := range set.Len() {
		b, n, err := set.Outline(i)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			f.Shape, f.Raw, f.Instances[0] = ask.List(b.Shape), b.Raw, n
			f.Labelled = b.Labels != nil
			f.sliced(b.Slices)
		}
		noun := core.NounOf(core.Noun{}, b)
		f.Instances = [2]int{min(f.Instances[0], n), max(f.Instances[1], n)}
		f.Instance, f.instances = noun.One, noun.Of(f.Instances[1])
		for _, c := range b.Class {
			f.Classes[c]++
		}
	}
	return f, nil
}

// sliced states the spacing of slices if all have the same.
func (f *Found) sliced(all []core.Slice) {
	if len(all) == 0 || slices.ContainsFunc(all, func(s core.Slice) bool {
		return s.Spacing != all[0].Spacing || s.Thickness != all[0].Thickness
	}) {
		return
	}
	if at := all[0].Spacing; at.Rows > 0 && at.Columns > 0 {
		f.Spacing = []ask.Number{ask.Number(at.Rows), ask.Number(at.Columns)}
	}
	f.Thickness = ask.Number(all[0].Thickness)
}

// ofSlide describes a whole slide.
func ofSlide(s *slide.Slide) *Found {
	f := &Found{Kind: s.Format, Raw: true,
		MPP: ask.Number(s.MicronsX), Notes: ask.List(s.PageNotes())}
	for _, l := range s.Levels {
		f.Levels = append(f.Levels, [2]int{l.Width, l.Height})
	}
	if !strings.HasPrefix(s.Format, "TIFF") { // any picture may be one
		f.Kind = msg.Sprintf("%s slide", s.Format)
	}
	if s.MicronsX == 0 {
		f.Notes = append(f.Notes, "It does not state the microns of its pixels; --slide-mpp does.")
	}
	if slices.ContainsFunc(s.Associated, slide.Associated.Private) {
		f.Notes = append(f.Notes, "It holds a picture of the glass, which may show a name and is "+
			"not used.")
	}
	return f
}

// ofPicture describes a picture, which no option cuts.
func ofPicture(path string, l bagio.Limits) (*Found, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, msg.Errorf("%s cannot be read: %w", path, err)
	}
	defer file.Close()
	base, size, err := slidefiles.Regular(file, path)
	if err != nil {
		return nil, err
	}
	kind, pixels, notes, err := bagio.PictureOf(bagio.File{Name: base, Reader: file, Size: size}, l)
	if err != nil {
		return nil, err
	}
	return &Found{Kind: kind, Shape: []int{pixels.Y, pixels.X}, Notes: append(notes,
		"A bag has its patches; --patch-size or the model states their side.")}, nil
}

// WriteText appends a line for each property, and all notes.
func (f *Found) WriteText(to *bytes.Buffer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(to, "%-13s %s\n", name, msg.Line(msg.Sprintf(format, args...)))
	}
	line("found", "%s", msg.Text(cmp.Or(f.Kind, f.Question)))
	if f.Bags > 0 {
		line("bags", "%d", f.Bags)
		if f.Instances[0] < f.Instances[1] {
			line("instances", "%d to %d %s", f.Instances[0], f.Instances[1], msg.Text(f.instances))
		} else {
			line("instances", "%d %s", f.Instances[1], msg.Text(f.instances))
		}
	}
	if f.Shape != nil {
		values := "numbers"
		switch {
		case f.Bags == 0:
			values = "pixels"
		case f.Raw:
			values = "pixels of 0 to 255"
		}
		sides := ask.ListOf(f.Shape, strconv.Itoa)
		line("shape", "%s %s", msg.Text(strings.Join(sides, " x ")), msg.Text(values))
	}
	if f.Spacing != nil {
		line("pixel", "%.4g x %.4g mm", float64(f.Spacing[0]), float64(f.Spacing[1]))
	}
	if f.Thickness > 0 {
		line("thickness", "%.4g mm", float64(f.Thickness))
	}
	for i, l := range f.Levels {
		line("level", "%d: %d x %d pixels", i, l[0], l[1])
	}
	if f.MPP > 0 {
		line("pixel", "%.4g µm", float64(f.MPP))
	}
	for _, class := range slices.Sorted(maps.Keys(f.Classes)) {
		line("class", "%d (bags: %d)", class, f.Classes[class])
	}
	if f.Labelled {
		line("labels", "of instances")
	}
	for _, c := range f.Choices {
		line(ask.CommandLine.State(c.Option, c.Value), "if %s", msg.Text(c.Meaning))
	}
	for _, n := range f.Notes {
		line("note", "%s", msg.Text(n))
	}
}
