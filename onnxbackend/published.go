package onnxbackend

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Published is a configuration of another library that was found beside a model; see
// [FindPublished].
type Published = signature.Published

// FindPublished reads the files beside a model that can be configurations of WSInfer, timm, Hugging
// Face, MONAI or TIAToolbox. model is the slash-separated path of the model's file. read returns a
// file by its path from the model's folder, or an error that wraps fs.ErrNotExist for one that is
// not there or no file of at most [MaxCard] bytes; other errors are returned. The first file of a
// kind counts: NAME.json of NAME.onnx before config.json. Those above the folder are where Hugging
// Face's "onnx" and MONAI's "models" have them.
func FindPublished(
	model string, read func(name string) ([]byte, error),
) (list []Published, err error) {
	folder, file := path.Split(path.Clean(model))
	names := []string{strings.TrimSuffix(file, path.Ext(file)) + ".json", "config.json",
		"preprocessor_config.json", "metadata.json"}
	switch path.Base(folder) {
	case "onnx":
		names = append(names, "../config.json", "../preprocessor_config.json")
	case "models":
		names = append(names, "../configs/metadata.json")
	}
	for _, name := range names {
		data, err := read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, Published{Name: path.Base(name), Data: data})
	}
	return list, nil
}

// MaxCard bounds the bytes of a model card, and of a configuration beside a model.
const MaxCard = signature.MaxCard

// pictureShape returns the shape of the pictures that a file takes, (channels, height, width) with
// sides below 1 if they are open, or nil if it takes none.
func pictureShape(g *decode.Graph) []int {
	for _, in := range g.Inputs {
		if in.Shape == nil {
			return []int{-1, -1, -1}
		}
		n := len(in.Shape)
		if n < 4 {
			continue
		}
		s := in.Shape[n-3:]
		if channels(s[2]) && !channels(s[0]) { // channels are last
			return []int{s[2], s[0], s[1]}
		}
		return s
	}
	return nil
}

// channels reports whether a side is a number of channels.
func channels(side int) bool { return side == 1 || side == 3 }
