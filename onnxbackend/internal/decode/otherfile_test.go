package decode_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// zipped returns an archive of empty members.
func zipped(t *testing.T, members ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range members {
		must.Get(w.Create(name))(t)
	}
	must.Do(t, w.Close())
	return b.String()
}

// TestOtherFiles opens files of other formats. Their beginnings and members are those that PyTorch
// 2.9, Keras 3.12, TensorFlow 2.20, tf.lite, joblib 1.5 and safetensors wrote.
func TestOtherFiles(t *testing.T) {
	const hdf5 = "\x89HDF\r\n\x1a\n\x00\x00\x00"
	for name, c := range map[string]struct{ data, want string }{
		"empty":      {"", "it is empty"},
		"weights.pt": {zipped(t, "m/data.pkl", "m/byteorder", "m/data/0"), "bagscope.export"},
		"legacy.pt":  {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", "of PyTorch"},
		"script.pt":  {zipped(t, "m/data.pkl", "m/code/__torch__.py"), "TorchScript"},
		"program.pt2": {zipped(t, "m/data/weights/weight_0", "m/models/model.json"),
			"torch.export"},
		"model.keras":      {zipped(t, "metadata.json", "model.weights.h5"), "load_model"},
		"bag.npz":          {zipped(t, "arr_0.npy"), "open it as the bag"},
		"model.zip":        {zipped(t, "model.onnx"), "unpack it"},
		"model.h5":         {hdf5 + `model_config {"class_name": "Functional"}`, "load_model"},
		"features.h5":      {hdf5 + "features", "open them as the bag"},
		"estimator.pkl":    {"\x80\x04\x95\x05\x00", "never loads it"},
		"estimator.joblib": {"x\x5e}\x93\xcf", "joblib.dump"},
		"model.safetensors": {"\x20\x00\x00\x00\x00\x00\x00\x00" + `{"w":{"data_offsets":[0,4]}}`,
			"without a graph"},
		"model.tflite":   {"\x1c\x00\x00\x00TFL3\x14\x00", "TensorFlow Lite"},
		"model.ort":      {"\x1c\x00\x00\x00ORTM\x14\x00", "ONNX Runtime"},
		"frozen.pb":      {"\x0a\x3b\x0a\x01x\x12\x0bPlaceholder", "TensorFlow graph"},
		"saved_model.pb": {"\x08\x01\x12\xd9\xaa\x01\x0a\xd6saver_filename", "TensorFlow graph"},
		"model.onnx.gz":  {"\x1f\x8b\x08\x00", "gunzip"},
		"bag.npy":        {"\x93NUMPY\x01\x00", "open it as the bag"},
		"bag.png":        {"\x89PNG\r\n\x1a\n", "it is a picture"},
		"pointer": {"version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
			"git lfs pull"},
		"page":    {"<!DOCTYPE html><html>", "a web page"},
		"bag.csv": {"bag,f1,f2\na,1,2\n", "it is text"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decode.Decode([]byte(c.data), limits)
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.HasPrefix(err.Error(), "the model file is not ONNX: ") {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestDamagedModelIsNoOtherFile checks that a model that is cut off stays one that is broken, also
// if the names of other formats are in it.
func TestDamagedModelIsNoOtherFile(t *testing.T) {
	data := ot.Model{Opset: 13, Initializers: []ot.Tensor{{Name: "Placeholder/data.pkl", Type: 1,
		Dims: []int{2}, Floats: []float32{1, 2}}}}.Bytes()
	for n := 1; n < len(data); n++ {
		_, err := decode.Decode(data[:n], limits)
		if err != nil && strings.Contains(err.Error(), "not ONNX") {
			t.Fatalf("the first %d of %d bytes: %v", n, len(data), err)
		}
	}
}
