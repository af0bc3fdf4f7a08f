package decode

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// otherFiles lists files that people open instead of an ONNX model: how they begin at a byte, what
// they hold somewhere behind it, and what they are. The first row that fits counts.
var otherFiles = []struct {
	at                    int
	begins, holds, advice string
}{
	{0, "PK\x03\x04", "/code/__torch__", "it is a TorchScript program; " + exportModule},
	{0, "PK\x03\x04", "/models/model.json", "it is a program of torch.export.save; " +
		exportModule},
	{0, "PK\x03\x04", "data.pkl", torchFile},
	{0, "PK\x03\x04", "model.weights.h5", kerasFile},
	{0, "PK\x03\x04", ".npy", bagFile},
	{0, "PK\x03\x04", "", "it is a zip archive; unpack it and open the ONNX file in it"},
	{2, "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", "", torchFile}, // before PyTorch 1.6
	{0, "\x80\x02", "", pickleFile},
	{0, "\x80\x03", "", pickleFile},
	{0, "\x80\x04", "", pickleFile},
	{0, "\x80\x05", "", pickleFile},
	{0, "x\x01", "", zlibFile},
	{0, "x\x5e", "", zlibFile},
	{0, "x\x9c", "", zlibFile},
	{0, "x\xda", "", zlibFile},
	{0, "\x89HDF\r\n\x1a\n", "model_config", kerasFile},
	{0, "\x89HDF\r\n\x1a\n", "", "it is an HDF5 file; weights of Keras belong to a model in " +
		"Python, which bagscope.export writes as ONNX; " +
		"features are a bag, so open them as the bag"},
	{8, "{", `"data_offsets"`, "it is a .safetensors file, which holds weights without a graph; " +
		exportModule + "; features are a bag, so open them as the bag"},
	{4, "TFL3", "", "it is a TensorFlow Lite model; convert it: python -m tf2onnx.convert " +
		"--tflite FILE --output model.onnx"},
	{4, "ORTM", "", "it is a model in the format of ONNX Runtime; open the .onnx file that it " +
		"was converted from"},
	{0, "\x0a", "Placeholder", tensorFlowFile},
	{0, "\x08\x01\x12", "saver_filename", tensorFlowFile},
	{0, "\x08\x01\x12", "saved_model", tensorFlowFile},
	{0, "\x1f\x8b", "", "it is compressed by gzip; unpack it (gunzip) and open what it holds"},
	{0, "\x93NUMPY", "", bagFile},
	{0, "\x89PNG", "", pictureFile},
	{0, "\xff\xd8\xff", "", pictureFile},
	{0, "II*\x00", "", pictureFile},
	{0, "MM\x00*", "", pictureFile},
	{0, "version https://git-lfs", "", "it is a pointer of Git LFS instead of the model; " +
		"run git lfs pull"},
	{0, "<", "", "it is a web page or XML; if it was downloaded, the address returned a page " +
		"instead of the model"},
}

// What the files are, and the ways out.
const (
	exportModule = "make the module in Python, load its weights, and write it as ONNX with " +
		"bagscope.export or torch.onnx.export"
	torchFile = "it is a file of PyTorch, which holds weights, a module or features; " +
		"for a model, " + exportModule + "; features are a bag, so open them as the bag"
	pickleFile = "it is a Python pickle, such as joblib.dump writes, and can run any program, so " +
		"bagscope never loads it; load it in Python if you trust it, and write the model as ONNX " +
		"with bagscope.export"
	zlibFile = "it is compressed by zlib, as joblib.dump does; load it in Python if you trust " +
		"it, and write the model as ONNX with bagscope.export"
	kerasFile = "it is a model of Keras; load it in Python with keras.models.load_model, and " +
		"write it as ONNX with bagscope.export"
	tensorFlowFile = "it is a TensorFlow graph; convert it by python -m tf2onnx.convert, or load " +
		"it with Keras and write it with bagscope.export"
	bagFile     = "it holds arrays; open it as the bag, and an ONNX file as the model"
	pictureFile = "it is a picture; open it as the bag, and an ONNX file as the model"
)

// otherFile returns what a file is that is not ONNX, and how a model in it becomes an ONNX file; ""
// if it is unknown. It compares bytes and runs nothing: a pickle can run any program.
func otherFile(data []byte) string {
	if len(data) == 0 {
		return "it is empty"
	}
	for _, f := range otherFiles {
		if len(data) > f.at && bytes.HasPrefix(data[f.at:], []byte(f.begins)) &&
			bytes.Contains(data, []byte(f.holds)) {
			return f.advice
		}
	}
	if isText(data) {
		return "it is text; a table of instances is a bag, and JSON may be the card of a model"
	}
	return ""
}

// isText reports whether the first bytes are printable text in UTF-8.
func isText(data []byte) bool {
	const most = 512
	for i := 0; i < min(len(data), most); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError || !unicode.IsGraphic(r) && !unicode.IsSpace(r) {
			return false
		}
		i += n
	}
	return true
}
