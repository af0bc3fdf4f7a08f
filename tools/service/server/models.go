package server

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// Models are the registered models, which requests can name instead of sending a model. A name is a
// key of a fixed table, so that no part of a request becomes a path.
type Models struct {
	// names are sorted.
	names   []string
	byName  map[string]*registered
	skipped []error // errors of files that cannot be served
	// encoders of slides, by the names that cards give them
	encoders map[string]openEncoder
}

// A registered model was opened when the server started.
type registered struct {
	name   string
	engine ask.Engine
	// reopen opens another copy of the model, with shuffled weights if r says so.
	reopen func(m *quota.Memory, r onnxbackend.Randomize) (ask.Engine, error)
}

// A Processor is the processor that encodes bags. The zero value is the CPU.
type Processor struct {
	Device onnxbackend.Device
	Always bool // use the device for everything that it can compute
}

// goodName matches names that need no escape in a URL and are not hidden files.
var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// OpenModels opens every .onnx file of a folder, with its card and external tensors, as the command
// line does. The name of a model is its file name without the extension. A file that cannot be
// opened, or a link that leaves the folder, does not keep the others from being served: Skipped
// returns its error, with its name. It is an error if no file can be opened.
func OpenModels(folder string, l Limits, on Processor) (*Models, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, msg.Errorf("the model folder %s cannot be read: %w", folder, err)
	}
	defer root.Close()
	files := root.FS()
	list, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, msg.Errorf("the model folder %s cannot be read: %w", folder, err)
	}
	m := &Models{byName: map[string]*registered{}, encoders: map[string]openEncoder{}}
	refused := map[string]error{} // (file name) why the model was refused
	for _, entry := range list {
		name, ok := strings.CutSuffix(entry.Name(), ".onnx")
		if !ok || entry.IsDir() {
			continue
		}
		one, err := register(files, folder, entry.Name(), l, on)
		if err == nil {
			one.name = name
			err = m.addEncoder(files, folder, one.engine.Card().Encoder, l, on)
		}
		if err == nil {
			err = m.add(one)
		}
		if err != nil {
			refused[entry.Name()] = err
		}
	}
	for _, file := range slices.Sorted(maps.Keys(refused)) {
		if m.encoders[file] == nil { // an encoder is no model of bags
			m.skipped = append(m.skipped, msg.Errorf("%s: %w", path.Join(folder, file),
				refused[file]))
		}
	}
	if len(m.names) == 0 && len(m.skipped) > 0 {
		return nil, errors.Join(m.skipped...)
	}
	return m, nil
}

// Skipped returns an error for each file of the folder that cannot be served. m can be nil.
func (m *Models) Skipped() []error {
	if m == nil {
		return nil
	}
	return m.skipped
}

// add adds a model. Its name becomes part of URLs and must be unique.
func (m *Models) add(one *registered) error {
	if !goodName.MatchString(one.name) {
		return msg.Errorf("the name of a model must consist of letters, digits, dots, dashes and "+
			"underscores, but it is %q; rename the model", one.name)
	}
	if m.byName[one.name] != nil {
		return msg.Errorf("two models have the name %q; rename one", one.name)
	}
	m.names, m.byName[one.name] = append(m.names, one.name), one
	slices.Sort(m.names)
	return nil
}

// readRegular reads a regular file into m. A pipe would keep the server from starting, and a device
// can have no end.
func readRegular(m *quota.Memory, files fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(files, name)
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return nil, failed.Err // without the name of a system call
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return m.ReadAll(f, info.Size(), "the file of a registered model")
}

// publishedBeside returns the configurations of other libraries beside a model file that has no
// card of its own.
func publishedBeside(
	m *quota.Memory, files fs.FS, model string, card []byte,
) ([]onnxbackend.Published, error) {
	if card != nil {
		return nil, nil
	}
	return onnxbackend.FindPublished(model, func(name string) ([]byte, error) {
		info, err := fs.Stat(files, name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > onnxbackend.MaxCard {
			return nil, fs.ErrNotExist
		}
		return readRegular(m, files, name)
	})
}

// register opens a model file with its card. Files of the operator have no size limit.
func register(
	files fs.FS, folder, file string, l Limits, on Processor,
) (_ *registered, err error) {
	// The limits of a run also apply to models of the operator.
	l = l.withDefaults()
	memory := l.part() // of a model that can be opened, it is never closed
	defer func() {
		if err != nil {
			memory.Close()
		}
	}()
	// The bytes stay in memory, because a model may be opened again for each request.
	data, err := readRegular(memory, files, file)
	if err != nil {
		return nil, err
	}
	card, err := readRegular(memory, files, strings.TrimSuffix(file, ".onnx")+".bagscope.json")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, msg.Errorf("its card: %w", err)
	}
	published, err := publishedBeside(memory, files, file, card)
	if err != nil {
		return nil, err
	}
	// Every copy uses the same bytes of the model.
	open := func(
		files fs.FS, m *quota.Memory, r onnxbackend.Randomize,
	) (ask.Engine, error) {
		limits := l.models(m)
		limits.ModelBytes = 0
		return onnxbackend.Open(data, onnxbackend.Options{
			Name: file, Card: card, Published: published,
			External: onnxbackend.ExternalFS(files), Limits: limits, Workers: l.Workers,
			Device: on.Device, DeviceAlways: on.Always, Randomize: r,
		})
	}
	engine, err := open(files, memory, onnxbackend.Randomize{})
	if err != nil {
		return nil, err
	}
	reopen := func(m *quota.Memory, r onnxbackend.Randomize) (ask.Engine, error) {
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return open(root.FS(), m, r)
	}
	return &registered{engine: engine, reopen: reopen}, nil
}

// With returns m with a model on another server, under its name on that server. m can be nil and
// does not change.
func (m *Models) With(remote *oip.Model) (*Models, error) {
	out := &Models{byName: map[string]*registered{}}
	if m != nil {
		out.names = slices.Clone(m.names)
		maps.Copy(out.byName, m.byName)
		out.skipped, out.encoders = m.skipped, m.encoders
	}
	return out, out.add(&registered{name: remote.Info().Name, engine: remote,
		reopen: func(*quota.Memory, onnxbackend.Randomize) (ask.Engine, error) {
			return remote.Anew()
		}})
}

// open returns the model. If the first bag determines which output has the class scores, open
// returns a new copy for every request, so that one client's bag has no influence on another
// client. m reserves the copy.
func (r *registered) open(m *quota.Memory) (ask.Engine, error) {
	if r.engine.Info().Output == "" {
		return r.reopen(m, onnxbackend.Randomize{})
	}
	return r.engine, nil
}

// find returns the model with this name.
func (m *Models) find(name string) (*registered, error) {
	if m != nil {
		if one, ok := m.byName[name]; ok {
			return one, nil
		}
	}
	return nil, problem("unknown", "the model does not exist; /v1/models lists the models")
}

// The JSON of /v1/models.
type (
	// modelList is the whole response.
	modelList struct {
		Models []modelRow `json:"models"`
	}
	// modelRow describes one model.
	modelRow struct {
		Name         string     `json:"name"`
		SHA256       string     `json:"sha256"`
		Opset        int        `json:"opset"`
		Parameters   int        `json:"parameters"`
		Inputs       []ask.Port `json:"inputs"`
		Outputs      []ask.Port `json:"outputs"`
		InstanceAxis int        `json:"instance_axis"`
		// Covariates are further inputs, whose values each bag may state.
		Covariates []ask.Covariate `json:"covariates"`
		// Output is the name of the output with the class scores, or "" if a bag must determine it.
		Output   string     `json:"output"`
		Classes  []string   `json:"classes"`
		Negative int        `json:"negative"`
		Scale    core.Scale `json:"scale"`
		Heads    []ask.Head `json:"heads,omitempty"`
		Inherent string     `json:"inherent"`
		Notes    []string   `json:"notes"`
	}
)

// list returns the JSON of all models, in the order of their names. m can be nil.
func (m *Models) list() *modelList {
	if m == nil {
		return &modelList{Models: []modelRow{}}
	}
	return &modelList{ask.ListOf(m.names, func(name string) modelRow {
		i := m.byName[name].engine.Info()
		return modelRow{
			Name: name, SHA256: i.SHA256, Opset: i.Opset, Parameters: i.Parameters,
			Inputs: ask.Ports(i.Inputs), Outputs: ask.Ports(i.Outputs),
			InstanceAxis: i.InstanceAxis, Covariates: ask.Covariates(i.Covariates),
			Output:  i.Output,
			Classes: ask.List(i.Classes), Negative: i.Negative, Scale: i.Scale,
			Heads: ask.Heads(i.Heads), Inherent: i.Inherent, Notes: ask.List(i.Notes),
		}
	})}
}
