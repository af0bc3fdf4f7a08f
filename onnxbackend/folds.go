package onnxbackend

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Folds returns the names of the .onnx files of a folder that are models of their own, in order: a
// file that a card of the folder names as encoder or via is a part of another one. Errors are those
// of reading the folder; a card that is no regular file, too large or damaged names none, and
// opening its model reports it.
func Folds(folder fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, err
	}
	var names []string
	parts := map[string]bool{}
	for _, e := range entries {
		switch name := e.Name(); {
		case path.Ext(name) == ".onnx":
			names = append(names, name)
		case strings.HasSuffix(name, ".bagscope.json"):
			info, err := fs.Stat(folder, name)
			if err != nil || !info.Mode().IsRegular() || info.Size() > MaxCard {
				continue
			}
			var card signature.Card
			data, err := fs.ReadFile(folder, name)
			if err == nil && card.Read(data, name) == nil {
				parts[card.Encoder], parts[card.Via] = true, true
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return parts[name] }), nil
}
