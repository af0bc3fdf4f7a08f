package decode

import "github.com/bagscope/bagscope/internal/otherfile"

// otherFile returns what a file is that is not ONNX, and how a model in it becomes an ONNX file; ""
// if it is unknown.
func otherFile(data []byte) string {
	if len(data) == 0 {
		return "it is empty"
	}
	if f := otherfile.Of(data); f != nil {
		way := f.Model
		if way == "" {
			way = "open an ONNX file as the model"
		}
		return "it is " + f.What + "; " + way
	}
	if otherfile.IsText(data) {
		return "it is text; a table of instances is a bag, and JSON may be the card of a model"
	}
	return ""
}
