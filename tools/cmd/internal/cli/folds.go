package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// modelPaths is the value of --model: each use adds a path, and a folder its models.
type modelPaths struct{ f *ModelFlags }

// String implements pflag.Value.
func (v modelPaths) String() string {
	if v.f == nil {
		return ""
	}
	return strings.Join(v.f.paths(), ",")
}

// Type implements pflag.Value.
func (modelPaths) Type() string { return "string" }

// Set implements pflag.Value.
func (v modelPaths) Set(path string) error {
	paths := []string{path}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if paths, err = onnxbackend.Folds(os.DirFS(path)); err != nil {
			return err
		}
		if len(paths) == 0 {
			return Usagef("the folder %s has no .onnx file", path)
		}
		for i, name := range paths {
			paths[i] = filepath.Join(path, name)
		}
	}
	if v.f.Path == "" {
		v.f.Path, paths = paths[0], paths[1:]
	}
	v.f.folds = append(v.f.folds, paths...)
	return nil
}

// paths returns the paths of all models.
func (f *ModelFlags) paths() []string {
	if f.Path == "" {
		return nil
	}
	return append([]string{f.Path}, f.folds...)
}

// One returns an error of usage for several models.
func (f *ModelFlags) One() error {
	if len(f.folds) == 0 {
		return nil
	}
	return Usagef("this command takes one model, but --model names %d; name one .onnx file",
		1+len(f.folds))
}

// openAll opens the models with some weights shuffled, several as one.
func (f *ModelFlags) openAll(ctx context.Context, r onnxbackend.Randomize) (ask.Engine, error) {
	var models []ask.Engine
	for _, path := range f.paths() {
		if oip.Is(path) {
			return nil, Usagef("several models are files; %s is on a server", path)
		}
		of := *f
		of.Path = path
		m, err := of.openAs(ctx, f.plain, r)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return ask.NewEnsemble(models, f.mean)
}
