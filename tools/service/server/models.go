package server

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/service/oip"
	"github.com/bagscope/bagscope/tools/service/query"
)

// Models are those that requests may name instead of sending them. A name is a key of a table that is made once: nothing
// of a request ever becomes a path.
type Models struct {
	names  []string
	byName map[string]*registered
}

// A registered model was opened when the server began.
type registered struct {
	name   string
	engine query.Engine
	again  func() (query.Engine, error)
}

// A Processor says where bags are encoded; the zero value is the CPU.
type Processor struct {
	Device onnxbackend.Device
	Always bool // whatever it can compute, whether that pays or not
}

var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// OpenModels opens every .onnx file of a folder, with the card and the tensors beside it, as the command line does. A
// model's name is its file's without the ending. A file that cannot be opened is an error that names it.
func OpenModels(folder string, l Limits, on Processor) (*Models, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("the folder of models %s cannot be read: %w", folder, err)
	}
	defer root.Close()
	files := root.FS()
	list, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, fmt.Errorf("the folder of models %s cannot be read: %w", folder, err)
	}
	m := &Models{byName: map[string]*registered{}}
	for _, entry := range list {
		name, ok := strings.CutSuffix(entry.Name(), ".onnx")
		if !ok || entry.IsDir() {
			continue
		}
		if !goodName.MatchString(name) {
			return nil, fmt.Errorf("%s: a model that can be asked for has a name of letters, digits, dots, dashes and underscores; rename the file", path.Join(folder, entry.Name()))
		}
		one, err := register(files, folder, entry.Name(), l, on)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(folder, entry.Name()), err)
		}
		one.name = name
		m.names, m.byName[name] = append(m.names, name), one
	}
	slices.Sort(m.names)
	return m, nil
}

func register(files fs.FS, folder, file string, l Limits, on Processor) (*registered, error) {
	data, err := fs.ReadFile(files, file)
	if err != nil {
		return nil, err
	}
	card, err := fs.ReadFile(files, strings.TrimSuffix(file, ".onnx")+".bagscope.json")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	limits := l.withDefaults().models()
	limits.ModelBytes = 0 // the file is ours
	open := func(files fs.FS) (query.Engine, error) {
		return onnxbackend.Open(data, onnxbackend.Options{
			Name: file, Card: card, External: onnxbackend.ExternalFS(files), Limits: limits, Workers: l.withDefaults().Workers,
			Device: on.Device, DeviceAlways: on.Always,
		})
	}
	engine, err := open(files)
	if err != nil {
		return nil, err
	}
	one := &registered{engine: engine}
	if engine.Info().Output == "" {
		one.again = func() (query.Engine, error) {
			root, err := os.OpenRoot(folder)
			if err != nil {
				return nil, err
			}
			defer root.Close()
			return open(root.FS())
		}
	}
	return one, nil
}

// With adds a model that runs elsewhere, under the name that it has there, to those of m, which may be nil.
func (m *Models) With(elsewhere *oip.Model) (*Models, error) {
	name := elsewhere.Info().Name
	if !goodName.MatchString(name) {
		return nil, fmt.Errorf("the model %q of another server has a name that no request may have: letters, digits, dots, dashes and underscores", name)
	}
	out := &Models{names: []string{name}, byName: map[string]*registered{}}
	if m != nil {
		out.names = append(out.names, m.names...)
		maps.Copy(out.byName, m.byName)
	}
	if out.byName[name] != nil {
		return nil, fmt.Errorf("there are two models %q", name)
	}
	one := &registered{name: name, engine: elsewhere}
	if elsewhere.Info().Output == "" {
		one.again = func() (query.Engine, error) { return elsewhere.Anew() }
	}
	out.byName[name] = one
	slices.Sort(out.names)
	return out, nil
}

// open returns the model. One whose file does not tell which output has the class scores lets its first bag decide: it
// is opened anew for every request, so that no stranger's bag decides for another's.
func (r *registered) open() (query.Engine, error) {
	if r.again != nil {
		return r.again()
	}
	return r.engine, nil
}

// find returns the model of a name.
func (m *Models) find(name string) (*registered, error) {
	if m != nil {
		if one, ok := m.byName[name]; ok {
			return one, nil
		}
	}
	return nil, problem("unknown", "there is no model of that name; /v1/models lists those there are")
}

// The JSON of /v1/models.
type (
	modelList struct {
		Models []modelRow `json:"models"`
	}
	modelRow struct {
		Name         string       `json:"name"`
		SHA256       string       `json:"sha256"`
		Opset        int          `json:"opset"`
		Parameters   int          `json:"parameters"`
		Inputs       []query.Port `json:"inputs"`
		Outputs      []query.Port `json:"outputs"`
		InstanceAxis int          `json:"instance_axis"`
		Output       string       `json:"output"` // with the class scores; "" until a bag tells
		Classes      []string     `json:"classes"`
		Negative     int          `json:"negative"`
		Scale        core.Scale   `json:"scale"`
		Inherent     string       `json:"inherent"`
		Notes        []string     `json:"notes"`
	}
)

func (m *Models) list() *modelList {
	out := &modelList{Models: []modelRow{}}
	if m == nil {
		return out
	}
	for _, name := range m.names {
		i := m.byName[name].engine.Info()
		out.Models = append(out.Models, modelRow{
			Name: name, SHA256: i.SHA256, Opset: i.Opset, Parameters: i.Parameters,
			Inputs: query.Ports(i.Inputs), Outputs: query.Ports(i.Outputs), InstanceAxis: i.InstanceAxis, Output: i.Output,
			Classes: query.List(i.Classes), Negative: i.Negative, Scale: i.Scale, Inherent: i.Inherent, Notes: query.List(i.Notes),
		})
	}
	return out
}
