package study

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bagscope/bagscope/tools/train/dataset"
)

// An Architecture is one of the paper's four networks.
type Architecture struct {
	Name  string // "mi_net", as in names of files
	Title string // "MI-Net"
}

// Architectures returns the four architectures in the order of the paper's columns.
func Architectures() []Architecture {
	return []Architecture{{"mi_net", "MI-Net"}, {"mi_net_instance", "mi-Net"},
		{"mi_attn", "MI-Attn"}, {"mi_gnn", "MI-GNN"}}
}

// A File is a model file of one architecture, trained for one repeat.
type File struct {
	Architecture
	Repeat int
	Path   string
}

// Find returns the model files of a data set in a folder, ordered by repeat, then as Architectures.
// The folder contains SET/REPEAT/ARCHITECTURE.onnx for repeats from 0, or ARCHITECTURE.onnx, which
// means repeat 0. Names may have dashes, such as mi-net.onnx. Find searches the given number of
// repeats, or all if it is 0.
//
// Errors: a folder without models, and those of reading the folder.
func Find(dir, set string, repeats int) ([]File, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file, but the models must be in a folder: %s", dir,
			layout(set))
	}
	files, err := FindBy(set, repeats, func(names ...string) (string, error) {
		for _, name := range names {
			path := filepath.Join(dir, strings.ReplaceAll(name, ".", string(filepath.Separator))+
				".onnx")
			_, err := os.Stat(path)
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return path, err
			}
		}
		return "", nil
	})
	if err != nil && errors.Is(err, ErrNone) {
		err = fmt.Errorf("%s contains no models: %s", dir, layout(set))
	}
	return files, err
}

// layout describes the files that Find expects, for its errors.
func layout(set string) string {
	var names []string
	for _, a := range Architectures() {
		names = append(names, a.Name+".onnx")
	}
	return fmt.Sprintf(
		"the folder must contain %s, or the same in subfolders %s%c0, %s%c1 and so on",
		strings.Join(names, ", "), set, filepath.Separator, set, filepath.Separator)
}

// ErrNone means that a data set has no model of any architecture.
var ErrNone = errors.New("the server has no model for the data set; names are mi_net, " +
	"mi_net_instance, mi_attn or mi_gnn, or the same after SET.REPEAT and a dot")

// FindBy returns the models of a data set like Find, from any source of models. The function find
// returns File.Path for the first of several names that exists, or "". Names are
// SET.REPEAT.ARCHITECTURE, or ARCHITECTURE.
//
// Errors: ErrNone, and those of find.
func FindBy(
	set string, repeats int, find func(names ...string) (path string, err error),
) ([]File, error) {
	if repeats <= 0 {
		repeats = len(dataset.Seeds)
	}
	var files []File
	add := func(before string, repeat int) error {
		for _, a := range Architectures() {
			path, err := find(before+a.Name, before+strings.ReplaceAll(a.Name, "_", "-"))
			if err != nil {
				return err
			}
			if path != "" {
				files = append(files, File{a, repeat, path})
			}
		}
		return nil
	}
	for repeat := range min(repeats, len(dataset.Seeds)) {
		if err := add(fmt.Sprintf("%s.%d.", set, repeat), repeat); err != nil {
			return nil, err
		}
	}
	// Names without a repeat are only used if no name has one.
	if files == nil {
		if err := add("", 0); err != nil {
			return nil, err
		}
	}
	if files == nil {
		return nil, ErrNone
	}
	return files, nil
}
