package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// ModelFlags hold the path of a model file and its card, or the address of a model on a server,
// and the settings of a run.
type ModelFlags struct {
	RemoteFlags
	Path    string
	folds   []string // paths of further models, see modelPaths
	mean    string   // what the scores of several models are the mean of
	Workers int      // goroutines that encode a bag, 0 for one per processor
	card    string
	via     []string // file that the bag goes through before the model; more are an error
	target  TargetFlags
	inputs  []string // what inputs beside the bag take, NAME=VALUE
	plain   bool     // no passes, the whole graph for every coalition
	work    int      // onnxbackend.Limits.Work, 0 for the default
	device  DeviceFlag
}

// Register adds the flags to a command.
func (f *ModelFlags) Register(c *cobra.Command) {
	c.Flags().Var(modelPaths{f}, "model", "the model: an .onnx file, whose external tensors "+
		"are read from the same folder, or a model on a server, oip+http://HOST[:PORT]/NAME; "+
		"repeat the flag, or name a folder of .onnx files, for models of one task, such as the "+
		"folds of a cross-validation, which are explained as one")
	c.Flags().StringVar(&f.mean, "mean", string(core.MeanLogOdds), "what the class scores of "+
		"several models are the mean of: log-odds or prob")
	c.Flags().StringVar(&f.card, "card", "", "model card, a JSON file that overrides the one "+
		"inside the model, or a configuration of WSInfer, timm, Hugging Face, MONAI or "+
		"TIAToolbox (default NAME.bagscope.json beside the model, else NAME.json, config.json, "+
		"preprocessor_config.json and metadata.json if they are such configurations)")
	c.Flags().StringArrayVar(&f.via, "via", nil, "an .onnx file that the bag goes through before "+
		"--model, such as the encoder of a slide before a head (default: what the model card's "+
		"key via names)")
	f.target.register(c)
	c.Flags().StringArrayVar(&f.inputs, "input", nil, "what an input of the model beside the bag "+
		"takes for all bags, NAME=VALUE: a number, numbers separated by commas, or a role of the "+
		"model card's key inputs; such as age=63, stage=0,0,1, n=count or age=covariate; repeat "+
		"the flag for several inputs (default: what the bag's file states under this name, else "+
		"from the model card)")
	c.Flags().BoolVar(&f.plain, "plain", false, "run the whole unmodified graph for every "+
		"coalition: slow, the reference for the fast evaluation")
	c.Flags().IntVar(&f.work, "max-work", 0,
		"most multiplications or accessed elements in one run of the model (default 2^44)")
	f.device.Register(c)
	f.RemoteFlags.Register(c)
}

// Open opens the model, from a file or on a server.
func (f *ModelFlags) Open(ctx context.Context) (ask.Engine, error) {
	if oip.Is(f.Path) && len(f.folds) == 0 {
		return f.OpenRemote(ctx)
	}
	return f.openAll(ctx, onnxbackend.Randomize{})
}

// OpenFile opens a model file. A model on a server is an error of usage.
func (f *ModelFlags) OpenFile(ctx context.Context) (*onnxbackend.Model, error) {
	if oip.Is(f.Path) {
		return nil, Usagef("--model %s runs on a server, which does not give access to its "+
			"graph; name an .onnx file", f.Path)
	}
	if err := f.One(); err != nil {
		return nil, err
	}
	return f.openAs(ctx, f.plain, onnxbackend.Randomize{})
}

// randomised opens the model file with shuffled weights.
func (f *ModelFlags) randomised(
	ctx context.Context, r onnxbackend.Randomize,
) (core.Model, error) {
	return f.openAll(ctx, r)
}

// OpenPlain opens the model without passes; every evaluation runs the whole graph.
func (f *ModelFlags) OpenPlain(ctx context.Context) (*onnxbackend.Model, error) {
	return f.openAs(ctx, true, onnxbackend.Randomize{})
}

// openAs opens the file with its card and the external tensors beside it, in the Memory of ctx.
func (f *ModelFlags) openAs(
	ctx context.Context, plain bool, r onnxbackend.Randomize,
) (*onnxbackend.Model, error) {
	o, err := f.options(ctx)
	if err != nil {
		return nil, err
	}
	if len(f.via) > 1 {
		return nil, Usagef("--via names %d files; name the last one before the model, whose own "+
			"card can name the one before it (key via)", len(f.via))
	}
	o.Plain, o.Randomize, o.Via = plain, r, strings.Join(f.via, "")
	if o.Inputs, err = inputsCard(f.inputs); err != nil {
		return nil, err
	}
	if f.card != "" {
		if o.Card, err = ReadFile(ctx, f.card); err != nil {
			return nil, err
		}
	}
	m, err := OpenModel(ctx, f.Path, o)
	if err != nil {
		return nil, err
	}
	return f.target.toward(ctx, m)
}

// options returns the settings of runs, in the Memory of ctx.
func (f *ModelFlags) options(ctx context.Context) (o onnxbackend.Options, err error) {
	if f.work < 0 {
		return o, Usagef("--max-work must not be negative; omit it to use the default")
	}
	o = onnxbackend.Options{Workers: f.Workers, Limits: onnxbackend.LimitsIn(quota.MemoryOf(ctx))}
	if f.work > 0 {
		o.Limits.Work = f.work
	}
	o.Device, o.DeviceAlways, err = f.device.Open()
	return o, err
}

// OpenModel opens a model file with the external tensors beside it. Without a name in o the model
// has the file's, and without a card that of the file beside it. Via of o is a path. Files are read
// in the Memory of ctx.
func OpenModel(
	ctx context.Context, path string, o onnxbackend.Options,
) (*onnxbackend.Model, error) {
	return openFile(ctx, path, o, onnxbackend.Open)
}

// openFile is OpenModel for a model or an encoder.
func openFile[M any](ctx context.Context, path string, o onnxbackend.Options,
	open func([]byte, onnxbackend.Options) (M, error),
) (m M, err error) {
	data, err := ReadFile(ctx, path)
	if err != nil {
		return m, err
	}
	if o.Card == nil {
		if o.Card, err = cardBeside(ctx, path); err != nil {
			return m, err
		}
	}
	if o.Card == nil {
		if o.Published, err = publishedBeside(ctx, path); err != nil {
			return m, err
		}
	}
	o.Name = cmp.Or(o.Name, filepath.Base(path))
	// A root confines the paths of external tensors, which the model file chooses, to its folder.
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return m, err
	}
	defer folder.Close()
	o.External = onnxbackend.ExternalFS(folder.FS())
	if o.Via != "" {
		via, err := os.OpenRoot(filepath.Dir(o.Via))
		if err != nil {
			return m, err
		}
		defer via.Close()
		file := filepath.Base(o.Via)
		if _, err := via.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return m, missingFile(o.Via)
		}
		o.Via = file
		o.External = eitherOf(o.Via, onnxbackend.ExternalFS(via.FS()), o.External)
	}
	return open(data, o)
}

// eitherOf finds a file of this name in the first place, and other files where they are.
func eitherOf(name string, first, second onnxbackend.ExternalData) onnxbackend.ExternalData {
	return func(location string, offset, length int64) ([]byte, error) {
		if location == name && length < 0 {
			return first(location, offset, length)
		}
		data, err := second(location, offset, length)
		if errors.Is(err, fs.ErrNotExist) {
			return first(location, offset, length)
		}
		return data, err
	}
}

// ReadCard returns the card named by --card, or the card beside the model, or nil.
func (f *ModelFlags) ReadCard(ctx context.Context) ([]byte, error) {
	if f.card != "" {
		return ReadFile(ctx, f.card)
	}
	if oip.Is(f.Path) {
		return nil, nil // the server sends the card
	}
	return cardBeside(ctx, f.Path)
}

// cardBeside returns the card beside a model file, or nil.
func cardBeside(ctx context.Context, path string) ([]byte, error) {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	data, err := ReadFile(ctx, stem+".bagscope.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// publishedBeside returns the configurations of other libraries beside a model file.
func publishedBeside(ctx context.Context, model string) ([]onnxbackend.Published, error) {
	whole, err := filepath.Abs(model)
	if err != nil {
		return nil, err
	}
	find := func(name string) ([]byte, error) {
		name = filepath.Join(filepath.Dir(model), filepath.FromSlash(name))
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > onnxbackend.MaxCard {
			return nil, fs.ErrNotExist
		}
		return ReadFile(ctx, name)
	}
	return onnxbackend.FindPublished(filepath.ToSlash(whole), find)
}

// BagFlags hold the path of the bags and the options of reading them.
type BagFlags struct {
	Path string
	// NoSlides is the error for a slide whose patches would be encoded, or nil if slides are read.
	NoSlides error
	cut      ask.ReadOptions
	slides   SlideFlags
}

// Register adds the flags to a command. name is the flag of the path, usage its help.
func (f *BagFlags) Register(c *cobra.Command, name, usage string) {
	c.Flags().StringVar(&f.Path, name, "", usage)
	for _, field := range f.cut.Fields() {
		if field.Option.Name != "inputs" { // --input of the model states them
			addOption(c, field.Option.Name, field)
		}
	}
	f.slides.Register(c)
}

// Read reads the bags in the layout of the input of a model, which flags have opened. A flag that
// was not given has the value of the model card, and a folder is one bag of pictures. If there is
// an encoder, the patches of a whole slide are encoded.
func (f *BagFlags) Read(c *cobra.Command, flags *ModelFlags, m ask.Engine) (*bagio.Set, error) {
	o := f.cut.Options(m)
	o.Inputs = statedInputs(flags.inputs, m.Info().Covariates)
	o.Limits = bagio.LimitsIn(quota.MemoryOf(c.Context()))
	encoder := f.slides.besides(flags, m)
	if encoder == "" && !f.slides.lay.Streams(m) {
		return ReadBags(c.Context(), f.Path, o)
	}
	return f.readSlide(c, flags, encoder, m, o)
}

// Options returns the options of reading bags without a model.
func (f *BagFlags) Options(ctx context.Context) bagio.Options {
	o := f.cut.Options(nil)
	o.Limits = bagio.LimitsIn(quota.MemoryOf(ctx))
	return o
}

// TileNames returns --tile-names, or "".
func (f *BagFlags) TileNames() string {
	if f.cut.TileNames == nil {
		return ""
	}
	return *f.cut.TileNames
}

// Origin returns --origin, or "".
func (f *BagFlags) Origin() string {
	if f.cut.Origin == nil {
		return ""
	}
	return *f.cut.Origin
}

// ReadFeatures reads a file of features for a model as Read does, without slides.
func (f *BagFlags) ReadFeatures(
	ctx context.Context, path string, flags *ModelFlags, m ask.Engine,
) (*bagio.Set, error) {
	o := f.cut.Options(m)
	o.Inputs = statedInputs(flags.inputs, m.Info().Covariates)
	o.Limits = bagio.LimitsIn(quota.MemoryOf(ctx))
	return ReadBags(ctx, path, o)
}

// BagUsage is the help of the flag --bag.
var BagUsage = "the bag: a " + bagio.FormatList("or") + " file, or a folder of pictures " +
	"or of a DICOM series"

// OpenBag opens the model and reads bag number index for it. A missing --model or --bag is a usage
// error.
func OpenBag(c *cobra.Command, model *ModelFlags, bags *BagFlags, index int) (*ask.Input, error) {
	if err := Require(c, "model", "bag"); err != nil {
		return nil, err
	}
	m, err := model.Open(c.Context())
	if err != nil {
		return nil, err
	}
	return bags.Select(c, model, m, index)
}

// Select reads the bags and selects bag number index.
func (f *BagFlags) Select(
	c *cobra.Command, flags *ModelFlags, m ask.Engine, index int,
) (*ask.Input, error) {
	set, err := f.Read(c, flags, m)
	if err != nil {
		return nil, err
	}
	if m, err = flags.towardBag(c, f, m); err != nil {
		return nil, err
	}
	in, err := ask.NewInput(c.Context(), m, set, index)
	if err == nil && !oip.Is(flags.Path) {
		in.Randomised = flags.randomised
	}
	return in, err
}
