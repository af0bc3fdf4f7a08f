package study

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/tools/dataset"
)

// An Architecture is one of the paper's four networks.
type Architecture struct {
	Name  string // "mi_net", as files are called
	Title string // "MI-Net"
}

// Architectures lists the four, in the order of the paper's columns.
func Architectures() []Architecture {
	return []Architecture{{"mi_net", "MI-Net"}, {"mi_net_instance", "mi-Net"}, {"mi_attn", "MI-Attn"}, {"mi_gnn", "MI-GNN"}}
}

// A File is a model file of one architecture, trained for one repeat.
type File struct {
	Architecture
	Repeat int
	Path   string
}

// Find returns the model files of a data set in a folder, by repeat and in the order of Architectures. A folder holds
// SET/REPEAT/ARCHITECTURE.onnx for repeats from 0, or ARCHITECTURE.onnx alone, which counts as repeat 0; names may be
// written with dashes, as mi-net.onnx. repeats is the most that are looked for, 0 for all.
func Find(dir, set string, repeats int) ([]File, error) {
	most := len(dataset.Seeds)
	if repeats > 0 {
		most = min(most, repeats)
	}
	var files []File
	for repeat := range most {
		found, err := findIn(filepath.Join(dir, set, strconv.Itoa(repeat)), repeat)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	if len(files) > 0 {
		return files, nil
	}
	files, err := findIn(dir, 0)
	if err == nil && len(files) == 0 {
		var names []string
		for _, a := range Architectures() {
			names = append(names, a.Name+".onnx")
		}
		err = fmt.Errorf("no model is in %s: it is to hold %s, or the same in folders %s%c0, %s%c1 and so on", dir, strings.Join(names, ", "), set, filepath.Separator, set, filepath.Separator)
	}
	return files, err
}

func findIn(dir string, repeat int) ([]File, error) {
	var files []File
	for _, a := range Architectures() {
		for _, name := range []string{a.Name, strings.ReplaceAll(a.Name, "_", "-")} {
			path := filepath.Join(dir, name+".onnx")
			_, err := os.Stat(path)
			if err == nil {
				files = append(files, File{a, repeat, path})
				break
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
	}
	return files, nil
}
