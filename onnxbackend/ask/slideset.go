package ask

import (
	"context"
	"fmt"
	"image"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
)

// Slides make bags of whole slides for models that take features.
type Slides struct {
	Encoder *onnxbackend.Encoder // nil for a model that encodes pictures itself, see Lay.Streams
	Lay     Lay
	// Beside has the files beside the slide, among them the folder of tiles of a Deep Zoom picture
	// and the other files of a slide of DICOM; nil if there is none.
	Beside fs.FS
	// Noted gets what may be wrong with the features before patches are encoded; nil gets nothing.
	Noted func(notes []string)
	// Progress gets the number of patches that are encoded; nil reports nothing.
	Progress func(done, total int)
	// Again opens the file of the slide once more, to read patches of the bag; nil if the first
	// reader stays open.
	Again func(ctx context.Context) (r io.ReaderAt, done func(), err error)
	// Keep returns where features are kept that are encoded, so that a later process goes on. Those
	// of another description must not be used. Nil keeps nothing.
	Keep func(description []byte) Keeper
}

// A Keeper stores features where a later process finds them.
type Keeper = patches.Keeper

// Reader returns bagio.Options.Slide for a model: it encodes the patches of a slide in a stream.
// Errors are those of Lay.Options and of package patches, and a *core.SettingError if the model
// takes another number of features than the encoder returns, which the first patch shows.
func (s Slides) Reader(
	ctx context.Context, m Engine,
) func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
	return func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
		set, err := s.set(ctx, m, name, r, size)
		if err != nil && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return set, err
	}
}

func (s Slides) set(
	ctx context.Context, m Engine, name string, r io.ReaderAt, size int64,
) (*bagio.Set, error) {
	o, err := s.Lay.Options(s.Encoder, m)
	if err != nil {
		return nil, err
	}
	file := &slideFile{ReaderAt: r, again: s.Again}
	p, err := s.Lay.Open(ctx, name, name, file, size, s.Beside, o)
	if err != nil {
		return nil, err
	}
	if s.Encoder != nil {
		err = s.check(ctx, p, m.Info())
	} else {
		s.Encoder, err = split(ctx, m, o)
	}
	if err != nil {
		return nil, err
	}
	keeper, err := s.keeper(p)
	if err != nil {
		return nil, err
	}
	pixels := append(p.Notes(), s.Encoder.PixelNotes(p.PictureShape())...)
	if s.Noted != nil && len(pixels) > 0 {
		s.Noted(pixels)
	}
	bag, err := p.FeaturesKept(ctx, s.Encoder, keeper, s.Progress)
	if err != nil {
		return nil, err
	}
	bag.Pictures = slidePictures{bag.Pictures, file}
	notes := slices.Concat([]string{s.note(p)}, pixels, p.Slide.ViewNotes())
	set := bagio.SetOf(bag, image.Image(p.Overview), notes...)
	if s.Encoder != nil {
		set.WithPlaces(m.Info().Places)
	}
	return set, nil
}

// keeper returns where the features of patches are kept, or nil. The description is that of the
// file of their places.
func (s Slides) keeper(p *patches.Patches) (Keeper, error) {
	if s.Keep == nil {
		return nil, nil
	}
	description, err := p.File(0, core.Setting{Name: "encoder_sha256",
		Value: s.Encoder.Info().SHA256}).Head()
	if err != nil {
		return nil, err
	}
	return s.Keep(description), nil
}

// OpenSlide opens a slide in the Memory of ctx, to look at it. beside is Slides.Beside, tileNames
// Lay.TileNames. Errors are those of package slide.
func OpenSlide(ctx context.Context, name string, r io.ReaderAt, size int64, beside fs.FS,
	tileNames string,
) (*slide.Slide, error) {
	return slide.OpenShown(name, r, size, slide.Options{Memory: quota.MemoryOf(ctx),
		Beside: beside, TileNames: tileNames})
}

// split returns the encoder that a model of pictures contains.
func split(ctx context.Context, m Engine, o patches.Options) (*onnxbackend.Encoder, error) {
	model, local := m.(*onnxbackend.Model)
	if !local {
		return nil, &core.SettingError{Setting: "encoder", Reason: "a model on a server needs " +
			"one for slides"}
	}
	return model.Split(ctx, []int{o.Channels, o.PatchSize, o.PatchSize})
}

// check compares the features of the first patch with the shape that the model takes.
func (s Slides) check(ctx context.Context, p *patches.Patches, info core.ModelInfo) error {
	one, err := p.Bag(ctx, 0, 1)
	if err != nil {
		return err
	}
	features, err := s.Encoder.Encode(ctx, one)
	if err != nil {
		return err
	}
	takes := slices.Clone(info.InstanceShape())
	if len(takes) == 1 && info.Places != nil {
		takes[0] -= 2
	}
	if len(takes) != 1 || takes[0] > 0 && takes[0] != features.Stride() {
		return &core.SettingError{Setting: "encoder", Reason: msg.Sprintf("it returns %d "+
			"features of a patch, but the model takes instances of shape %v",
			features.Stride(), takes)}
	}
	return nil
}

// note says where the patches of a bag lie.
func (s Slides) note(p *patches.Patches) string {
	text := fmt.Sprintf("The bag is %d patches of %d pixels", p.Len(), p.Grid.PatchSize)
	if p.Microns() > 0 {
		text += fmt.Sprintf(" of %.4g µm", p.Microns())
	}
	text += msg.Sprintf(", encoded by %s; tissue: %s", s.Encoder.Info().Name, p.Method())
	if p.Mask != nil && p.Mask.Threshold > 0 {
		text += fmt.Sprintf(" %d", p.Mask.Threshold)
	}
	return text + "."
}

// SlideName returns the name of a slide's bag: its file's without folders and ending.
func SlideName(file string) string {
	base := path.Base(strings.ReplaceAll(file, "\\", "/"))
	if name := strings.TrimSuffix(base, path.Ext(base)); name != "" {
		return name
	}
	return base
}
