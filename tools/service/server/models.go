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

// Models are the registered models, which requests can name instead of sending a model. A name is a
// key of a fixed table, so that no part of a request becomes a path.
type Models struct {
	names  []string
	byName map[string]*registered
}

// A registered model was opened when the server started.
type registered struct {
	name   string
	engine query.Engine
	again  func() (query.Engine, error)
}

// A Processor is the processor that encodes bags. The zero value is the CPU.
type Processor struct {
	Device onnxbackend.Device
	Always bool // use the device for everything that it can compute
}

var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// OpenModels opens every .onnx file of a folder, with its card and external tensors, as the command
// line does. The name of a model is its file name without the extension. A file that cannot be
// opened gives an error with its name.
func OpenModels(folder string, l Limits, on Processor) (*Models, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("the model folder %s cannot be read: %w", folder, err)
	}
	defer root.Close()
	files := root.FS()
	list, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, fmt.Errorf("the model folder %s cannot be read: %w", folder, err)
	}
	m := &Models{byName: map[string]*registered{}}
	for _, entry := range list {
		name, ok := strings.CutSuffix(entry.Name(), ".onnx")
		if !ok || entry.IsDir() {
			continue
		}
		if !goodName.MatchString(name) {
			return nil, fmt.Errorf("%s: the name of a model must consist of letters, digits, "+
				"dots, dashes and underscores; rename the file", path.Join(folder, entry.Name()))
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
	limits.ModelBytes = 0 // files of the operator have no limit
	open := func(files fs.FS) (query.Engine, error) {
		return onnxbackend.Open(data, onnxbackend.Options{
			Name: file, Card: card, External: onnxbackend.ExternalFS(files), Limits: limits,
			Workers: l.withDefaults().Workers,
			Device:  on.Device, DeviceAlways: on.Always,
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

// With adds a model on another server to m, under its name on that server. m can be nil.
func (m *Models) With(elsewhere *oip.Model) (*Models, error) {
	name := elsewhere.Info().Name
	if !goodName.MatchString(name) {
		return nil, fmt.Errorf("the model %q of another server cannot be served: its name must "+
			"consist of letters, digits, dots, dashes and underscores", name)
	}
	out := &Models{names: []string{name}, byName: map[string]*registered{}}
	if m != nil {
		out.names = append(out.names, m.names...)
		maps.Copy(out.byName, m.byName)
	}
	if out.byName[name] != nil {
		return nil, fmt.Errorf("two models have the name %q; rename one", name)
	}
	one := &registered{name: name, engine: elsewhere}
	if elsewhere.Info().Output == "" {
		one.again = func() (query.Engine, error) { return elsewhere.Anew() }
	}
	out.byName[name] = one
	slices.Sort(out.names)
	return out, nil
}

// open returns the model. If the first bag determines which output has the class scores, open
// returns a new copy for every request, so that one client's bag has no influence on another
// client.
func (r *registered) open() (query.Engine, error) {
	if r.again != nil {
		return r.again()
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
		// name of the output with the class scores; "" if a bag must determine it
		Output   string     `json:"output"`
		Classes  []string   `json:"classes"`
		Negative int        `json:"negative"`
		Scale    core.Scale `json:"scale"`
		Inherent string     `json:"inherent"`
		Notes    []string   `json:"notes"`
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
			Inputs: query.Ports(i.Inputs), Outputs: query.Ports(i.Outputs),
			InstanceAxis: i.InstanceAxis, Output: i.Output,
			Classes: query.List(i.Classes), Negative: i.Negative, Scale: i.Scale,
			Inherent: i.Inherent, Notes: query.List(i.Notes),
		})
	}
	return out
}
